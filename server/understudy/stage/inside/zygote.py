"""A warm, single-threaded process that forks the stages: opening one costs no start-up.

It always keeps one *spare*: a process that is in its namespaces already, has mounted what the last
plan had besides its folder, and waits for a plan.
Started as `python -I -S -c …` with its channel as stdin; it ends when that closes, and with it all
its stages.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
from contextlib import suppress
from typing import Any, NoReturn

from understudy.stage.inside import namespaces, packets
from understudy.stage.inside.ahead import machine_state, split
from understudy.stage.inside.first_process import FirstProcess
from understudy.stage.inside.group import OpenControlGroup
from understudy.stage.inside.steps import StepFailed
from understudy.stage.inside.view import View


def main() -> None:
    """Serve until the channel closes."""
    channel = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1):
        os.dup2(nothing, number)
    os.close(nothing)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.disable()
    gc.freeze()  # pages that nobody writes to are shared by all stages
    mounts = _MountTable()
    spare = _Waiting(channel, is_spare=True)
    packets.send(channel, {"reply": 0})
    while (packet := packets.receive(channel)) is not None:
        plan, descriptors = packet
        ahead, _ = split(plan)
        network = plan["network"] == "host"
        is_current = not network and not mounts.have_changed() and spare.fits(ahead)
        if not (is_current and spare.take(plan, descriptors)):
            other = _Waiting(channel, network=network)
            other.take(plan, descriptors)
            other.close()
        for descriptor in descriptors:
            os.close(descriptor)
        if not network:
            spare.close()
            spare = _Waiting(channel, is_spare=True, ahead=ahead)


class _Waiting:
    """A process that waits for a plan; `ahead` is what it mounts meanwhile."""

    def __init__(
        self,
        channel: socket.socket,
        *,
        network: bool = False,
        is_spare: bool = False,
        ahead: dict[str, Any] | None = None,
    ) -> None:
        self._ahead = ahead
        self._state = [] if ahead is None else machine_state(ahead)
        self._socket = _fork(channel, network=network, is_spare=is_spare, ahead=ahead)

    def fits(self, ahead: dict[str, Any]) -> bool:
        """Whether a plan with this part would find what it needs, as the machine is now."""
        if self._ahead is None:
            return True
        return ahead == self._ahead and machine_state(ahead) == self._state

    def take(self, plan: dict[str, Any], descriptors: list[int]) -> bool:
        """Give it a plan; False if it is gone."""
        try:
            packets.send(self._socket, plan, descriptors)
        except OSError:
            return False
        return True

    def close(self) -> None:
        """Leave it alone; it ends, unless it has a plan."""
        self._socket.close()


class _MountTable:
    """Tells whether the machine's mounts have changed: a spare may have been made before."""

    def __init__(self) -> None:
        self._file = os.open("/proc/self/mountinfo", os.O_RDONLY | os.O_CLOEXEC)
        self._poll = select.poll()
        self._poll.register(self._file, select.POLLPRI)
        self.have_changed()

    def have_changed(self) -> bool:
        """Whether they have since the last call."""
        return bool(self._poll.poll(0))


def _fork(
    channel: socket.socket, *, network: bool, is_spare: bool, ahead: dict[str, Any] | None
) -> socket.socket:
    """Start a process that waits for a plan and becomes a stage; our end of its socket."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            channel.close()
            ours.close()
            _stage(theirs, network=network, is_spare=is_spare, ahead=ahead)
        finally:
            sys.stderr.flush()
            os._exit(1)
    theirs.close()
    return ours


def _stage(
    orders: socket.socket, *, network: bool, is_spare: bool, ahead: dict[str, Any] | None
) -> None:
    """Enter the namespaces, wait for a plan, become its stage; or say what failed."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    umask = os.umask(0o022)
    view = View(namespaces.is_privileged(), namespaces.owns_trusted_attributes())
    failed: StepFailed | None = None
    sockets = namespaces.OutsideSockets()
    try:
        namespaces.enter(network=network)
        if not network:
            namespaces.raise_loopback()
        if ahead is not None:
            view.prepare(ahead)
    except StepFailed as failure:
        failed = failure
        if is_spare:  # the next request tries anew, unless it is here already
            orders.shutdown(socket.SHUT_RD)
    packet = packets.receive(orders)
    if packet is None:
        return
    orders.close()
    plan, descriptors = packet
    channel = socket.socket(fileno=descriptors[0])
    try:
        _check(failed)
        group = _group(plan["cgroup"], descriptors[1:], is_known=plan["cgroup_is_known"])
        first, rest = split(plan)
        if ahead is None:
            view.prepare(first)
        view.finish(rest, sockets.paths())
        _become(channel, FirstProcess(channel, plan, view, group, umask), view)
    except StepFailed as failure:
        told = {"failed": failure.step, "errno": failure.number, "text": str(failure)}
        packets.send(channel, {"reply": 0, **told})
    except Exception as error:  # noqa: BLE001 - told to who asked, as the failure that it is
        packets.send(channel, {"reply": 0, "failed": "start", "errno": 0, "text": repr(error)})


def _check(failed: StepFailed | None) -> None:
    if failed is not None:
        raise failed


def _group(
    version: int | None, descriptors: list[int], *, is_known: bool
) -> OpenControlGroup | None:
    """The stage's cgroup, if processes can really be put in.

    A trial takes the kernel some 15 ms; where one beside it was entered before, `is_known`.
    """
    if version is None:
        return None
    group = OpenControlGroup(version, descriptors[0], descriptors[1])
    return group if is_known or group.can_be_entered() else None


def _become(channel: socket.socket, first: FirstProcess, view: View) -> NoReturn:
    with suppress(OSError):  # it must get through when a bomb goes off; root may do this
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    end = os.pidfd_open(os.getpid())
    told = {"reply": 0, "read_only": view.read_only, "trusted": view.trusted}
    told["unveiled"] = [packets.decode(path) for path in view.unveiled]
    told["is_in_cgroup"] = first.group is not None
    packets.send(channel, told, [view.root, view.scratch, end, *view.layers])
    os.close(end)
    first.serve()
