"""Runs one command behind a fence, watches its whole process tree, and says how it ended.

    python -I -S fence.py CONFIG REPORT -- COMMAND...

CONFIG is JSON: `writable` and `readable` folders, `network`, and the limits `memory` and `disk`
(bytes), `processes` and `cpu` (seconds), each a number or null; `written` is what the writable
folders had before, and `cgroup` a version and a folder, or null. With `controls` the command has
a session of its own, and stdin is its terminal. `started` is a descriptor (or null) that hears
`+` and the command's process id once it runs, or an errno; from then on the real-time signal
SIGRTMIN + N is handed on to the command's group as signal N + 1. REPORT is a file that says at
the end `{"status", "reached", "errno", "is_as_told"}`; `errno` is of a command that could not be
executed. It adopts what the command leaves behind (a child subreaper), so that nothing outlives
the command. Standard library alone, as every helper process of a stage.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import sys
import termios
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn, cast

if TYPE_CHECKING:
    from understudy.stage.inside.census import Census
    from understudy.stage.inside.group import OpenControlGroup

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER, _PR_CAPBSET_DROP = 1, 36, 24
_CAPSET_VERSION = 0x20080522
_LAST_CAPABILITY = 63
_LOOK_OFTEN_S, _FEW = 0.01, 500
_NOT_FOUND, _OWN_FAILURE = 127, 125
_OF_US = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_OF_KEYS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)


def main(config: dict[str, Any], report: str, command: list[str]) -> int:
    """Start the command, wait for its end or for a limit, end what is left of it."""
    libc = ctypes.CDLL(None, use_errno=True)
    parent = os.getppid()
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != parent:
        return _OWN_FAILURE  # whoever wanted the answer is gone already
    for number in _OF_US:
        signal.signal(number, _end_all)
    # A signal ends the wait below at once, also one that comes just before it: Python runs a
    # handler between two steps of its own, and would begin to wait first.
    wakeup, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, _wake)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (*_OF_US, signal.SIGCHLD))  # as it may be inherited
    if config["processes"] is not None:
        from understudy.stage.inside.counted_tasks import counted_tasks  # noqa: PLC0415 - `__main__` says from where

        config["nproc"] = counted_tasks() + config["processes"]
        _come_first()
    group = _group(config["cgroup"])
    started: int | None = config.get("started")
    if started is not None:
        os.set_inheritable(started, False)
    reader, writer = os.pipe()  # closed by execve: whatever arrives is why there was none
    fence, pid = os.getpid(), os.fork()
    if pid == 0:
        _become(libc, config, command, writer, group, fence)
    os.close(writer)
    failure = os.read(reader, 16)
    if started is not None:
        _hand_signals_on(pid)
        os.write(started, failure or b"+%d" % pid)
        os.close(started)
    status, reached = _wait(pid, config, group, wakeup)
    _kill_tree(pid)
    with open(report, "w", encoding="ascii") as stream:
        errno = int(failure) if failure else None
        said = {"status": status, "reached": reached, "errno": errno}
        is_held = group is not None or config["cgroup"] is None
        json.dump(said | {"is_as_told": is_held}, stream)
    return status if status >= 0 else 128 - status


def _hand_signals_on(pid: int) -> None:
    """As we alone know when its process id is another's: nobody else could signal it safely."""

    def hand_on(number: int, _frame: object) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, number - signal.SIGRTMIN + 1)

    for number in range(signal.SIGRTMIN, signal.SIGRTMAX + 1):
        signal.signal(number, hand_on)


def _wait(
    pid: int, config: dict[str, Any], group: OpenControlGroup | None, wakeup: int
) -> tuple[int, tuple[str, int, int] | None]:
    """The command's status (negative: a signal), and the limit that ended it, with figures."""
    census = _census(config, group)
    # No resource limit counts root's processes, so that we have to; a fork bomb makes several
    # hundred of them between two looks.
    few = config["processes"] is not None and config["processes"] < _FEW
    pause = min(census.pause, _LOOK_OFTEN_S) if few else census.pause
    while True:
        select.select([wakeup], [], [], pause if census.has_limits else None)
        with contextlib.suppress(BlockingIOError):
            os.read(wakeup, 4096)
        status = _reap(pid)
        if status is not None:
            return status, census.held_back()
        reached = census.exceeded()
        if reached is not None:
            _kill_tree(pid)
            return -signal.SIGKILL, reached


