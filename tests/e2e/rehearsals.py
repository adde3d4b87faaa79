"""A rehearsal as its user starts one: a shell lives in a branch, and is told what to do there."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Any

from tests.e2e.command_line import SECONDS, Shell
from tests.e2e.folders import UNDERSTUDY, child_environment
from tests.support.terminals import OnPty

Json = dict[str, Any]


class Living:
    """`understudy rehearse -- sh`, which does what it reads."""

    def __init__(self, shell: Shell, *options: str, command: tuple[str, ...] = ("sh",)) -> None:
        self.shell = shell
        self.process = subprocess.Popen(
            [*shell.before, *UNDERSTUDY, "rehearse", *options, "--", *command],
            cwd=shell.folder,
            env={**child_environment(shell.state), **shell.environ},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def do(self, line: str) -> str:
        """Have it do a line, and wait until it has; what it printed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{line}\necho done-with-it\n".encode())
        self.process.stdin.flush()
        said = b""
        while not said.endswith(b"done-with-it\n"):
            more = self.process.stdout.readline()
            assert more, (said, self.process.stderr and self.process.stderr.read())
            said += more
        return said.decode().removesuffix("done-with-it\n")

    def branch(self, number: int = -1) -> Json:
        """The newest branch, as it is listed."""
        listed = self.shell("branches", "list", "--format", "json")
        assert listed.code == 0, listed.err
        return listed.json["branches"][number]

    def diff(self, branch: str | None = None) -> str:
        """What the branch has."""
        done = self.shell("branches", "diff", branch or self.branch()["branch"])
        assert done.code == 0, done.err
        return done.out

    def until(self, is_so: Callable[[Json], bool]) -> Json:
        """The newest branch, once it is so."""
        end = time.monotonic() + SECONDS
        while not is_so(found := self.branch()):
            assert time.monotonic() < end, found
        return found

    def finish(self, status: int = 0) -> str:
        """End the shell; what the rehearsal told its user."""
        _, told = self.process.communicate(f"exit {status}\n".encode(), SECONDS)
        assert self.process.returncode == status, told
        return told.decode()

    def kill(self) -> None:
        """End our own process without a word."""
        self.process.kill()
        self.process.communicate(timeout=SECONDS)


def use_terminal(on: OnPty, at: int) -> None:
    """Have a shell in a branch, whose prompt ends at `at`, resize, stop, go on and end."""
    on.type("stty size; tty\n")
    at = on.wait_for(b"/dev/pts/", on.wait_for(b"30 120", at))
    on.resize(77, 22)
    on.type("until test \"$(stty size)\" = '22 77'; do :; done; echo re''sized\n")
    at = on.wait_for(b"resized", at)
    on.type("echo re''ady; cat\n")  # the line editor has let go of the terminal by then
    at = on.wait_for(b"ready\r\n", at)
    on.type("seen\n")
    at = on.wait_for(b"seen\r\nseen\r\n", at)
    on.type("\x1a")
    at = on.wait_for(b"Stopped", at)
    at = on.wait_for(b"$ ", at)
    on.type("fg\n")
    at = on.wait_for(b"cat\r\n", on.wait_for(b"\x1b[?2004l", on.wait_for(b"fg\r\n", at)))
    on.type("again\n")
    at = on.wait_for(b"again\r\nagain\r\n", at)
    on.type("\x03")
    at = on.wait_for(b"$ ", at)
    on.type("echo $?; echo fine > from-terminal.txt; exit 7\n")
    on.wait_for(b"130\r\n", at)
    seen = on.finish()
    assert on.status == 7
    assert b"b1 holds 1 file\r\n" in seen
