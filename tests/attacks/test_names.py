"""No edit reaches git's own folder by another spelling, or makes a device of Windows."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.attacks.hostile_texts import in_pipe
from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, write_user_settings
from tests.support.trees import MemoryTree
from tests.support.workspace import state_of
from understudy.edits.batch import apply_edits
from understudy.edits.model import parse_edits
from understudy.values.errors import BadInput

GIT_SPELLINGS = (
    ".git", ".Git", ".GIT", ".git.", ".git ", ".git...", ".git . .", ".GIT. ", "git~1", "GIT~1",
    "git~1.", "Git~1 ", ".git::$INDEX_ALLOCATION", ".git:x", ".git. ::$DATA",
    "git~1:$I30:$INDEX_ALLOCATION", ".g\u200cit", ".gi\u200dt", "\u200e.git", ".git\u200f",
    ".g\u202ai\u202et", ".\u206agit", ".gi\u206ft", ".git\ufeff", ".G\u200cI\ufeffT",
    ".git\\config", "x\\.git", "x\\git~1\\hooks", ".git.\\x", ".g\u200cit. ",
)  # fmt: skip
RESERVED = (
    "CON", "con", "Con.txt", "NUL", "nul.tar.gz", "aux", "aux.c", "PRN", "prn .x", "COM1",
    "com9.txt", "LPT1", "lpt3.log", "COM\xb9", "lpt\xb2.x", "CONIN$", "conout$", "NUL:",
    "name.", "name ", "name...", "name. ", "a:b", "x.py::$DATA", "c:x",
    "dir\\CON", "dir\\NUL.txt\\x",
)  # fmt: skip
TAKEN = (
    ".gitignore", ".github", ".gitattributes", ".gitmodules", "git", "git~2", "git~10", "agit~1",
    ".gi", "x.git", ".git-x", ".git.x", "console", "con-x", "null", "com", "com10", "lpt",
    "auxiliary.c", "nul-x", ".x", "...x", " x", "a b", "gi\u200ct", "\u200c.gitt", "x.git:",
    "caf\u00e9",
)  # fmt: skip


def _batches(path: str) -> dict[str, object]:
    quoted = '"' + "".join(f"\\{byte:03o}" for byte in path.encode()) + '"'
    a, b = (f'"{side}/{quoted[1:]}' for side in "ab")
    uri = MemoryTree({}).uri(path)
    return {
        "write": {"kind": "write", "path": path, "text": "x\n"},
        "rename": {"kind": "rename", "path": "a.txt", "to": path},
        "diff": {
            "kind": "diff",
            "text": f"diff --git {a} {b}\nnew file mode 100644\n--- /dev/null\n+++ {b}\n"
            "@@ -0,0 +1 @@\n+x\n",
        },
        "diff that renames": {
            "kind": "diff",
            "text": f"diff --git a/a.txt {b}\nsimilarity index 100%\nrename from a.txt\n"
            f"rename to {quoted}\n",
        },
        "create": {"kind": "workspaceEdit", "edit": {"documentChanges": [
            {"kind": "create", "uri": uri}]}},
        "move": {"kind": "workspaceEdit", "edit": {"documentChanges": [
            {"kind": "rename", "oldUri": MemoryTree({}).uri("a.txt"), "newUri": uri}]}},
        "patch": {
            "kind": "diff",
            "text": f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n",
        },
    }  # fmt: skip


def _refusals(path: str) -> dict[str, str]:
    """How each form of an edit is refused."""
    found: dict[str, str] = {}
    for form, edit in _batches(path).items():
        if form == "patch" and path != path.strip():
            continue  # that form has no way to write it
        try:
            apply_edits(parse_edits([edit]), MemoryTree({"a.txt": "x\n"}))
        except BadInput as error:
            found[form] = error.code
        else:
            found[form] = "made"
    return found


@pytest.mark.parametrize("below", ["", "sub/"])
@pytest.mark.parametrize("spelling", GIT_SPELLINGS, ids=ascii)
def test_a_spelling_of_gits_folder_is_refused(spelling: str, below: str) -> None:
    for path in (f"{below}{spelling}", f"{below}{spelling}/hooks/post-checkout"):
        assert set(_refusals(path).values()) == {"outside-root"}, path


@pytest.mark.parametrize("name", RESERVED, ids=ascii)
def test_a_name_that_windows_reserves_is_refused_for_a_new_file(name: str) -> None:
    for path in (name, f"sub/{name}", f"{name}/x.txt"):
        assert set(_refusals(path).values()) == {"reserved-name"}, path


@pytest.mark.parametrize("name", TAKEN, ids=ascii)
def test_names_that_are_nothing_else_are_taken(name: str) -> None:
    expected = "reserved-name" if ":" in name else "made"
    assert set(_refusals(name).values()) == {expected}


@pytest.mark.parametrize("name", ["aux.c", "a:b", "name."])
def test_a_file_that_is_there_can_be_edited_and_goes_away(name: str) -> None:
    tree = MemoryTree({name: "x\n", "z.txt": ""})
    edits = [
        {"kind": "replace", "path": name, "old": "x", "new": "y"},
        {"kind": "rename", "path": name, "to": "plain.c"},
    ]
    assert tree.after(apply_edits(parse_edits(edits), tree)).keys() == {"plain.c", "z.txt"}


@pytest.mark.parametrize("spelling", GIT_SPELLINGS, ids=ascii)
def test_git_refuses_these_too(spelling: str, tmp_path: Path) -> None:
    """The oracle: git's own index takes none of them, with both of its guards on."""
    git = ["git", "-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]
    subprocess.run([*git, "init", "-q", tmp_path], check=True, timeout=60)
    blob = subprocess.run(
        [*git, "hash-object", "-w", "--stdin"], cwd=tmp_path, input=b"x", timeout=60,
        capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    entry = f"100644,{blob},{spelling}/x"
    added = subprocess.run(
        [*git, "update-index", "--add", "--cacheinfo", entry], cwd=tmp_path, timeout=60,
        capture_output=True, check=False,
    )  # fmt: skip
    mixed = ".g\u200cit. "  # we refuse it all the same
    assert (added.returncode != 0) != (spelling == mixed)


@pytest.fixture
def place(tmp_path: Path) -> Shell:
    folder = make_folder(tmp_path / "work", {"a.txt": "x\n", "aux/old.txt": "x\n"})
    subprocess.run(["git", "init", "-q", folder], check=True, timeout=60)
    return Shell(folder, tmp_path / "state")


def test_a_link_into_gits_folder_is_no_way_round(place: Shell) -> None:
    (place.folder / "settings").symlink_to(".git/config")
    (place.folder / "hooks").symlink_to(".git/hooks", target_is_directory=True)
    before = state_of(place.folder)
    for path in ("settings", "hooks/post-checkout"):
        patch = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
        done = in_pipe(place, "check", "-", stdin=patch.encode())
        assert done.code == 2
        assert "outside-root" in done.errors
        assert "own folder" in done.errors
    assert state_of(place.folder) == before


def test_a_run_says_what_it_does_not_adopt_and_keeps_the_rest(place: Shell) -> None:
    script = "mkdir .git. 'git~1' && echo x > .git./config && echo x > git~1/config; echo x > NUL; "
    script += "echo x > kept.txt; echo x > aux/new.txt; echo x > 'a:b'"
    done = in_pipe(place, "run", "--adopt", "--", "sh", "-c", script)
    assert done.code == 0, done.errors
    assert "adopted by branch b1: 2 files" in done.errors
    for path, code in (
        (".git./config", "outside-root"),
        ("git~1/config", "outside-root"),
        ("NUL", "reserved-name"),
        ("a:b", "reserved-name"),
    ):
        assert f"not adopted: {path}: {code}" in done.errors
    assert in_pipe(place, "branches", "accept", "b1").code == 0
    assert (place.folder / "aux" / "new.txt").read_text() == "x\n"
    assert sorted(file.name for file in place.folder.iterdir()) == [
        ".git",
        "a.txt",
        "aux",
        "kept.txt",
    ]


def test_a_setting_allows_what_git_takes_here(place: Shell) -> None:
    patch = b"--- /dev/null\n+++ b/aux.c\n@@ -0,0 +1 @@\n+int x;\n"
    refused = in_pipe(place, "check", "-", stdin=patch)
    assert refused.code == 2
    assert "reserved-name: edits[0] aux.c: Windows takes" in refused.errors
    assert 'names = "here"' in refused.errors
    (place.folder / "understudy.toml").write_text('names = "here"\n')
    untrusted = in_pipe(place, "check", "-", stdin=patch)
    assert (untrusted.code, "untrusted" in untrusted.errors) == (2, True)
    (place.folder / "understudy.toml").unlink()
    write_user_settings(place.state, 'names = "here"\n')
    taken = in_pipe(place, "check", "-", stdin=patch)
    assert taken.code == 0, taken.errors
    still = in_pipe(place, "check", "-", stdin=patch.replace(b"aux.c", b".git./config"))
    assert (still.code, "outside-root" in still.errors) == (2, True)
