"""`understudy rehearse` where the kernel refuses namespaces: it works in a fenced copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command_line import REFUSED, SECONDS, Shell
from tests.e2e.folders import (
    UNDERSTUDY,
    child_environment,
    make_folder,
    settings_text,
    toy_profile,
    write_user_settings,
)
from tests.e2e.rehearsals import Living, use_terminal
from tests.e2e.warm_hosts import Hosts
from tests.support.terminals import OnPty
from tests.support.workspace import state_of

pytestmark = pytest.mark.ring
FILES = {"a.txt": "fine\n", "b.txt": "one\ntwo\nthree\n", "folder/c.txt": "fine\n"}
TOY = {"toy": toy_profile("well_behaved")}


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Iterator[Shell]:
    write_user_settings(state, settings_text(TOY))
    yield Shell(make_folder(tmp_path / "work dir", FILES), state, before=REFUSED)
    left = list((state / "understudy").rglob("rehearsals/*"))
    assert left == [], "a rehearsal has left its folder"


def test_a_branch_follows_and_the_second_one_finds_the_copy(shell: Shell) -> None:
    before = state_of(shell.folder)
    living = Living(shell)
    copy = Path(living.do("pwd").rstrip("\n"))
    assert copy.name == "work dir"
    assert copy != shell.folder
    living.do("echo BAD > a.txt; mkdir new; echo fine > new/d.txt; rm folder/c.txt")
    living.until(lambda branch: branch["files"] == 3)
    found = living.until(lambda branch: branch["rehearsal"]["verdict"] == "findings")
    assert found["rehearsal"]["introduced"] == 1
    told = living.finish(3)
    assert f"it works in a copy of the folder, at {copy}: no overlay can be had" in told
    assert told.count("it works in a copy") == 1
    assert "other processes can be seen" in told
    assert "b1 holds 3 files" in told
    assert state_of(shell.folder) == before
    inode = (copy / "b.txt").stat().st_ino
    second = Living(shell, "--branch", "b1")
    assert second.do("pwd; cat a.txt new/d.txt b.txt; ls folder") == (
        f"{copy}\nBAD\nfine\none\ntwo\nthree\n"
    )
    assert (copy / "b.txt").stat().st_ino == inode
    second.finish()
    accepted = shell("branches", "accept", "b1")
    assert accepted.code == 0, accepted.err
    assert (shell.folder / "a.txt").read_text() == "BAD\n"


def test_what_it_wrote_before_a_kill_is_in_its_branch(shell: Shell, hosts: Hosts) -> None:
    living = Living(shell)
    living.do("echo 1 > one.txt")
    living.until(lambda branch: branch["files"] == 1)
    living.do("echo 2 > two.txt; sed -i s/two/TWO/ b.txt")
    assert hosts.only().pid != living.process.pid
    living.kill()
    found = living.until(lambda branch: branch["files"] == 3 and "rehearsal" not in branch)
    assert "+TWO\n" in living.diff(found["branch"])
    third = Living(shell, "--branch", found["branch"])
    assert third.do("cat two.txt b.txt") == "2\none\nTWO\nthree\n"
    third.finish()


def test_what_a_copy_cannot_do_is_refused(shell: Shell) -> None:
    for arguments, text in (
        (("--publish", "auto", "--", "true"), "cannot-reach: --publish"),
        (("--net", "a.example", "--", "true"), "cannot-reach: --net"),
        (("--", "no-such-program"), "command-not-found"),
    ):
        done = shell("rehearse", *arguments)
        assert (done.code in (125, 127), text in done.err) == (True, True), done.err
    ended = shell("rehearse", "--", "sh", "-c", "kill -KILL $$")
    assert ended.code == 128 + 9


def test_a_terminal_is_passed_through(shell: Shell) -> None:
    asked = (*REFUSED, *UNDERSTUDY, "rehearse", "--env", "PS1=$ ", "--", "bash", "--norc", "-i")
    on = OnPty(asked, shell.folder, child_environment(shell.state))
    use_terminal(on, on.wait_for(b"$ ", on.wait_for(b"there is no loopback either")))


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
