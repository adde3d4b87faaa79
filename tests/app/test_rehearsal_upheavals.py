"""Somebody turns everything over while a command lives on a stage: the agent, or the user."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.support.live_stages import NEEDS_FENCE, Stage, living
from tests.support.repositories import git
from tests.support.stages.field import fingerprints
from understudy.stage.model import KindName
from understudy.workspace.rehearsals import user_files

N_FILES = 40
LINES = [f"    line {number}\n" for number in range(12)]
KINDS = ["overlay", pytest.param("copy", marks=NEEDS_FENCE)]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> KindName:
    return request.param


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = Path(os.path.realpath(tmp_path)) / "folder"
    for number in range(N_FILES):
        place = folder / f"part{number % 8}/f{number}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("".join(LINES))
    return folder


def texts(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_text() for path in files}


def edited(stage: Stage) -> dict[str, bytes | None]:
    """The paths that differ in the branch, and what they became."""
    return {path: one.after for path, one in stage.edits().items() if one.after != one.base}


async def test_the_agent_deletes_the_folder(folder: Path, tmp_path: Path, kind: KindName) -> None:
    before = texts(folder), fingerprints(folder)
    async with living(folder, tmp_path / "state", kind=kind) as stage:
        # It is mounted there, or lies in a folder that is not the command's: it is emptied.
        assert await stage.do('rm -rf "$PWD" 2>/dev/null || echo refused; ls -A | wc -l') == (
            "refused\n0\n"
        )
        await stage.until(lambda: len(edited(stage)) == N_FILES)
        assert set(edited(stage).values()) == {None}
        assert all(stage.edits()[path].base == "".join(LINES).encode() for path in edited(stage))
        await stage.do("mkdir part1; echo again > part1/f1.txt; echo own > new.txt")
        await stage.has("part1/f1.txt", "again\n")
        await stage.has("new.txt", "own\n")
        stage.save("part2/f2.txt", "saved\n")
        await stage.until(lambda: stage.rehearsal.truth.collisions == {"part2/f2.txt"})
        stage.save("part2/f2.txt", "".join(LINES))
        await stage.until(lambda: not stage.rehearsal.truth.collisions)
    assert texts(folder) == before[0]
    assert {p: m for p, m in fingerprints(folder).items() if not p.startswith("part2")} == {
        p: m for p, m in before[1].items() if not p.startswith("part2")
    }


async def test_the_agent_renames_folders(folder: Path, tmp_path: Path, kind: KindName) -> None:
    """An overlay renames none of the user's in one step; `mv`, which knows that, copies."""
    before = texts(folder), fingerprints(folder)
    rename = "import os, sys; os.rename(*sys.argv[1:])"
    async with living(folder, tmp_path / "state", kind=kind) as stage:
        await stage.do("mv part1 moved")
        await stage.has("moved/f1.txt", "".join(LINES))
        await stage.has("part1/f1.txt", None)
        await stage.do("mkdir own; echo x > own/x.txt; mv own other")
        await stage.has("other/x.txt", "x\n")
        said = await stage.do(f"python3 -c '{rename}' part2 renamed 2>&1 | tail -n 1")
        if kind == "overlay":
            assert said == "OSError: [Errno 18] Invalid cross-device link: 'part2' -> 'renamed'\n"
            assert await stage.do("ls part2 | wc -l; test -e renamed || echo none") == "5\nnone\n"
        else:
            assert said == ""
            await stage.has("renamed/f2.txt", "".join(LINES))
        stage.save("part1/late.txt", "made in a folder that is another there\n")
        await stage.shows("part1/late.txt", "made in a folder that is another there\n")
    (folder / "part1/late.txt").unlink()
    assert texts(folder) == before[0]
    assert {p: m for p, m in fingerprints(folder).items() if p != "part1"} == {
        p: m for p, m in before[1].items() if p != "part1"
    }


async def test_the_user_deletes_the_folder(folder: Path, tmp_path: Path, kind: KindName) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(folder, kept)
    async with living(folder, tmp_path / "state", kind=kind) as stage:
        await stage.do("echo edited >> part1/f1.txt; echo new > new.txt")
        await stage.has("new.txt", "new\n")
        shutil.move(folder, tmp_path / "away")
        await stage.until(lambda: any("folder" in one for one in stage.rehearsal.record.warnings))
        await stage.do("echo more >> new.txt; echo later > later.txt")
        await stage.has("new.txt", "new\nmore\n")
        await stage.has("later.txt", "later\n")
        assert await stage.do("cat part3/f3.txt") == "".join(LINES), "nothing is taken for deleted"
        shutil.move(tmp_path / "away", folder)
        stage.save("part3/f3.txt", "saved\n")
        await stage.shows("part3/f3.txt", "saved\n")
        shutil.rmtree(folder)
        await stage.do("echo last > last.txt")
        await stage.has("last.txt", "last\n")
    assert edited(stage)["part1/f1.txt"] == "".join([*LINES, "edited\n"]).encode()
    assert texts(folder) == {}


