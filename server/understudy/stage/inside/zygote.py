"""A warm, single-threaded process that forks the stages: opening one costs no start-up.

It always keeps one *spare*: a process that is in its namespaces already and waits for a plan.
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
from typing import Any

from understudy.stage.inside import namespaces, packets
from understudy.stage.inside.first_process import FirstProcess
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
    spare = _fork(channel, network=False, is_spare=True)
    packets.send(channel, {"reply": 0})
    while (packet := packets.receive(channel)) is not None:
        plan, descriptors = packet
        network = plan["network"] == "host"
        fits = not network and not mounts.have_changed()
        if not (fits and _hand_over(spare, plan, descriptors)):
            with _fork(channel, network=network) as other:
                _hand_over(other, plan, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        if not network:
            spare.close()
            spare = _fork(channel, network=False, is_spare=True)


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


def _hand_over(waiting: socket.socket, plan: dict[str, Any], descriptors: list[int]) -> bool:
    """Give a plan to a process that waits for one; False if it is gone."""
    try:
        packets.send(waiting, plan, descriptors)
    except OSError:
        return False
    return True


def _fork(channel: socket.socket, *, network: bool, is_spare: bool = False) -> socket.socket:
    """Start a process that waits for a plan and becomes a stage; our end of its socket."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    if os.fork() == 0:
        try:
            channel.close()
            ours.close()
            _stage(theirs, network=network, is_spare=is_spare)
        finally:
            sys.stderr.flush()
            os._exit(1)
    theirs.close()
    return ours


def _stage(orders: socket.socket, *, network: bool, is_spare: bool) -> None:
    """Enter the namespaces, wait for a plan, become its stage; or say what failed."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    trusted = namespaces.owns_trusted_attributes()
    privileged = namespaces.is_privileged()
    failed: StepFailed | None = None
    sockets = namespaces.OutsideSockets()
    try:
        namespaces.enter(network=network)
        if not network:
            namespaces.raise_loopback()
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
        _become(channel, plan, View(plan, privileged, trusted), sockets.paths())
    except StepFailed as failure:
        told = {"failed": failure.step, "errno": failure.number, "text": str(failure)}
        packets.send(channel, {"reply": 0, **told})
    except Exception as error:  # noqa: BLE001 - told to who asked, as the failure that it is
        packets.send(channel, {"reply": 0, "failed": "start", "errno": 0, "text": repr(error)})


def _check(failed: StepFailed | None) -> None:
    if failed is not None:
        raise failed


def _become(channel: socket.socket, plan: dict[str, Any], view: View, sockets: list[bytes]) -> None:
    first = FirstProcess(channel, plan, view)
    view.build(sockets)
    with suppress(OSError):  # it must get through when a bomb goes off; root may do this
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    end = os.pidfd_open(os.getpid())
    told = {"reply": 0, "read_only": view.read_only, "trusted": view.trusted}
    packets.send(channel, told, [view.root, view.scratch, end, *view.layers])
    os.close(end)
    first.serve()
