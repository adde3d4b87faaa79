"""What is seen of one path is what a look through all of a layer, or a copy, has of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live_stages import NEEDS_FENCE, living
from understudy.stage.model import KindName
from understudy.workspace.rehearsals.sweep import enters

CHANGES = """
echo x > new.txt; echo x >> kept/a.txt; rm kept/b.txt; rm -r away; rm -r anew; mkdir anew
echo x > anew/new.txt; rm file-then-folder; mkdir file-then-folder; echo x > file-then-folder/f
rm -r folder-then-file; echo x > folder-then-file; mkdir -p one/two/three; echo x > one/two/three/f
ln -s new.txt link; rm -r linked; ln -s kept linked; mkfifo pipe; chmod +x same.txt
mkdir node_modules; echo x > node_modules/m.js; rm -r .venv
"""


@pytest.mark.parametrize("kind", ["overlay", pytest.param("copy", marks=NEEDS_FENCE)])
async def test_one_path_is_seen_as_all_are(kind: KindName, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for path in (
        "kept/a.txt", "kept/b.txt", "away/a.txt", "away/sub/b.txt", "anew/a.txt", "anew/sub/b.txt",
        "file-then-folder", "folder-then-file/a.txt", "linked/a.txt", "same.txt", ".venv/m.py",
        "untouched/a.txt",
    ):  # fmt: skip
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("text\n")
    paths = {file.relative_to(folder).as_posix() for file in folder.rglob("*")}
    async with living(folder, tmp_path / "state", kind=kind, waits=True) as stage:
        await stage.do(CHANGES.replace("\n", "; ").strip("; "))
        found = await stage.rehearsal.stage.sightings(enters)
        assert len(found.items) > 12
        paths |= found.items.keys() | found.skipped.keys()
        paths |= {"none", "none/none", "new.txt/none", "link/none", "linked/a.txt", "one/two"}
        for path in sorted(paths):
            one = await stage.rehearsal.stage.seen(path, enters)
            assert one == found.items.get(path), path
        stage.rehearsal.truth.sweeper.turn.release()
