"""Bad input on the command line: exit code 2, a named error that says where, nothing changed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.support.workspace import state_of
from understudy.faces.frames import frame

BAD_INPUT, UNKNOWN = 2, 3
LARGE = 50 * 1024 * 1024
TAX = "invoices/tax.py"


def patch(path: str, old: str = "one", new: str = "1") -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+{new}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = make_folder(tmp_path / "work", {"a.txt": "one\n", "book.ipynb": "{}\n"})
    make_folder(tmp_path / "elsewhere", {"b.txt": "one\n"})
    (made / "link").symlink_to(tmp_path / "elsewhere")
    (made / "file-link.txt").symlink_to(tmp_path / "elsewhere" / "b.txt")
    return made


@pytest.fixture
def shell(folder: Path, state: Path) -> Shell:
    return Shell(folder, state)


BINARY_PATCH = """diff --git a/a.txt b/a.txt
index 1111111..2222222 100644
GIT binary patch
literal 3
KcmZQz00961

"""
PATCHES = [
    # patch, code, part of the message
    ("this is prose\n", "not-a-diff", ""),
    ("", "not-a-diff", ""),
    (patch("../elsewhere/b.txt"), "outside-root", "../elsewhere/b.txt"),
    (patch("x/../../elsewhere/b.txt"), "outside-root", "x/../../elsewhere/b.txt"),
    (patch("/etc/hostname").replace("a//", "/").replace("b//", "/"), "outside-root", "hostname"),
    (patch("link/b.txt"), "outside-root", "link/b.txt: the link 'link' leads out of the root"),
    (patch("file-link.txt"), "outside-root", "file-link.txt"),
    (patch("a.txt", "two"), "hunk-mismatch", "a.txt"),
    (patch("none.txt"), "no-such-file", "none.txt"),
    (patch("book.ipynb", "{}"), "unsupported", "book.ipynb"),
    (BINARY_PATCH, "binary-patch", "a.txt"),
]


@pytest.mark.parametrize(("text", "code", "where"), PATCHES)
def test_a_patch_that_cannot_be_used(
    shell: Shell, tmp_path: Path, text: str, code: str, where: str
) -> None:
    before = state_of(shell.folder), state_of(tmp_path / "elsewhere")
    done = shell("check", "-", "--format", "json", stdin=text)
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"understudy: {code}: ")
    assert where in done.err
    error = done.json["error"]
    assert error["code"] == code
    assert error["text"] in done.err
    assert (state_of(shell.folder), state_of(tmp_path / "elsewhere")) == before


EDIT_FILES = [
    (b"not json", "not-json"),
    (b"\xff\xfe", "not-json"),
    (b'{"kind": "write"}', "bad-edits"),
    (b"[3]", "bad-field"),
    (b'[{"kind": "paint"}]', "unknown-kind"),
    (b'[{"kind": "write", "path": "a.txt"}]', "missing-field"),
]


@pytest.mark.parametrize(("data", "code"), EDIT_FILES)
def test_a_list_of_edits_that_cannot_be_used(shell: Shell, data: bytes, code: str) -> None:
    path = shell.folder.parent / "edits.json"
    path.write_bytes(data)
    done = shell("check", "--edits", path)
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"understudy: {code}: ")
    assert done.out == ""


COMMANDS = [
    (["check"], "no-repository"),
    (["check", "-", "--edits", "x.json"], "conflicting-options"),
    (["check", "none.patch"], "no-such-file"),
    (["check", "--edits", "none.json"], "no-such-file"),
    (["check", "."], "no-such-file"),
    (["check", "a.txt", "--root", "nowhere"], "no-such-root"),
    (["check", "a.txt", "--root", "a.txt"], "no-such-root"),
    (["check", "good.patch", "--timeout", "0"], "bad-timeout"),
    (["check", "good.patch", "--timeout", "-3"], "bad-timeout"),
    (["check", "good.patch", "--timeout", "nan"], "bad-timeout"),
    (["check", "good.patch", "--server", "nobody"], "unknown-server"),
    (["doctor", "--root", "nowhere"], "no-such-root"),
    (["trust", "--root", "nowhere"], "no-such-root"),
    (["branches", "list", "--root", "nowhere"], "no-such-root"),
    (["branches", "diff", "b7"], "unknown-branch"),
    (["branches", "accept", "b7"], "unknown-branch"),
    (["branches", "discard", "../b7"], "unknown-branch"),
]


@pytest.mark.parametrize(("arguments", "code"), COMMANDS)
def test_a_command_that_cannot_be_run(shell: Shell, arguments: list[str], code: str) -> None:
    (shell.folder / "good.patch").write_text(patch("a.txt"), encoding="utf-8")
    done = shell(*arguments)
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"understudy: {code}: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "-", "--scope", "all"],
        ["check", "-", "--severity", "fatal"],
        ["check", "-", "--format", "xml"],
        ["check", "-", "--timeout", "soon"],
        ["check", "-", "--unheard-of"],
        ["dance"],
        ["branches", "diff"],
    ],
)
def test_a_command_line_that_is_wrong(shell: Shell, arguments: list[str]) -> None:
    done = shell(*arguments)
    assert done.code == BAD_INPUT
    assert "Usage: understudy" in done.err
    assert done.out == ""


def test_a_root_that_cannot_be_read(folder: Path, state: Path) -> None:
    """The superuser may read everything, so there the command runs as nobody."""
    locked = make_folder(folder.parent / "locked", {"a.txt": "one\n"})
    as_nobody = ["setpriv", "--reuid=65534", "--clear-groups"] if os.geteuid() == 0 else []
    environment = child_environment(state)
    for path in (folder, state, state / "tmp", *folder.parents[:-2]):
        path.chmod(path.stat().st_mode | 0o055)
    locked.chmod(0o000)
    try:
        done = subprocess.run(
            [*as_nobody, *UNDERSTUDY, "check", "-", "--root", str(locked)],
            cwd=folder,
            env=environment,
            input=patch("a.txt").encode(),
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        locked.chmod(0o755)
    assert done.stderr.startswith(b"understudy: unreadable-root: "), done.stderr
    assert done.returncode == BAD_INPUT


BROKEN_SETTINGS = [
    ("understudy.toml", "timeout_s = 'long'\n", "understudy.toml"),
    ("understudy.toml", "colour = 1\n", "understudy.toml: colour"),
    ("understudy.toml", "= 1\n", "understudy.toml"),
    ("pyproject.toml", "[tool]\nunderstudy = 3\n", "pyproject.toml"),
    ("pyproject.toml", "[tool.understudy]\nmax_files = 0\n", "pyproject.toml"),
]


@pytest.mark.parametrize(("name", "text", "where"), BROKEN_SETTINGS)
def test_settings_that_cannot_be_used(shell: Shell, name: str, text: str, where: str) -> None:
    (shell.folder / name).write_text(text, encoding="utf-8")
    done = shell("check", "-", stdin=patch("a.txt"))
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"understudy: bad-setting: {where}")


GUARDED = ('python = "bin/python"', 'server_path = ["bin"]', '[servers.ruff]\ncommand = ["x"]')


@pytest.mark.parametrize("text", GUARDED)
@pytest.mark.parametrize("name", ["understudy.toml", "pyproject.toml"])
def test_settings_that_name_programs_are_refused(shell: Shell, name: str, text: str) -> None:
    if name == "pyproject.toml":
        text = "[tool.understudy]\n" + text.replace("[servers", "[tool.understudy.servers")
    (shell.folder / name).write_text(text, encoding="utf-8")
    done = shell("check", "-", stdin=patch("a.txt"))
    assert done.code == BAD_INPUT
    assert done.err.startswith(f"understudy: untrusted: {name}")
    assert "understudy trust" in done.err
    assert "--trust" in done.err


def test_a_large_file_as_the_target(shell: Shell) -> None:
    (shell.folder / "large.py").write_bytes(b"one\n" + b"#" * LARGE)
    done = shell("check", "-", stdin=patch("large.py"))
    assert done.code == BAD_INPUT
    assert done.err.startswith("understudy: too-large: large.py: ")


def test_a_large_patch(shell: Shell) -> None:
    done = shell("check", "-", stdin=b"x" * LARGE)
    assert done.code == BAD_INPUT
    assert done.err.startswith("understudy: too-large: stdin: ")


@pytest.mark.parametrize("n_others", [0, 60])
def test_a_large_file_that_depends_on_the_target(demo: Path, state: Path, n_others: int) -> None:
    """Of many dependents only those that a changed name reaches are judged, and this one."""
    for number in range(n_others):
        (demo / f"other_{number}.py").write_text("from invoices.tax import percent_for\n")
    text = b"from invoices.tax import tax_of\n" + b"# filling\n" * (LARGE // 10)
    (demo / "large.py").write_bytes(text)
    edit = {"kind": "replace", "path": TAX, "old": 'country: str) -> int:\n    """The tax'}
    edit["new"] = edit["old"].replace("str)", "str, half: int = 50)")
    edits = demo.parent / "edits.json"
    edits.write_text(json.dumps([edit]), encoding="utf-8")
    done = Shell(demo, state)("check", "--edits", edits, "--format", "json")
    by_path = {file["path"]: file for file in done.json["files"]}
    assert by_path[TAX]["verdict"] == "clean"
    assert by_path["large.py"]["reason"]["code"] == "too-large"
    assert done.code == UNKNOWN, "a dependent that nobody judged is no evidence of clean"
    inside = [{"kind": "replace", "path": TAX, "old": "+ 50", "new": "+ 49"}]
    edits.write_text(json.dumps(inside), encoding="utf-8")
    assert Shell(demo, state)("check", "--edits", edits).code == 0, "nobody sees into a body"


