"""Which programs may accept: those that a person has started, and sits in front of."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import understudy as u
from tests.e2e.folders import toy_settings, write_user_settings

PROGRAM = """
import sys, understudy as u
with u.Workspace(sys.argv[1], trust=True) as ws:
    b = ws.branch()
    b.edit([{"kind": "write", "path": "a.txt", "text": "better\\n"}])
    try:
        print(b.accept().written)
    except u.Refused as error:
        print(error.code, b.diff() != "", error.text, sep=": ")
"""


def at_a_terminal(folder: Path, environ: Mapping[str, str] | None = None) -> str:
    """What the program prints to the person who sits in front of it."""
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(folder)],
            stdin=theirs, stdout=subprocess.PIPE, stderr=theirs, check=True, timeout=60,
            env={**os.environ, **(environ or {})},
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)
    return done.stdout.decode()


def without(folder: Path) -> str:
    """What the program prints that an agent runs."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        stdin=subprocess.DEVNULL, capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    return done.stdout.decode()


def test_a_person_at_a_terminal_may(folder: Path) -> None:
    assert at_a_terminal(folder) == "('a.txt',)\n"
    assert (folder / "a.txt").read_text() == "better\n"


def test_nobody_may_without_one_unless_the_user_says_so(folder: Path, state: Path) -> None:
    assert without(folder).startswith("accept-not-allowed: True: no person sits")
    assert (folder / "a.txt").read_text() == "fine\n"
    (folder / "understudy.toml").write_text("accept_unattended = true\n")
    with pytest.raises(u.BadInput) as refused:
        u.Workspace(folder, trust=True).status()
    assert refused.value.code == "bad-setting"
    (folder / "understudy.toml").unlink()
    write_user_settings(state, "accept_unattended = true\n" + toy_settings("well_behaved"))
    assert without(folder) == "('a.txt',)\n"


@pytest.mark.parametrize(
    ("environ", "why"),
    [
        ({"UNDERSTUDY_STARTED_BY": "host"}, "by way of Understudy"),
        ({"CLAUDE_PROJECT_DIR": "/somewhere"}, "CLAUDE_PROJECT_DIR is set"),
    ],
)
def test_what_an_agent_has_started_may_not(
    environ: Mapping[str, str], why: str, folder: Path, state: Path
) -> None:
    write_user_settings(state, "accept_unattended = true\n" + toy_settings("well_behaved"))
    assert why in at_a_terminal(folder, environ)
    assert (folder / "a.txt").read_text() == "fine\n"


def test_what_runs_on_a_stage_may_not(folder: Path, state: Path) -> None:
    write_user_settings(state, "accept_unattended = true\n" + toy_settings("well_behaved"))
    with u.Workspace(folder, trust=True) as ws:
        done = ws.run(["sh", "-c", "echo $UNDERSTUDY_STARTED_BY"])
    assert done.output.head == "stage\n"
    started = {"UNDERSTUDY_STARTED_BY": "stage"}
    assert "this process runs on a stage" in at_a_terminal(folder, started)


def test_children_of_ours_know_that_they_are(folder: Path, state: Path) -> None:
    """A tool server, or a language server, that uses the API is started by way of us."""
    toy = toy_settings("well_behaved")
    reads = (
        "import os, runpy, sys; open(sys.argv[1] + '/mark', 'w').write("
        "os.environ.get('UNDERSTUDY_STARTED_BY', '')); sys.argv = sys.argv[2:]; "
        "sys.path.insert(0, os.path.dirname(sys.argv[0])); runpy.run_path(sys.argv[0])"
    )
    before, _, after = toy.partition('"-S", ')
    script = after.partition("]")[0]
    write_user_settings(
        state,
        f'{before}"-c", "{reads}", "{state}", {script}]' + after.removeprefix(f"{script}]"),
    )
    with u.Workspace(folder) as ws:
        ws.check([{"kind": "write", "path": "a.txt", "text": "BAD\n"}])
    assert (state / "mark").read_text() == "host"
