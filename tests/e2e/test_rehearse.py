"""`understudy rehearse`: a command lives in a branch, which follows what it writes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import (
    UNDERSTUDY,
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.rehearsals import Living, use_terminal
from tests.e2e.warm_hosts import Hosts, wait_for_end
from tests.support.terminals import OnPty
from tests.support.workspace import state_of

FILES = {"a.txt": "fine\n", "b.txt": "one\ntwo\nthree\n", "folder/c.txt": "fine\n"}
TOY = {"toy": toy_profile("well_behaved")}


@pytest.fixture
def folder(tmp_path: Path, state: Path) -> Path:
    write_user_settings(state, settings_text(TOY))
    return make_folder(tmp_path / "work dir", FILES)


@pytest.fixture
def shell(folder: Path, state: Path) -> Iterator[Shell]:
    yield Shell(folder, state)
    left = list((state / "understudy").rglob("rehearsals/*"))
    assert left == [], "a rehearsal has left its folder"


def test_a_branch_follows_what_a_command_writes(shell: Shell) -> None:
    before = state_of(shell.folder)
    living = Living(shell, "--name", "an agent")
    assert living.do("pwd; cat b.txt").startswith(f"{shell.folder}\none\n")
    living.do("echo BAD > a.txt; mkdir new; echo fine > new/d.txt; rm folder/c.txt")
    found = living.until(lambda branch: branch["files"] == 3)
    assert found["title"] == "an agent"
    assert found["rehearsal"]["command"] == ["sh"]
    found = living.until(lambda branch: branch["rehearsal"]["verdict"] == "findings")
    assert found["rehearsal"]["introduced"] == 1
    listed = shell("branches", "list").out
    assert "sh is at work in it, findings (1 introduced)" in listed
    diff = living.diff()
    assert "-fine\n+BAD\n" in diff
    assert "deleted file mode" in diff
    living.do("echo fine > a.txt; cp b.txt binary; printf '\\0' >> binary; ln -s /etc link")
    living.until(lambda branch: branch["files"] == 2 and len(branch["rehearsal"]["leftOut"]) == 2)
    living.until(lambda branch: branch["rehearsal"]["verdict"] == "clean")
    told = living.finish(3)
    assert "b1 holds 2 files" in told
    assert "binary: the file is binary" in told
    assert "link: a symbolic link" in told
    assert state_of(shell.folder) == before
    assert living.branch().get("rehearsal") is None
    accepted = shell("branches", "accept", "b1")
    assert accepted.out == "wrote new/d.txt\ndeleted folder/c.txt\n"
    assert (shell.folder / "new/d.txt").read_text() == "fine\n"


@pytest.mark.ring
def test_a_kept_branch_goes_on(shell: Shell) -> None:
    first = Living(shell)
    first.do("sed -i s/two/TWO/ b.txt")
    first.finish()
    second = Living(shell, "--branch", "b1")
    assert second.do("cat b.txt") == "one\nTWO\nthree\n"
    refused = shell("rehearse", "--branch", "b1", "--", "true")
    assert (refused.code, "branch-in-use" in refused.err) == (125, True)
    second.do("sed -i s/TWO/two/ b.txt; sed -i s/three/3/ b.txt")
    second.finish()
    diff = second.diff("b1")
    assert "-three\n+3\n" in diff
    assert "TWO" not in diff


@pytest.mark.ring
def test_what_cannot_be_rehearsed(shell: Shell) -> None:
    for arguments, code, text in (
        ((), 125, "no-command"),
        (("--", "no-such-program"), 127, "command-not-found"),
        (("--", "./b.txt"), 126, "command-not-executable"),
        (("--branch", "b99", "--", "true"), 125, "unknown-branch"),
        (("--branch", "b1", "--name", "x", "--", "true"), 125, "conflicting-options"),
        (("--cwd", "none", "--", "true"), 125, "no-such-folder"),
        (("--cwd", "..", "--", "true"), 125, "outside-root"),
    ):
        done = shell("rehearse", *arguments)
        assert (done.code, text in done.err) == (code, True), (arguments, done.err)
    ended = shell("rehearse", "--", "sh", "-c", "kill -KILL $$")
    assert ended.code == 128 + 9


def test_neither_needs_the_other(shell: Shell, hosts: Hosts) -> None:
    living = Living(shell)
    living.do("echo 1 > one.txt")
    living.until(lambda branch: branch["files"] == 1)
    host = hosts.only()
    assert host.pid != living.process.pid
    host.kill()
    wait_for_end(host)
    living.do("echo 2 > two.txt")
    living.until(lambda branch: branch["files"] == 2)
    living.do("echo 3 > three.txt; echo 22 > two.txt")
    living.kill()
    found = living.until(lambda branch: branch["files"] == 3 and "rehearsal" not in branch)
    assert "+22\n" in living.diff()
    third = Living(shell, "--branch", found["branch"])
    assert third.do("cat three.txt two.txt") == "3\n22\n"
    third.finish()


def test_what_both_have_left_is_ended_by_the_next_command(shell: Shell, hosts: Hosts) -> None:
    living = Living(shell)
    living.do("echo 1 > one.txt")
    living.until(lambda branch: branch["files"] == 1)
    host = hosts.only()
    host.suspend()  # it notices nothing, and ends with the other
    living.do("echo 2 > two.txt")
    living.kill()
    host.kill()
    wait_for_end(host)
    living.branch()  # it sees to that while it lists, and before it ends
    found = living.branch()
    assert (found["files"], "rehearsal" in found) == (2, False)


def test_a_terminal_is_passed_through(shell: Shell) -> None:
    command = [*UNDERSTUDY, "rehearse", "--env", "PS1=$ ", "--", "bash", "--norc", "-i"]
    on = OnPty(command, shell.folder, child_environment(shell.state))
    use_terminal(on, on.wait_for(b"$ "))


def test_its_end_comes_with_its_terminal(shell: Shell) -> None:
    command = [*UNDERSTUDY, "rehearse", "--", "sh", "-c", "trap '' HUP; echo up; cat; sleep 1000"]
    on = OnPty(command, shell.folder, child_environment(shell.state))
    on.wait_for(b"up")
    on.hang_up()


def test_a_signal_ends_it(shell: Shell) -> None:
    living = Living(shell)
    living.do("trap '' INT; echo x > x.txt")
    living.process.send_signal(2)
    living.do("echo y > y.txt")
    living.process.terminate()
    living.process.wait(SECONDS)
    _, told = living.process.communicate(timeout=SECONDS)
    assert living.process.returncode == 128 + 15
    assert b"b1 holds 2 files" in told
