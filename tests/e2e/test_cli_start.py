"""What a command loads and starts before it knows that it can do its work."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import understudy
from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings

BAD_INPUT, UNKNOWN = 2, 3
GOOD = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n"

BAD = [
    ([], "this is prose\n"),
    ([], GOOD.replace("-one", "-two")),
    ([], GOOD.replace("a.txt", "none.txt")),
    (["--timeout", "-1"], GOOD),
    (["--server", "nobody"], GOOD),
]


@pytest.fixture
def started(state: Path) -> Path:
    """The file that is there once the one server for text files has been started."""
    mark = state / "started"
    program = f"open({str(mark)!r}, 'w').close()"
    toy = {**toy_profile("well_behaved"), "command": [sys.executable, "-S", "-c", program]}
    write_user_settings(state, settings_text({"marks": toy}))
    return mark


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Shell:
    return Shell(make_folder(tmp_path / "work", {"a.txt": "one\n"}), state)


@pytest.mark.parametrize(("options", "text"), BAD)
def test_bad_input_starts_no_server(
    shell: Shell, started: Path, options: list[str], text: str
) -> None:
    assert shell("check", "-", *options, stdin=text).code == BAD_INPUT
    assert not started.exists()


def test_a_patch_that_fits_starts_it(shell: Shell, started: Path) -> None:
    assert shell("check", "-", stdin=GOOD).code == UNKNOWN  # it ends without a word
    assert started.exists()


def loaded(code: str) -> set[str]:
    """The modules that are loaded after these statements, in a Python of their own."""
    program = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stdout))


def test_the_command_line_itself_loads_no_verb() -> None:
    every = "from understudy.faces.cli.main import COMMANDS, command_line; command_line(COMMANDS)"
    floors = {name.split(".")[1] for name in loaded(every) if name.startswith("understudy.")}
    assert floors <= {"faces", "findings", "shadow", "values"}


def test_the_version_is_told_without_any_command() -> None:
    program = (
        "import sys; sys.argv = ['understudy', '--version']\n"
        "from understudy.faces.cli import main\n"
        "try:\n    main.main()\nexcept SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.endswith('cli.check')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == f"understudy {understudy.__version__}\n[]\n"


def test_a_check_starts_its_servers_before_it_loads_what_judges() -> None:
    before_start = loaded("import understudy.app.check.alone")
    assert not before_start & {"sqlite3", "cattrs", "lsprotocol", "pygls", "psutil"}
    judging = {
        "understudy.app.check.check",
        "understudy.findings.delta",
        "understudy.dependents.readers",
        "understudy.workspace.binding_index",
    }
    assert not before_start & judging