async def test_the_user_switches_branches(folder: Path, tmp_path: Path, kind: KindName) -> None:
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(folder, "switch", "-qc", "other")
    for number in range(0, N_FILES, 2):
        place = folder / f"part{number % 8}/f{number}.txt"
        place.write_text("".join(["    other\n", *LINES[1:]]))
    shutil.rmtree(folder / "part1")
    (folder / "added").mkdir()
    (folder / "added/a.txt").write_text("added\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")
    git(folder, "switch", "-q", "main")
    async with living(folder, tmp_path / "state", 0.0, kind) as stage:
        await stage.do("sed -i 's/line 11$/agent/' part0/f0.txt part1/f1.txt part3/f3.txt")
        await stage.do("sed -i 's/line 0$/agent/' part2/f2.txt")
        await stage.until(lambda: len(edited(stage)) == 4)
        git(folder, "switch", "-q", "other")
        merged = "".join(["    other\n", *LINES[1:11], "    agent\n"])
        await stage.has("part0/f0.txt", merged)
        await stage.shows("part4/f4.txt", "".join(["    other\n", *LINES[1:]]))
        await stage.shows("added/a.txt", "added\n")
        await stage.shows("part1/f9.txt", None)
        await stage.until(
            lambda: stage.rehearsal.truth.collisions == {"part1/f1.txt", "part2/f2.txt"}
        )
        assert git(folder, "status", "--porcelain") == ""
        git(folder, "switch", "-q", "main")
        await stage.until(lambda: not stage.rehearsal.truth.collisions)
        await stage.has("part0/f0.txt", "".join([*LINES[:11], "    agent\n"]))
        await stage.shows("part1/f9.txt", "".join(LINES))
        await stage.shows("added/a.txt", None)
        assert set(edited(stage)) == {f"part{n}/f{n}.txt" for n in range(4)}
        # Its own repository stands where it began, and no switch of the user's is a commit there.
        await stage.until(partial(_stands_at_the_beginning, stage))
    assert git(folder, "status", "--porcelain") == ""
    assert git(folder, "rev-parse", "--abbrev-ref", "HEAD") == "main\n"


async def _stands_at_the_beginning(stage: Stage) -> bool:
    said = await stage.do("git rev-parse --abbrev-ref HEAD; git status --porcelain")
    return said == "main\n" + "".join(f" M part{n}/f{n}.txt\n" for n in range(4))


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def by_rename(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.new")
    beside.write_text(text)
    beside.replace(path)


@pytest.mark.parametrize("write", [in_place, by_rename])
async def test_the_user_runs_a_formatter_over_everything(
    folder: Path, tmp_path: Path, kind: KindName, write: Callable[[Path, str], None]
) -> None:
    """Where both have changed the same lines, the user is asked; else both changes are there."""
    half, plain = "".join(LINES[:6]), "".join(f"plain {number}\n" for number in range(6))
    (folder / "part0/mixed.txt").write_text(half + plain)
    files = sorted(texts(folder))
    asked = {"part0/f0.txt", "part1/f1.txt", "part2/f2.txt", "part7/f39.txt"}
    async with living(folder, tmp_path / "state", 0.0, kind) as stage:
        await stage.until(lambda: stage.rehearsal.truth.files.is_pinned)
        await stage.do("cat */*.txt >/dev/null; echo agent >> part0/f0.txt; echo a > new.txt")
        await stage.do("sed -i 's/line 5$/agent/' part1/f1.txt; rm part2/f2.txt")
        await stage.do("sed -i 's/plain 5/agent/' part0/mixed.txt")
        await stage.until(lambda: len(edited(stage)) == 5)
        for path in files:
            write(folder / path, (folder / path).read_text().replace("    ", "  "))
            if path == "part3/f3.txt":
                await stage.do("echo agent >> part7/f39.txt")
        await stage.until(lambda: asked <= _asked(stage))
        formatted = {path: (folder / path).read_text() for path in files}
        merged = formatted["part0/mixed.txt"].replace("plain 5", "agent")
        await stage.has("part0/mixed.txt", merged)
        others = [path for path in files if path not in {*asked, "part0/mixed.txt"}]
        await stage.until(partial(_shows, stage, {path: formatted[path] for path in others}))
        assert _asked(stage) == asked
        assert set(edited(stage)) == {*asked, "part0/mixed.txt", "new.txt"}
        assert stage.edits()["part0/mixed.txt"].base == formatted["part0/mixed.txt"].encode()
    assert texts(folder) == formatted
    assert formatted["part5/f5.txt"] == "".join(LINES).replace("    ", "  ")


def _asked(stage: Stage) -> set[str]:
    """The paths of which the user has to decide."""
    unknown = {path for path, one in stage.edits().items() if not one.base_known}
    return unknown | stage.rehearsal.truth.collisions


async def _shows(stage: Stage, wanted: dict[str, str]) -> bool:
    said = await stage.do(f"cat {' '.join(wanted)}")
    return said == "".join(wanted.values())


async def test_a_deletion_is_the_agents_where_nobody_has_kept_the_text(
    folder: Path, tmp_path: Path, kind: KindName, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a folder of more texts than are kept: what the user saves is no new file."""
    monkeypatch.setattr(user_files, "PINNED_BYTES", 0)
    gone = ("part1/f1.txt", "part2/f2.txt")
    async with living(folder, tmp_path / "state", kind=kind, waits=True) as stage:
        await stage.until(lambda: stage.rehearsal.truth.files.is_pinned)
        await stage.do("rm part1/f1.txt; rm -r part2")
        for path in gone:
            stage.save(path, "saved\n")
        (folder / "part2/new.txt").write_text("made in a folder that is gone there\n")
        stage.rehearsal.truth.sweeper.turn.release()
        for path in gone:
            await stage.has(path, None)
        await stage.shows("part2/new.txt", "made in a folder that is gone there\n")
        assert "part2/new.txt" not in edited(stage)
        for path in gone:
            assert stage.edits()[path].base != b"saved\n", "nobody has deleted that text"
        await stage.until(lambda: stage.rehearsal.truth.collisions == set(gone))
    assert {path: texts(folder)[path] for path in gone} == dict.fromkeys(gone, "saved\n")
