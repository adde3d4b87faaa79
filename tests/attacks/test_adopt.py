"""The work of a run is kept whatever happens meanwhile, and the user's own never taken back."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests.attacks.runs import WAIT, adopted, started, told, wake
from tests.e2e.command_line import Shell
from tests.e2e.folders import make_folder

TEXT = "".join(f"line {number}\n" for number in range(1, 10))
FILES = {"a.txt": TEXT, "b.txt": "b\n", "touched.txt": "t\n"}
EDIT = "sed -i 's/line 9/NINE/' a.txt; echo more >> b.txt; touch touched.txt; echo n > new.txt"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(make_folder(tmp_path / "project", FILES), tmp_path / "state")


def save(shell: Shell, path: str, text: str) -> None:
    """As an editor does: a new file takes the place of the old one."""
    beside = shell.folder / f"{path}~"
    beside.write_text(text)
    beside.replace(shell.folder / path)


def accepted(shell: Shell, branch: str) -> dict[str, str]:
    """The folder's files once a branch is accepted."""
    done = shell("branches", "accept", branch)
    assert done.code == 0, done.err
    return contents(shell)


def contents(shell: Shell) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(shell.folder.iterdir())}


WANTED = {
    "a.txt": TEXT.replace("line 9", "NINE").replace("line 1", "ONE"),
    "b.txt": "b\nmore\n",
    "new.txt": "n\n",
    "touched.txt": "the user's\n",
}


def test_a_save_of_a_file_that_the_command_changes_is_merged_in_branch_and_patch(shell: Shell):
    patch = shell.state / "out.patch"
    process = started(
        shell, "run", "--adopt", "--diff-out", patch, "--", "sh", "-c", f"{EDIT}; {WAIT}"
    )
    save(shell, "a.txt", TEXT.replace("line 1", "ONE"))
    save(shell, "touched.txt", "the user's\n")
    wake(process)
    lines = told(process)
    assert process.returncode == 0, lines
    assert not [line for line in lines if "touched.txt" in line and " M " in line], lines
    before = contents(shell)
    subprocess.run(["git", "apply", patch], cwd=shell.folder, check=True)
    assert contents(shell) == WANTED, lines
    for name, text in before.items():
        (shell.folder / name).write_text(text)
    (shell.folder / "new.txt").unlink()
    assert accepted(shell, adopted(lines)) == WANTED


def test_a_save_in_the_same_lines_keeps_both(shell: Shell):
    patch = shell.state / "out.patch"
    run = ("run", "--adopt", "--diff-out", patch, "--", "sh", "-c", f"{EDIT}; {WAIT}")
    process = started(shell, *run)
    mine = TEXT.replace("line 9", "my nine")
    save(shell, "a.txt", mine)
    wake(process)
    lines = told(process)
    assert process.returncode == 0, lines
    (kept,) = [re.sub(".*; kept as ", "", line) for line in lines if "not in it: a.txt" in line]
    assert Path(kept).read_text() == TEXT.replace("line 9", "NINE")
    assert "a.txt" not in patch.read_text()
    assert "b.txt" in patch.read_text()
    branch = adopted(lines)
    done = shell("branches", "accept", branch)
    assert done.code == 1
    assert "a.txt" in done.err
    assert contents(shell)["a.txt"] == mine
    assert "b.txt" in shell("branches", "diff", branch).out


def test_a_file_that_the_user_deletes_meanwhile_is_a_conflict_and_no_loss(shell: Shell):
    process = started(shell, "run", "--adopt", "--", "sh", "-c", f"{EDIT}; {WAIT}")
    (shell.folder / "b.txt").unlink()
    wake(process)
    lines = told(process)
    assert process.returncode == 0, lines
    done = shell("branches", "diff", adopted(lines))
    assert "conflict: b.txt" in done.err
    assert "NINE" in done.out


def test_a_text_whose_beginning_nobody_knows_is_kept_as_a_file(shell: Shell):
    """A file over the limit of what is pinned, as it is no text, is saved by both."""
    (shell.folder / "data.bin").write_bytes(b"\0old")
    script = f"printf '\\000new' > data.bin; {WAIT}"
    patch = shell.state / "out.patch"
    process = started(shell, "run", "--adopt", "--diff-out", patch, "--", "sh", "-c", script)
    (shell.folder / "data.bin").write_bytes(b"\0user's")
    wake(process)
    lines = told(process)
    assert process.returncode == 0, lines
    named = [line for line in lines if "data.bin" in line and "kept as " in line]
    assert len(named) == 2, lines
    assert {Path(re.sub(".*; kept as ", "", line)).read_bytes() for line in named} == {b"\0new"}
    assert (shell.folder / "data.bin").read_bytes() == b"\0user's"
    assert patch.read_bytes() == b""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_keeps_what_was_changed_until_then(shell: Shell, number: int):
    patch = shell.state / "out.patch"
    script = f"{EDIT}; echo up; exec sleep 1000"
    run = ("run", "--adopt", "--diff-out", patch, "--", "sh", "-c", script)
    process = started(shell, *run)
    process.send_signal(number)
    lines = told(process)
    assert process.returncode == 130, lines
    assert "NINE" in patch.read_text()
    branch = adopted(lines)
    wanted = {**WANTED, "a.txt": TEXT.replace("line 9", "NINE"), "touched.txt": "t\n"}
    assert accepted(shell, branch) == wanted


def test_an_interrupt_before_anything_was_changed_leaves_no_branch(shell: Shell):
    process = started(shell, "run", "--adopt", "--", "sh", "-c", "echo up; exec sleep 1000")
    process.send_signal(signal.SIGINT)
    assert not [line for line in told(process) if "adopted" in line]
    assert shell("branches", "list").out == "no branches\n"


def test_a_reader_that_goes_away_loses_nothing(shell: Shell):
    """As `understudy run --adopt … | head -1` does."""
    script = f"{EDIT}; echo up; while echo more; do :; done"
    process = started(shell, "run", "--adopt", "--", "sh", "-c", script)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    with process.stderr as stream:
        lines = stream.read().decode().splitlines()
    assert process.wait(timeout=90) == 141, lines
    assert accepted(shell, adopted(lines))["b.txt"] == "b\nmore\n"


def test_work_for_a_branch_that_goes_meanwhile_is_a_branch_of_its_own(shell: Shell):
    first = adopted(shell("run", "--adopt", "--", "sh", "-c", "echo x > x.txt").err.splitlines())
    process = started(
        shell, "run", "--branch", first, "--adopt", "--", "sh", "-c", f"{EDIT}; {WAIT}"
    )
    assert shell("branches", "discard", first).code == 0
    wake(process)
    lines = told(process)
    assert process.returncode == 0, lines
    second = adopted(lines)
    assert second != first
    assert accepted(shell, second)["b.txt"] == "b\nmore\n"


def test_a_patch_that_cannot_be_written_does_not_lose_the_adoption(shell: Shell):
    place = shell.state / "gone"
    place.mkdir(parents=True)
    run = ("run", "--adopt", "--diff-out", place / "x", "--", "sh", "-c", f"{EDIT}; {WAIT}")
    process = started(shell, *run)
    place.rmdir()
    wake(process)
    lines = told(process)
    assert process.returncode == 125
    (line,) = [line for line in lines if "cannot-write" in line]
    assert "NINE" in Path(line.rpartition("; it is kept as ")[2]).read_text()
    assert accepted(shell, adopted(lines))["b.txt"] == "b\nmore\n"
