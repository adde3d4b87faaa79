"""An accept that is killed: whatever starts next in that folder leaves it whole, with no stray."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.attacks.runs import adopted
from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import UNDERSTUDY, child_environment, make_folder
from tests.e2e.lsp_client import connect
from tests.support.faults.watch import SEES_HERE

pytestmark = pytest.mark.skipif(not SEES_HERE, reason="seccomp's notification, as on x86-64")
ROOT = Path(__file__).resolve().parents[2]
N_FILES = 200
OLD, MORE = "one\ntwo\nthree\n", "and more\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    files = {f"{index % 9}/f{index}.py": OLD for index in range(N_FILES)}
    return Shell(make_folder(tmp_path / "project", files), tmp_path / "state")


@pytest.fixture
def branch(shell: Shell) -> str:
    """A branch that changes every file."""
    script = f"for f in */*.py; do printf '{MORE}' >> $f; done"
    return adopted(shell("run", "--adopt", "--", "sh", "-c", script).err.splitlines())


def texts(shell: Shell) -> set[str]:
    return {path.read_text() for path in shell.folder.glob("*/f*.py")}


def strays(shell: Shell) -> list[Path]:
    return list(shell.folder.rglob("*.understudy"))


def kill_in_the_middle(shell: Shell, branch: str, *, placed: bool) -> None:
    """Kill an accept once some files are prepared, or one is in its place."""
    at = ("rename", "2") if placed else ("make", "50")
    killed = (sys.executable, "-m", "tests.attacks.killed_accept", shell.folder, *at)
    environ = child_environment(shell.state)
    accept = (*UNDERSTUDY, "branches", "accept", branch)
    subprocess.run([*killed, *accept], cwd=ROOT, env=environ, timeout=SECONDS, check=True)
    assert strays(shell)


STARTS = [
    (("branches", "list"), True),
    (("run", "--", "true"), False),
    (("check", "--edits", "nothing.json"), True),
    (("map",), True),
    (("terminals", "list"), False),
    (("doctor",), True),
]


@pytest.mark.parametrize(("start", "placed"), STARTS, ids=lambda value: str(value))
def test_whatever_starts_next_leaves_the_folder_whole(
    shell: Shell, branch: str, start: tuple[str, ...], placed: bool
):
    kill_in_the_middle(shell, branch, placed=placed)
    shell(*start)
    assert strays(shell) == []
    assert texts(shell) in ({OLD}, {OLD + MORE})
    listed = shell("branches", "list", "--archived").out
    assert ("accepted" in listed) == (texts(shell) == {OLD + MORE}), listed


async def test_an_editor_that_starts_next_is_told(shell: Shell, branch: str):
    kill_in_the_middle(shell, branch, placed=False)
    async with connect(shell.folder, shell.state) as editor:
        await editor.initialize()
        assert strays(shell) == []
        told = [
            m["params"] for m in editor.recorder.unasked() if m["method"] == "window/showMessage"
        ]
        assert len(told) == 1
        assert f"an accept of {branch} that was broken off" in told[0]["message"]
        await editor.shut_down()


def test_two_that_start_at_once_end_it_once(shell: Shell, branch: str):
    kill_in_the_middle(shell, branch, placed=True)
    both = [shell.start("branches", "list", "--archived") for _ in range(2)]
    said = [process.communicate(timeout=SECONDS) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert strays(shell) == []
    assert texts(shell) in ({OLD}, {OLD + MORE})
    assert sum(b"broken off" in err for _, err in said) == 1


def test_what_the_user_saves_before_the_next_start_is_never_written_over(shell: Shell, branch: str):
    kill_in_the_middle(shell, branch, placed=True)
    mine = shell.folder / "3" / "f3.py"
    mine.write_text(OLD + "mine\n")
    done = shell("branches", "list", "--archived")
    assert mine.read_text() == OLD + "mine\n"
    assert strays(shell) == []
    assert "broken off" in done.err
    assert "3/f3.py" in done.err
    assert texts(shell) == {OLD, OLD + "mine\n"}
    assert shell("branches", "accept", branch).code == 1
