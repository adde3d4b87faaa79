"""A cgroup with little memory around a host: what a small container is to it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil

from tests.e2e.command_line import SECONDS
from understudy.stage.cgroup import ControlGroup, make

_HOLD = "import sys; held = b'x' * int(sys.argv[1]); print('held', flush=True); sys.stdin.read()"


@contextmanager
def small_group(limit: int) -> Iterator[Path]:
    """A cgroup of at most `limit` bytes; who is still in it at the end goes back."""
    group, why = make(limit)
    assert isinstance(group, ControlGroup), why
    try:
        yield group.folder
    finally:
        for pid in _members(group.folder):
            _put(pid, group.folder.parent)
        group.close()


def move(process: psutil.Process, group: Path) -> None:
    """Put a process and all that it has started into the cgroup."""
    for one in (process, *process.children(recursive=True)):
        _put(one.pid, group)


@contextmanager
def held_in(group: Path, n_bytes: int) -> Iterator[None]:
    """A program in the cgroup that holds so many bytes while the body runs."""
    command = [
        "/bin/sh", "-c", 'echo $$ > "$0" && exec "$@"', str(group / "cgroup.procs"),
        sys.executable, "-c", _HOLD, str(n_bytes),
    ]  # fmt: skip
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        assert program.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            program.stdin.close()
            program.wait(SECONDS)


def _put(pid: int, group: Path) -> None:
    with suppress(ProcessLookupError):  # it has ended since it was listed
        (group / "cgroup.procs").write_text(str(pid))


def _members(group: Path) -> list[int]:
    return [int(pid) for pid in (group / "cgroup.procs").read_text().split()]
