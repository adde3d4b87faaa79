"""A folder that nobody trusts has programs and modules of known names, and PATH leads there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import child_environment, make_folder
from tests.support.repositories import git

pytestmark = pytest.mark.ring
PROGRAM = str(Path(sys.executable).with_name("understudy"))
NAMES = (
    *("git", "sh", "bash", "sleep", "kill", "env", "cat", "ps", "id", "uname", "which", "locale"),
    *("node", "npm", "npx", "python", "python3", "uv", "code", "less", "sudo"),
    *("mount", "umount", "unshare", "ip", "nsenter", "setpriv", "newuidmap", "systemd-run"),
    *("basedpyright-langserver", "pyright-langserver", "ruff", "mypy", "ty", "tsc", "clangd"),
    *("gopls", "go", "cargo", "rustc", "gcc", "cc", "ldconfig", "getent", "loginctl"),
)
MODULES = (
    *("understudy/__init__.py", "understudy/__main__.py", "sitecustomize.py", "usercustomize.py"),
    *("site.py", "typing.py", "json.py", "re.py", "asyncio.py", "encodings.py", "runpy.py"),
    *("typer.py", "pygls.py", "mcp.py", "psutil.py", "attrs.py"),
)
PATCH = b"--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x: int = ''\n"
COMMIT = "echo z = 1 >> a.py; git -c user.name=a -c user.email=a@b.example commit -aqm second"
CALLS: dict[str, tuple[str, ...]] = {
    "check a patch": ("check", "-"),
    "check what differs from a commit": ("check", "--base", "HEAD~0"),
    "check the work tree": ("check",),
    "look at what works here": ("doctor",),
    "take its commits": ("branches", "accept", "--commits", "b1"),
    "run a command": ("run", "--adopt", "--", "/bin/sh", "-c", "echo y = 1 >> a.py"),
    "show a branch": ("branches", "diff", "b2"),
    "accept a branch": ("branches", "accept", "b2"),
    "list servers": ("servers", "list"),
    "map the folder": ("code", "map"),
    "set up an agent": ("setup", "claude", "--dry-run"),
}


@pytest.fixture
def place(tmp_path: Path) -> Shell:
    folder = make_folder(tmp_path / "work", {"a.py": "x = 1\n", "pyproject.toml": "[project]\n"})
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    Shell(folder, tmp_path / "state")("rehearse", "--", "sh", "-c", COMMIT)
    mark = tmp_path / "mark"
    for above in (folder, folder / "bin", folder / "node_modules" / ".bin"):
        above.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (above / name).write_text(f'#!/bin/sh\necho "$0 $*" >> "{mark}"\n')
            (above / name).chmod(0o755)
    for name in MODULES:
        text = f"open({str(mark)!r}, 'a').write(__name__ + chr(10))\n"
        make_folder(folder, {name: text})
    own = os.environ["PATH"]
    path = os.pathsep.join((str(folder / "bin"), ".", "", "node_modules/.bin", own))
    return Shell(folder, tmp_path / "state", {"PATH": path})


def test_none_of_them_is_run(place: Shell) -> None:
    mark = place.folder.parent / "mark"
    ran: dict[str, list[str]] = {}
    for name, arguments in CALLS.items():
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=place.folder, input=PATCH, check=False, timeout=SECONDS,
            env={**child_environment(place.state), **place.environ}, capture_output=True,
        )  # fmt: skip
        assert b"Traceback" not in done.stderr, (name, done.stderr.decode())
        if mark.exists():
            ran[name] = sorted(set(mark.read_text().splitlines()))
            mark.unlink()
    assert ran == {}
    assert git(place.folder, "log", "--format=%s", "understudy/b1").split() == ["second", "first"]


def test_what_setup_writes_for_a_python_without_our_program(place: Shell) -> None:
    """An agent starts the server in the folder: its own `understudy` is not what it gets."""
    written = _written_by_a_python_without_our_program(place)
    done = subprocess.run(
        [written["command"], *written["args"][:-1], "--version"], cwd=place.folder, timeout=SECONDS,
        env={**child_environment(place.state), "PYTHONPATH": ":".join(filter(None, sys.path))},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "understudy" in done.stdout
    assert not (place.folder.parent / "mark").exists()


def _written_by_a_python_without_our_program(place: Shell) -> dict[str, Any]:
    alone = place.folder.parent / "bin"
    alone.mkdir()
    python = alone / "python3"
    python.symlink_to(sys.executable)
    program = (
        "import sys; sys.path[:] = sys.argv.pop(1).split(':'); sys.executable = sys.argv.pop(1); "
        "from understudy.__main__ import main; main()"
    )
    path = ":".join(part for part in sys.path if part)
    done = subprocess.run(
        [sys.executable, "-c", program, path, python, "setup", "claude", "--write"],
        cwd=place.folder, env={**child_environment(place.state), "PATH": str(alone)},
        capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    file = place.folder / ".mcp.json"
    assert file.exists(), done.stderr.decode()
    return json.loads(file.read_text())["mcpServers"]["understudy"]