def test_a_large_file_that_has_nothing_to_do_with_it(demo: Path, state: Path) -> None:
    (demo / "data").mkdir()
    (demo / "data" / "large.json").write_bytes(b"[" + b"1," * (LARGE // 2) + b"1]")
    edit = [{"kind": "replace", "path": TAX, "old": "+ 50", "new": "+ 49"}]
    edits = demo.parent / "edits.json"
    edits.write_text(json.dumps(edit), encoding="utf-8")
    assert Shell(demo, state)("check", "--edits", edits).code == 0


def reading(shell: Shell, source: str) -> Shell:
    """The shell whose commands have another standard input."""
    return Shell(shell.folder, shell.state, before=("sh", "-c", f'exec "$@" {source}', "sh"))


@pytest.mark.parametrize(
    ("face", "source"),
    [("mcp", "</dev/null"), ("lsp", "</dev/null"), ("lsp --branch b1", "<&-")],
)
def test_an_input_that_has_ended_already(shell: Shell, face: str, source: str) -> None:
    done = reading(shell, source)(*face.split())
    assert (done.code, done.out, done.err) == (0, "", "")


def test_an_input_that_is_a_file(shell: Shell) -> None:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}
    (shell.folder / "frames").write_bytes(frame(json.dumps(hello).encode()))
    done = reading(shell, "<frames")("lsp")
    assert (done.code, done.err) == (0, "")
    assert "no-such-root" in done.out
