"""`understudy rehearse --agents`: one command in several branches at once, and what is told."""

from __future__ import annotations

import signal
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
from tests.e2e.rehearsals import Living
from tests.support.terminals import OnPty
from tests.support.workspace import state_of

ALIKE = """\
read line || echo "no input for it"
printf 'half a line'; echo " of errors" >&2
test "$(cat b.txt)" = "two" && echo "$$" > "agent-$$.txt"
printf ', at the end'
"""
STUBBORN = "trap '' INT; printf 'a\\033[2Jb\\n'; test -t 1 || echo up; sleep 1000; sleep 1000"


@pytest.fixture
def shell(tmp_path: Path, state: Path) -> Iterator[Shell]:
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    folder = make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "two\n"})
    yield Shell(folder, state)
    left = list((state / "understudy").rglob("rehearsals/*"))
    assert left == [], "a rehearsal has left its folder"


def test_the_same_command_in_several_branches(shell: Shell) -> None:
    before = state_of(shell.folder)
    done = shell("rehearse", "--agents", "3", "--name", "try", "--", "sh", "-c", ALIKE)
    assert done.code == 0, done.err
    names = ("b1", "b2", "b3")
    for number, name in enumerate(names, 1):
        assert f"understudy: {name}: try ({number} of 3)\n" in done.err
        own = [line for line in done.out.splitlines() if line.startswith(f"{name}| ")]
        assert own == [f"{name}| no input for it", f"{name}| half a line, at the end"]
        assert f"{name}|  of errors\n" in done.err
        assert f"{name} ({number} of 3) has ended with 0\n" in done.err
        assert f"{name} holds 1 file\n" in done.err
    assert len(done.out.splitlines()) == 6
    assert "`understudy rank --branches b1 b2 b3`" in done.err
    assert state_of(shell.folder) == before
    listed = shell("branches", "list", "--format", "json").json["branches"]
    assert [(one["title"], one["files"]) for one in listed] == [
        (f"try ({number} of 3)", 1) for number in (1, 2, 3)
    ]
    ranked = shell("rank", "--branches", *names)
    assert ranked.code == 0, ranked.err
    assert all(name in ranked.out for name in names)


def test_what_several_cannot_do(shell: Shell) -> None:
    for arguments, code, text in (
        (("--branch", "b1", "--", "true"), 125, "conflicting-options: b1"),
        (("--acp", "--", "true"), 125, "conflicting-options: --acp"),
        (("--", "claude", "--model", "x"), 125, "needs-terminal: claude"),
        (("--", "no-such-program"), 127, "command-not-found"),
    ):
        done = shell("rehearse", "--agents", "2", *arguments)
        assert (done.code, done.err.count(text)) == (code, 1), (arguments, done.err)
    assert len(shell("branches", "list").out.splitlines()) == 1, "the second was not begun"
    done = shell("rehearse", "--agents", "2", "--", "sh", "-c", "kill -KILL $$")
    assert done.code == 128 + 9
    assert done.err.count("has ended with 137\n") == 2


@pytest.mark.ring
def test_an_interrupt_ends_all(shell: Shell) -> None:
    command = [*UNDERSTUDY, "rehearse", "--agents", "2", "--", "sh", "-c", STUBBORN]
    on = OnPty(command, shell.folder, child_environment(shell.state))
    at = 0
    for _ in range(2):
        at = on.wait_for(b"| up\r\n", at)
    listed = shell("branches", "list", "--format", "json").json["branches"]
    assert [one["rehearsal"]["command"][0] for one in listed] == ["sh", "sh"]
    on.type("\x03")
    seen = on.finish()
    assert on.status == 128 + signal.SIGTERM
    assert seen.count(b"| a\\x1b[2Jb\r\n") == 2, "nobody steers the terminal that all share"
    assert seen.count(b"has ended with 143\r\n") == 2
    early = shell.start("rehearse", "--agents", "2", "--", "sleep", "1000")
    assert early.stderr is not None
    assert b": sleep 1000 (1 of 2)" in early.stderr.readline()
    early.send_signal(signal.SIGTERM)
    _, told = early.communicate(timeout=SECONDS)
    assert early.returncode == 128 + signal.SIGTERM
    assert told.count(b"has ended with 143\n") == 2, "also the one that had not begun"


@pytest.mark.ring
def test_collisions_and_a_disk_that_fills_are_told(shell: Shell) -> None:
    living = Living(shell, "--disk", "10")
    living.do("echo TWO > b.txt; head -c 9000000 /dev/urandom > big")
    living.until(lambda branch: branch["files"] == 1)
    (shell.folder / "b.txt").write_text("2\n")
    found = living.until(
        lambda one: bool(one["rehearsal"]["collisions"] and one["rehearsal"]["warnings"])
    )
    assert found["rehearsal"]["collisions"] == ["b.txt"]
    listed = shell("branches", "list").out
    assert "\n  collides: b.txt: you changed it too\n" in listed
    assert listed.count("of 10 MiB that it may write are written") == 1
    (shell.folder / "b.txt").write_text("two\n")
    living.until(lambda one: not one["rehearsal"]["collisions"])
    (shell.folder / "b.txt").write_text("2\n")
    told = living.finish()
    assert "collides: b.txt: you changed the same lines\n" in told
    assert told.count("of 10 MiB that it may write are written") == 1
    assert "b1 holds 1 file\n" in told
    refused = shell("branches", "accept", "b1")
    assert (refused.code, (shell.folder / "b.txt").read_text()) == (1, "2\n")
    fills = "head -c 12000000 /dev/urandom > big; sleep 1000"
    over = shell("rehearse", "--disk", "10", "--", "sh", "-c", fills)
    assert (over.code, "it has reached its limit of disk" in over.err) == (137, True)
