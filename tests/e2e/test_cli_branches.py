"""`understudy branches`: what an agent left is shown, taken into the folder, or put away."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Json, open_editor
from tests.support.workspace import state_of

FILES: dict[str, str | bytes] = {
    "a.txt": "1\n2\n3\n4\n5\n",
    "old.txt": "gone soon\n",
    "windows.txt": "one\r\ntwo\r\n",
}
EDITS: list[Json] = [
    {"kind": "replace", "path": "a.txt", "old": "2\n", "new": "two\n"},
    {"kind": "write", "path": "new/b.txt", "text": "new\n"},
    {"kind": "delete", "path": "old.txt"},
    {"kind": "replace", "path": "windows.txt", "old": "two", "new": "2"},
]
DIFF_OF_A = "--- a/a.txt\n+++ b/a.txt\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n"


@pytest.fixture
async def branch(tmp_path: Path, state: Path) -> str:
    """A branch that an agent made in an editor that is closed by now."""
    folder = make_folder(tmp_path / "work", FILES)
    async with open_editor(folder, state) as editor:
        return await editor.branch(*EDITS, title="Tidy up\u2026")


@pytest.fixture
def shell(tmp_path: Path, state: Path, branch: str) -> Shell:
    return Shell(tmp_path / "work", state)


def test_list(shell: Shell, branch: str) -> None:
    before = state_of(shell.folder)
    done = shell("branches", "list")
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(rf"{branch}  4 files, used .+Z  Tidy up\u2026\n", done.out)
    (summary,) = shell("branches", "list", "--format", "json").json["branches"]
    assert (summary["branch"], summary["files"], summary["ended"]) == (branch, 4, None)
    assert state_of(shell.folder) == before


def test_what_the_folder_has_already_is_said(shell: Shell, branch: str) -> None:
    patch = shell("branches", "diff", branch).out
    subprocess.run(["git", "apply", "-"], input=patch, text=True, check=True, cwd=shell.folder)
    assert ", already in your folder  Tidy up" in shell("branches", "list").out
    assert shell("branches", "diff", branch).out == ""


def test_diff(shell: Shell, branch: str) -> None:
    before = state_of(shell.folder)
    done = shell("branches", "diff", branch)
    assert (done.code, done.err) == (0, "")
    assert DIFF_OF_A in done.out
    assert "+++ b/new/b.txt" in done.out
    assert "deleted file mode" in done.out
    answer = shell("branches", "diff", branch, "--format", "json").json
    assert answer == {"schema": 1, "diff": done.out, "conflicts": []}
    assert state_of(shell.folder) == before


def test_accept(shell: Shell, branch: str) -> None:
    folder = shell.folder
    (folder / "a.txt").write_text("0\n1\n2\n3\n4\n5\n")
    done = shell("branches", "accept", branch)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "wrote a.txt (merged with the folder's changes)\nwrote new/b.txt\nwrote windows.txt\n"
        "deleted old.txt\n"
    )
    assert (folder / "a.txt").read_text() == "0\n1\ntwo\n3\n4\n5\n"
    assert (folder / "new" / "b.txt").read_text() == "new\n"
    assert (folder / "windows.txt").read_bytes() == b"one\r\n2\r\n"
    assert not (folder / "old.txt").exists()
    assert shell("branches", "list").out == "no branches\n"
    assert ", accepted  Tidy" in shell("branches", "list", "--archived").out
    assert shell("branches", "accept", branch).code == 2


def test_an_accept_that_collides_writes_nothing(shell: Shell, branch: str) -> None:
    (shell.folder / "a.txt").write_text("1\nzwei\n3\n4\n5\n")
    before = state_of(shell.folder)
    done = shell("branches", "accept", branch, "--format", "json")
    assert done.code == 1
    assert done.json["error"]["code"] == "conflict"
    assert done.json["error"]["where"] == "a.txt"
    assert done.err.startswith("understudy: conflict: a.txt: ")
    assert state_of(shell.folder) == before
    shown = shell("branches", "diff", branch)
    assert "understudy: conflict: a.txt" in shown.err
    assert shell("branches", "list").out.startswith(branch)


def test_discard(shell: Shell, branch: str) -> None:
    before = state_of(shell.folder)
    assert shell("branches", "discard", branch).out == f"discarded {branch}\n"
    assert shell("branches", "list").out == "no branches\n"
    assert ", discarded  Tidy" in shell("branches", "list", "--archived").out
    gone = shell("branches", "diff", branch)
    assert (gone.code, gone.out) == (2, "")
    assert gone.err == f"understudy: unknown-branch: {branch}: the branch was discarded\n"
    assert state_of(shell.folder) == before


async def test_beside_an_editor(shell: Shell, state: Path, branch: str) -> None:
    async with open_editor(shell.folder, state):
        assert shell("branches", "list").out.startswith(branch)
        assert DIFF_OF_A in shell("branches", "diff", branch).out


def test_a_symlinked_root_has_the_same_branches(shell: Shell, branch: str) -> None:
    link = shell.folder.parent / "link"
    link.symlink_to(shell.folder)
    assert shell("branches", "list", "--root", link).out.startswith(branch)


def test_names_that_disturb_a_terminal_are_escaped(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "odd", {})
    name = b"caf\xe9\x1b[31m.py"
    (folder / os.fsdecode(name)).write_bytes(b"x = 1\n")
    patch = b"--- a/%s\n+++ b/%s\n@@ -1 +1 @@\n-x = 1\n+x = wrong\n" % (name, name)
    shell = Shell(folder, state)
    done = shell("check", "-", "--server", "ruff", stdin=patch)
    assert "\x1b" not in done.out
    assert done.code in (1, 3)
    asked = shell("check", "-", "--server", "ruff", "--format", "json", stdin=patch)
    assert asked.json["files"]
    asked.out.encode("utf-8")  # valid JSON text, whatever the name


async def test_what_runs_something_is_accepted_by_its_name(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", FILES)
    async with open_editor(folder, state) as editor:
        evil: Json = {"kind": "write", "path": ".envrc", "text": "./evil\n"}
        branch = await editor.branch(EDITS[0], evil)
        files = await editor.ask("understudy/branch/files", {"branch": branch})
        told = {file["path"]: file["runs"] for file in files["files"]}
        assert told["a.txt"] is None
        assert "direnv" in told[".envrc"]
    shell = Shell(folder, state)
    done = shell("branches", "accept", branch)
    assert (done.code, done.out) == (0, "wrote a.txt\n")
    first, second = done.err.splitlines()
    assert first == f"understudy: left in {branch}: .envrc: {told['.envrc']}"
    assert second.endswith(f": understudy branches accept {branch} .envrc")
    assert not (folder / ".envrc").exists()
    again = shell("branches", "accept", branch, "--format", "json")
    assert (again.code, again.json["error"]["code"]) == (2, "by-name-only")
    unknown = shell("branches", "accept", branch, "a.txt")
    assert (unknown.code, unknown.out) == (2, "")
    assert "no-change: a.txt" in unknown.err
    named = shell("branches", "accept", branch, ".envrc", "--format", "json")
    expected = {"written": [".envrc"], "deleted": [], "merged": [], "left": [], "ended": True}
    assert (named.code, named.json) == (0, {"schema": 1, **expected})
    assert (folder / ".envrc").read_text() == "./evil\n"
    assert shell("branches", "list").out == "no branches\n"
