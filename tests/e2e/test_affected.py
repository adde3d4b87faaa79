"""`understudy code affected` and `understudy/affected`: whom a change reaches, without a server."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import open_editor
from tests.support.workspace import state_of

GEOMETRY = (
    "def area(w: int, h: int) -> int:\n    return w * h\n\n\ndef side() -> int:\n    return 1\n"
)
FILES: dict[str, str | bytes] = {
    "shapes/__init__.py": "from .geometry import area as surface\n",
    "shapes/geometry.py": GEOMETRY,
    "app.py": "import shapes\n\nSIZE = shapes.surface(1, 2)\n",
    "page.py": "from app import SIZE\n\nprint(SIZE)\n",
    "other.py": "from shapes.geometry import side\n\nside()\n",
    "tests/test_app.py": "import app\n\n\ndef test_size() -> None:\n    assert app.SIZE == 2\n",
    "tests/test_side.py": "from other import side\n",
    "tests/test_alone.py": "import json\n",
}
PATCH = """\
--- a/shapes/geometry.py
+++ b/shapes/geometry.py
@@ -1,2 +1,2 @@
-def area(w: int, h: int) -> int:
+def area(w: int, h: str) -> int:
     return w * h
"""
REACHED = [
    ("shapes/geometry.py", 0, [], []),
    ("shapes/__init__.py", 1, ["area"], ["shapes/geometry.py"]),
    ("app.py", 2, ["surface"], ["shapes/geometry.py", "shapes/__init__.py"]),
    ("page.py", 3, ["SIZE"], ["shapes/geometry.py", "shapes/__init__.py", "app.py"]),
    ("tests/test_app.py", 3, ["SIZE"], ["shapes/geometry.py", "shapes/__init__.py", "app.py"]),
]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(make_folder(tmp_path / "work", FILES), tmp_path / "state")


def rows(files: list[dict[str, object]]) -> list[tuple[object, ...]]:
    return [(file["path"], file["distance"], file["names"], file["via"]) for file in files]


def test_a_patch(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("code", "affected", "-", stdin=PATCH)
    assert done.code == 0
    first, second, *_, last = done.out.splitlines()
    assert first.split() == ["0", "shapes/geometry.py", "edited"]
    assert second.split() == ["1", "shapes/__init__.py", "area", "from", "shapes/geometry.py"]
    assert last == "1 edited, 1 that use them, 3 farther"
    found = shell("code", "affected", "-", "--format", "json", stdin=PATCH).json
    assert (rows(found["files"]), found["compared"]) == (REACHED, None)
    assert state_of(shell.folder) == before


def test_edits_that_nobody_sees(shell: Shell, tmp_path: Path) -> None:
    edits = tmp_path / "edits.json"
    edits.write_text(
        json.dumps(
            [{"kind": "replace", "path": "shapes/geometry.py", "old": "w * h", "new": "h * w"}]
        )
    )
    found = shell("code", "affected", "--edits", edits, "--format", "json").json
    assert rows(found["files"]) == [("shapes/geometry.py", 0, [], [])]
    tests = shell("code", "affected", "--edits", edits, "--tests", "--format", "json").json
    assert {file["path"] for file in tests["files"]} == {
        "tests/test_app.py",
        "tests/test_side.py",
    }


def test_the_working_tree(shell: Shell) -> None:
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@t")
    for command in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "first")):
        subprocess.run([*git, *command], cwd=shell.folder, check=True)
    assert shell("code", "affected", "--format", "json").json["files"] == []
    (shell.folder / "shapes/geometry.py").write_text(GEOMETRY.replace("h: int", "h: str"))
    found = shell("code", "affected", "--base", "HEAD", "--format", "json").json
    assert rows(found["files"]) == REACHED
    assert found["compared"].startswith("HEAD")


def test_mistakes(shell: Shell) -> None:
    for arguments, stdin, code in (
        (("-",), "no patch", "not-a-diff"),
        (("absent.patch",), "", "no-such-file"),
        (("-", "--base", "HEAD"), PATCH, "conflicting-options"),
        (("-", "--edits", "x.json"), PATCH, "conflicting-options"),
        (("--root", "absent"), "", "no-such-root"),
    ):
        done = shell("code", "affected", *arguments, stdin=stdin)
        assert (done.code, done.out) == (2, ""), (arguments, done)
        assert done.err.startswith(f"understudy: {code}: "), done.err


async def test_over_lsp(shell: Shell) -> None:
    async with open_editor(shell.folder, shell.state) as editor:
        branch = await editor.branch(
            {"kind": "replace", "path": "shapes/geometry.py", "old": "h: int", "new": "h: str"}
        )
        found = await editor.ask("understudy/affected", {"branch": branch})
        assert rows(found["files"]) == REACHED
        editor.open("app.py", "import json\n")
        typed = await editor.ask("understudy/affected", {"branch": branch})
        assert rows(typed["files"]) == REACHED[:2]


def test_a_later_process_sees_what_has_changed_since(shell: Shell, tmp_path: Path) -> None:
    """It has the index on disk, another one with a state of its own reads every file."""
    ask = ("code", "affected", "-", "--format", "json")
    shell(*ask, stdin=PATCH)
    (kept,) = (tmp_path / "state").rglob("bindings")
    assert kept.stat().st_mode & 0o777 == 0o600
    written = kept.stat().st_mtime_ns
    (shell.folder / "other.py").write_text("from shapes.geometry import area\n\narea(1, 2)\n")
    (shell.folder / "new.py").write_text("import other\n\nother.area(1, 2)\n")
    (shell.folder / "app.py").unlink()
    found = shell(*ask, stdin=PATCH).json
    assert found == Shell(shell.folder, tmp_path / "another")(*ask, stdin=PATCH).json
    assert [file["path"] for file in found["files"]] == [
        *("shapes/geometry.py", "other.py", "shapes/__init__.py", "new.py"),
    ]
    assert kept.stat().st_mtime_ns == written, "so few changes are read again by each process"
