"""A host that is killed while a command runs: what the command has changed is not lost."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from tests.attacks.runs import WAIT, started
from tests.attacks.test_adopt import EDIT, FILES, TEXT, accepted, contents, save
from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import make_folder


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    files = {**FILES, "gone.txt": "g\n"}
    return Shell(make_folder(tmp_path / "project", files), tmp_path / "state")


def killed(shell: Shell, *arguments: str | Path, script: str = f"{EDIT}; rm gone.txt") -> None:
    """A run that is killed once its command has changed what it should."""
    process = started(shell, "run", *arguments, "--", "sh", "-c", f"{script}; {WAIT}")
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=SECONDS)


def branches(shell: Shell) -> list[str]:
    done = shell("branches", "list", "--format", "json")
    assert done.code == 0, done.err
    return [each["branch"] for each in json.loads(done.out)["branches"]]


def left_of(shell: Shell) -> list[Path]:
    return list(shell.state.rglob("stages/stage-*"))


def test_what_it_changed_is_in_its_branch_at_the_next_start(shell: Shell):
    killed(shell, "--adopt")
    assert contents(shell) == {**FILES, "gone.txt": "g\n"}
    assert len(left_of(shell)) == 1
    told = shell("branches", "list")
    (line,) = [line for line in told.err.splitlines() if "broken off" in line]
    assert "adopted by branch" in line
    assert left_of(shell) == []
    (branch,) = branches(shell)
    assert accepted(shell, branch) == {
        "a.txt": TEXT.replace("line 9", "NINE"),
        "b.txt": "b\nmore\n",
        "new.txt": "n\n",
        "touched.txt": "t\n",
    }


def test_it_is_found_by_whatever_starts_next_and_once(shell: Shell):
    killed(shell, "--adopt")
    assert shell("run", "--", "true").code == 0
    assert left_of(shell) == []
    (branch,) = branches(shell)
    assert "NINE" in shell("branches", "diff", branch).out
    assert branches(shell) == [branch]


def test_the_users_own_save_stays_and_the_commands_text_is_kept_as_a_file(shell: Shell):
    killed(shell, "--adopt")
    mine = TEXT.replace("line 9", "my nine")
    save(shell, "a.txt", mine)
    told = shell("branches", "list").err
    (kept,) = [line for line in told.splitlines() if "not adopted: a.txt" in line]
    assert Path(kept.partition("; kept as ")[2]).read_text() == TEXT.replace("line 9", "NINE")
    (branch,) = branches(shell)
    assert accepted(shell, branch)["a.txt"] == mine
    assert contents(shell)["b.txt"] == "b\nmore\n"


def test_edits_of_the_branch_itself_are_told_apart_and_stay(shell: Shell):
    patch = shell.folder.parent / "fix.patch"
    patch.write_text("--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-b\n+the branch's\n")
    killed(shell, "--adopt", patch, script="echo n > new.txt; rm gone.txt")
    (branch,) = branches(shell)
    shown = shell("branches", "diff", branch).out
    assert "+the branch's" in shown
    after = accepted(shell, branch)
    assert (after["b.txt"], after["new.txt"]) == ("the branch's\n", "n\n")
    assert "gone.txt" not in after


def test_a_branch_that_is_put_away_has_a_new_one_for_what_the_run_changed(shell: Shell):
    killed(shell, "--adopt", script="echo n > new.txt")
    (folder,) = left_of(shell)
    hidden = folder.with_name("elsewhere")
    folder.rename(hidden)
    (branch,) = branches(shell)
    assert shell("branches", "discard", branch).code == 0
    hidden.rename(folder)
    (other,) = branches(shell)
    assert other != branch
    assert accepted(shell, other)["new.txt"] == "n\n"


def test_what_cannot_be_read_is_named_and_stays(shell: Shell):
    killed(shell, "--adopt")
    (folder,) = left_of(shell)
    record = folder / "left.json"
    record.write_text(record.read_text().replace('"schema": 1', '"schema": 99'))
    for _ in range(2):
        told = shell("branches", "list")
        assert told.code == 0
        assert str(record) in told.err
        assert "another version" in told.err
    assert left_of(shell) == [folder]


def test_a_run_that_adopts_nothing_leaves_nothing(shell: Shell):
    killed(shell)
    assert shell("run", "--", "true").code == 0
    assert left_of(shell) == []
    assert branches(shell) == []


def test_a_run_that_ends_leaves_nothing(shell: Shell):
    done = shell("run", "--adopt", "--", "sh", "-c", EDIT)
    assert done.code == 0, done.err
    assert left_of(shell) == []
