"""`understudy trust`, `understudy doctor`, and what every command has in common."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import (
    DEMO_PATCH,
    UNDERSTUDY,
    child_environment,
    left_in_temporary,
    make_folder,
    toy_settings,
    write_user_settings,
)
from tests.langserver.toybox import ended_in
from tests.support.workspace import state_of
from understudy import __version__


def test_trust(shell: Shell) -> None:
    before = state_of(shell.folder)
    folder = str(shell.folder.resolve())
    assert shell("trust", "--list").out == "no folder is trusted\n"
    assert shell("trust").out == f"{folder} is now trusted\n"
    assert shell("trust").out == f"{folder} is already trusted\n"
    assert shell("trust", "--list").out == f"{folder}\n"
    listed = shell("trust", "--list", "--format", "json")
    assert listed.json == {"schema": 1, "changed": False, "trusted": [folder]}
    assert shell("trust", "--remove").out == f"{folder} is no longer trusted\n"
    assert shell("trust", "--remove").out == f"{folder} is not trusted\n"
    assert state_of(shell.folder) == before


def test_a_damaged_list_trusts_nobody(shell: Shell) -> None:
    shell("trust")
    path = shell.state / "understudy" / "trust.json"
    path.write_text("{", encoding="utf-8")
    for command in (("trust", "--list"), ("check", str(DEMO_PATCH)), ("doctor",)):
        done = shell(*command)
        assert done.code == 4
        assert done.err.startswith(f"understudy: trust-unreadable: {path}: ")
    assert path.read_text(encoding="utf-8") == "{"


def test_doctor_where_everything_works(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("doctor")
    assert (done.code, done.err) == (0, "")
    assert "PROBLEM" not in done.out
    for server in ("basedpyright", "ruff"):
        assert any(
            line.startswith(f"ok      {server} ") and "answered about " in line
            for line in done.out.split("\n")
        )
    answer = shell("doctor", "--format", "json").json
    states = {finding["subject"]: finding["state"] for finding in answer["findings"]}
    assert states["basedpyright"] == states["ruff"] == "ok"
    assert set(states.values()) <= {"ok", "problem", "unused"}
    assert state_of(shell.folder) == before
    assert left_in_temporary(shell.state) == []
    assert ended_in(shell.folder)


def test_doctor_names_what_is_wrong(tmp_path: Path, state: Path) -> None:
    shell = Shell(make_folder(tmp_path / "work", {"a.txt": "fine\n"}), state)
    write_user_settings(state, toy_settings("exits_at_once"))
    done = shell("doctor")
    assert done.code == 1
    (problem,) = [line for line in done.out.split("\n") if line.startswith("PROBLEM")]
    assert problem.startswith("PROBLEM exits_at_once")
    assert "crashed" in problem
    assert "no licence" in problem
    assert "log: " not in problem, "the log is gone by now"


def test_doctor_names_a_missing_program(tmp_path: Path, state: Path) -> None:
    shell = Shell(make_folder(tmp_path / "work", {"a.txt": "fine\n"}), state)
    settings = toy_settings("well_behaved").replace('command = ["', 'command = ["/missing')
    write_user_settings(state, settings)
    done = shell("doctor")
    assert done.code == 1
    assert "PROBLEM well_behaved" in done.out
    assert "it is here" in done.out, "what to do is what the profile says"
    edits = tmp_path / "edits.json"
    edits.write_text('[{"kind": "write", "path": "a.txt", "text": "BAD"}]', encoding="utf-8")
    checked = shell("check", "--edits", edits)
    assert checked.code == 3
    assert "a.txt: not-installed: " in checked.out


def test_version(shell: Shell) -> None:
    assert shell("--version").out == f"understudy {__version__}\n"


def test_nobody_reads_the_output(shell: Shell) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.Popen(
        [*UNDERSTUDY, "check", str(DEMO_PATCH)],
        cwd=shell.folder,
        env=child_environment(shell.state),
        stdin=subprocess.DEVNULL,
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    _, err = process.communicate(timeout=SECONDS)
    assert err == b""
    assert process.returncode == 141
    assert left_in_temporary(shell.state) == []


def test_the_output_does_not_depend_on_the_locale(shell: Shell) -> None:
    (shell.folder / "umlaut.py").write_text("x: str = 'ä€😀'\n", encoding="utf-8")
    patch = "--- a/umlaut.py\n+++ b/umlaut.py\n@@ -1 +1 @@\n-x: str = 'ä€😀'\n+x: int = 'ä€😀'\n"
    command = [*UNDERSTUDY, "check", "-"]
    outputs = set[bytes]()
    for locale in ("C", "C.UTF-8"):
        environment = {**child_environment(shell.state), "LC_ALL": locale}
        environment |= {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        done = subprocess.run(
            command, cwd=shell.folder, env=environment, input=patch.encode(),
            capture_output=True, timeout=SECONDS, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (1, b"")
        outputs.add(done.stdout)
    (output,) = outputs
    assert "x: int = 'ä€😀'".encode() in output


@pytest.mark.parametrize("variable", ["relative", ""])
def test_a_state_folder_inside_the_root_is_refused(shell: Shell, variable: str) -> None:
    environment = child_environment(shell.state)
    environment["UNDERSTUDY_STATE_DIR"] = str(shell.folder / variable) if variable else "."
    done = subprocess.run(
        [*UNDERSTUDY, "branches", "list"], cwd=shell.folder, env=environment,
        capture_output=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith(b"understudy: state-inside-root: ")
