"""The last steps of a command's process before it becomes the command: everything is given up."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import termios
from contextlib import suppress
from typing import Any, NoReturn

from understudy.stage.copy import landlock, seccomp
from understudy.stage.inside import kernel
from understudy.stage.inside.group import OpenControlGroup
from understudy.stage.inside.packets import encode
from understudy.stage.inside.steps import step

_KEPT_BY_ROOT = (0, 1, 3, 4, 5, 6, 7, 10)
"""CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE.

What root needs to build a folder whose files have several owners. None of them mounts, traces,
makes devices or namespaces, opens by handle, or reaches beyond what the stage shows.
"""

_FAMILIES = (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK)
"""What a network namespace separates: not so the sockets of virtual machines, of Bluetooth, …"""

_OF_KEYS = (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP)


def become(
    request: dict[str, Any],
    streams: tuple[int, int, int],
    umask: int,
    group: OpenControlGroup | None,
    niceness: int,
) -> NoReturn:
    """Confine this single-threaded process and execute the command; raises StepFailed."""
    if group is not None:
        with step("memory limit"):
            group.enter()
    with step("confine"):
        os.setsid()
        be_the_first_to_go()
        for number, stream in enumerate(streams):
            os.dup2(stream, number, inheritable=True)
        kernel.close_on_exec_from(3)
        if request["controls"]:
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        os.umask(umask)
        _limit(request)
        privileged = os.getuid() == 0 and request["privileged"]
        os.setpriority(os.PRIO_PROCESS, 0, niceness)
        kernel.keep_capabilities(sum(1 << number for number in _KEPT_BY_ROOT) if privileged else 0)
    with step("folder"):
        os.chdir(encode(request["cwd"]))
    with step("filter"):
        # Python's own, and what whoever runs us in the background has had ignored.
        for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ, *_OF_KEYS):
            signal.signal(number, signal.SIG_DFL)
        if landlock.abi() >= 1:
            # A read-only mount does not keep anybody from writing into a named pipe outside.
            places = map(os.fsdecode, request["writable"])
            landlock.restrict(places, network=True, alone=False)
        if seccomp.unavailable() is None:
            seccomp.install(_FAMILIES)
    argv = [encode(part) for part in request["argv"]]
    env = {encode(name): encode(value) for name, value in request["env"].items()}
    with step("execute"):
        _execute(argv, env)


def be_the_first_to_go() -> None:
    """When the machine itself runs out of memory, no program of the user's ends for ours."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "wb") as file:  # read-only for root
        file.write(b"1000")


def _limit(request: dict[str, Any]) -> None:
    _lower(resource.RLIMIT_CORE, 0)
    if request["cpu"] is not None:
        _lower(resource.RLIMIT_CPU, request["cpu"], margin=1)
    if request["memory"] is not None:
        # Not the address space: Node, Java and Go reserve far more of it than they use.
        _lower(resource.RLIMIT_DATA, request["memory"])
    if request["processes"] is not None:
        _lower(resource.RLIMIT_NPROC, request["processes"])


def _lower(kind: int, soft: int, margin: int = 0) -> None:
    """Set a limit; a hard limit that is lower already stays. `margin` is kept below the hard."""
    _, hard = resource.getrlimit(kind)
    wanted = soft + margin
    new_hard = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (min(soft, new_hard), new_hard))


def _execute(argv: list[bytes], env: dict[bytes, bytes]) -> NoReturn:
    """Like execvp: found on the command's own PATH, and a script without `#!` is the shell's."""
    name = argv[0]
    folders = [b""] if b"/" in name else env.get(b"PATH", b"/usr/bin:/bin").split(b":")
    refused: OSError | None = None
    for folder in folders:
        program = os.path.join(folder, name)
        try:
            os.execve(program, argv, env)
        except OSError as error:
            if error.errno == errno.ENOEXEC:
                os.execve(b"/bin/sh", [b"sh", program, *argv[1:]], env)
            # A folder on PATH that may not be entered is none; a program that may not run is one.
            if error.errno not in (errno.ENOENT, errno.ENOTDIR) and os.path.exists(program):
                refused = error
    raise refused or OSError(errno.ENOENT, os.strerror(errno.ENOENT), name)
