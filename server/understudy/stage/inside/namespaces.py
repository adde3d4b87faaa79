"""New namespaces for one stage: user (unless we may do without), mount, process, IPC, network."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from understudy.stage.inside import kernel
from understudy.stage.inside.steps import step


def is_privileged() -> bool:
    """Whether we may mount as we are (root in a container that allows it)."""
    return bool(kernel.effective_capabilities() >> kernel.CAP_SYS_ADMIN & 1)


def owns_trusted_attributes() -> bool:
    """Whether overlayfs may keep its marks in `trusted.*`: not in anybody's user namespace."""
    if not is_privileged():
        return False
    whole = Path("/proc/self/uid_map").read_text("ascii").split()
    return whole == ["0", "0", "4294967295"]


def enter(*, network: bool) -> None:
    """Move into the new namespaces; returns in their first process only (pid 1).

    The process that called waits for it and ends with it.
    """
    if is_privileged():
        with step("mount namespace"):
            kernel.unshare(kernel.NEWNS)
    else:
        _enter_user_namespace()
    with step("process namespace"):
        kernel.unshare(kernel.NEWPID | kernel.NEWIPC)
    if not network:
        with step("network namespace"):
            kernel.unshare(kernel.NEWNET)
    with step("first process"):
        child = os.fork()
    if child:
        _wait_for(child)
    kernel.die_with_parent(signal.SIGKILL)
    kernel.leave_session_keyring()


def _enter_user_namespace() -> None:
    """Map our own ids to themselves: inside, files have the owners that they have outside."""
    user, group = os.getuid(), os.getgid()
    with step("user namespace"):
        kernel.unshare(kernel.NEWUSER | kernel.NEWNS)
    with step("identity map"):
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _wait_for(child: int) -> None:
    kernel.die_with_parent(signal.SIGKILL)
    os.closerange(0, 1024)  # the stage's sockets end with its first process, not with us
    os.waitpid(child, 0)
    os._exit(0)


class OutsideSockets:
    """The sockets that processes outside listen on by path; make it before `enter`.

    Neither a read-only mount nor a network namespace keeps anybody from connecting to them.
    """

    def __init__(self) -> None:
        self._file: int | None = None
        with suppress(OSError):  # a kernel without them
            # It lists the sockets of the network namespace that it was opened in.
            self._file = os.open("/proc/self/net/unix", os.O_RDONLY | os.O_CLOEXEC)

    def paths(self) -> list[bytes]:
        """Where they are bound now, if they said it in full; closes the list."""
        if self._file is None:
            return []
        with os.fdopen(self._file, "rb") as file:
            lines = file.read().split(b"\n")[1:]
        found = {fields[7] for line in lines if len(fields := line.split(None, 7)) == 8}
        return sorted(path for path in found if path.startswith(b"/"))


def raise_loopback() -> None:
    """Give the new network its one interface."""
    with step("loopback"):
        kernel.raise_loopback()