def _group(cgroup: list[Any] | None) -> OpenControlGroup | None:
    """The stage's cgroup, open."""
    from understudy.stage.inside.group import OpenControlGroup  # noqa: PLC0415 - `__main__` says from where

    if cgroup is None:
        return None
    version, folder = cgroup
    entrance = os.open(folder + "/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
    group = OpenControlGroup(version, entrance, os.open(folder, os.O_RDONLY | os.O_CLOEXEC))
    return group if group.can_be_entered() else None


def _census(config: dict[str, Any], group: OpenControlGroup | None) -> Census:
    from understudy.stage.inside.census import Census  # noqa: PLC0415 - as above
    from understudy.stage.inside.disk_use import written  # noqa: PLC0415 - as above
    from understudy.stage.inside.memory_use import MemoryUse  # noqa: PLC0415 - as above

    before: int = config["written"]
    folders = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in config["writable"]]
    return Census(
        config,
        group,
        pids=_descendants,
        memory=lambda: MemoryUse(None, own_ipc=False),
        disk=lambda most: sum(written(one, most + before) for one in folders) - before,
    )


def _reap(pid: int) -> int | None:
    """Reap all that has ended; the status of `pid` if it was among them."""
    found = None
    with contextlib.suppress(ChildProcessError):
        while True:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == 0:
                break
            if ended == pid:
                found = os.waitstatus_to_exitcode(status)
    return found


def _descendants() -> list[int]:
    found: list[int] = []
    waiting = [os.getpid()]
    while waiting:
        pid = waiting.pop()
        children: list[int] = []
        with contextlib.suppress(OSError):  # it ended while we looked
            for thread in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{thread}/children", "rb") as stream:
                    children += map(int, stream.read().split())
        found += children
        waiting += children
    return found


def _kill_tree(group: int | None = None) -> None:
    """Kill until nobody is left: who forks meanwhile is found at the next look.

    A whole group at once where we know one: its members cannot fork their way out of that.
    """
    while members := _descendants():
        for pid in members:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        if group is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.001)


def _come_first() -> None:
    """Run before what we watch, where we may: among thousands of forks our turn would not come."""
    with contextlib.suppress(OSError, AttributeError):  # not allowed, or another system
        policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(1))


def _wake(_number: int, _frame: object) -> None:
    """Nothing: a signal without a handler would not be waited for."""


def _end_all(number: int, _frame: object) -> NoReturn:
    _kill_tree()
    os._exit(128 + number)


def _become(
    libc: ctypes.CDLL,
    config: dict[str, Any],
    command: list[str],
    failure: int,
    group: OpenControlGroup | None,
    fence: int,
) -> NoReturn:
    """In the child: the fence, the limits, then the command itself."""
    try:
        from understudy.stage.inside.confine import be_the_first_to_go  # noqa: PLC0415 - as above

        be_the_first_to_go()
        if group is not None:
            group.enter()
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != fence:
            os._exit(_OWN_FAILURE)  # whoever would end the command is gone already
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE, *_OF_KEYS):
            signal.signal(number, signal.SIG_DFL)
        if config.get("controls"):
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        else:
            os.setpgid(0, 0)
        if config["processes"] is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (config["nproc"],) * 2)
        if config["disk"] is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (config["disk"],) * 2)
        if config["cpu"] is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (config["cpu"],) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _fence(libc, config)
    except OSError as error:
        os.write(2, f"understudy: the fence cannot be put up: {error}\n".encode())
        os._exit(_OWN_FAILURE)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(failure, str(error.errno).encode())
        os._exit(_NOT_FOUND)


def _fence(libc: ctypes.CDLL, config: dict[str, Any]) -> None:
    from understudy.stage.copy import landlock, seccomp  # noqa: PLC0415 - `__main__` says from where

    landlock.restrict(config["writable"], config["readable"], network=config["network"])
    drop_capabilities(libc)
    if seccomp.unavailable() is None:
        families = {socket.AF_NETLINK}
        if config["network"]:
            families |= {socket.AF_INET, socket.AF_INET6}
        # System V objects are the user's own here. Before version 3, Landlock does not know
        # truncate(2).
        truncate = () if landlock.abi() >= 3 else ("truncate",)
        seccomp.install(families, also=(*seccomp.SYSTEM_V, *truncate))


def drop_capabilities(libc: ctypes.CDLL) -> None:
    """Give up all capabilities for good; root is then a user like any other."""
    for capability in range(_LAST_CAPABILITY + 1):
        libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)  # EPERM without any, EINVAL beyond all
    header = ctypes.create_string_buffer(_CAPSET_VERSION.to_bytes(4, sys.byteorder) + bytes(4), 8)
    capset = cast("Callable[..., int]", libc.capset)
    if capset(header, ctypes.create_string_buffer(24)) < 0:
        raise OSError(ctypes.get_errno(), "capabilities cannot be dropped")


if __name__ == "__main__":
    # `-I` knows no packages: ours lies four folders up. No stray bytecode is written into it.
    sys.path.insert(0, __file__.rsplit(os.sep, 4)[0])
    sys.dont_write_bytecode = True
    split = sys.argv.index("--")
    sys.exit(main(json.loads(sys.argv[1]), sys.argv[2], sys.argv[split + 1 :]))
