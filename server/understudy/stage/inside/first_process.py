"""The first process of a stage (pid 1): starts and reaps commands until its channel closes."""

from __future__ import annotations

import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from understudy.stage.inside import confine, kernel, packets
from understudy.stage.inside.census import Census, ReachedLimit, all_but_first, below
from understudy.stage.inside.disk_use import written
from understudy.stage.inside.group import OpenControlGroup
from understudy.stage.inside.memory_use import MemoryUse, remove_system_v
from understudy.stage.inside.open_files import is_used
from understudy.stage.inside.stage_network import StageNetwork
from understudy.stage.inside.steps import StepFailed, step
from understudy.stage.inside.view import View


class FirstProcess:
    """Answers requests by number, and tells the end of each command."""

    def __init__(
        self,
        channel: socket.socket,
        plan: dict[str, Any],
        view: View,
        group: OpenControlGroup | None,
        umask: int,
    ) -> None:
        self._channel = channel
        self._plan = plan
        self._view = view
        self._umask = umask
        self._niceness = os.getpriority(os.PRIO_PROCESS, 0)
        """Of the caller, and of its commands; this process itself may put itself before them."""
        self._running: dict[int, int] = {}
        self._n_started = 0
        self._network = StageNetwork()
        self.group = group
        self._census = Census(
            plan,
            group,
            pids=all_but_first,
            memory=lambda: MemoryUse(view.scratch, own_ipc=True),
            disk=None if plan["keep"] is None else lambda most: written(view.layers[0], most),
        )
        self._reached: ReachedLimit | None = None
        self._watched_at = 0.0

    def serve(self) -> NoReturn:
        """Run until the channel closes; the kernel then ends all that is left in here."""
        wakeup, waker = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, _woken)
        poll = select.poll()
        poll.register(self._channel, select.POLLIN)
        poll.register(wakeup, select.POLLIN)
        while True:
            is_watching = self._census.has_limits and bool(self._running)
            ready = dict(poll.poll(self._census.pause * 1000 if is_watching else None))
            if wakeup in ready:
                with suppress(BlockingIOError):
                    os.read(wakeup, 4096)
            self._reap()
            if is_watching and time.monotonic() - self._watched_at >= self._census.pause:
                self._watch()
            if self._channel.fileno() in ready:
                packet = packets.receive(self._channel)
                if packet is None:
                    os._exit(0)
                self._answer(*packet)

    def _answer(self, request: dict[str, Any], descriptors: list[int]) -> None:
        reply: dict[str, Any] = {"reply": request["request"]}
        handles: list[int] = []
        try:
            if request["do"] == "start":
                pid = self._start(request, (descriptors[0], descriptors[1], descriptors[2]))
                handles = [os.pidfd_open(pid)]
                reply["pid"] = pid
            elif request["do"] == "signal":
                pid, number = request["pid"], request["signal"]
                reply["found"] = self._signal(pid, number, whole=request["whole"])
            elif request["do"] == "who uses":
                path = packets.encode(request["path"])
                reply["is_used"] = is_used(path, readers=request["readers"])
            elif request["do"] == "terminal":
                handles = list(kernel.open_terminal())
            elif request["do"] == "refresh":
                self._refresh()
            else:
                handles = self._network.answer(request, reply)
        except StepFailed as failure:
            reply |= {"failed": failure.step, "errno": failure.number, "text": failure.text}
        except OSError as error:
            reply |= {"failed": request["do"], "errno": error.errno, "text": error.strerror}
        finally:
            for descriptor in descriptors:
                os.close(descriptor)
        self._send(reply, handles)
        for handle in handles:
            os.close(handle)

    def _start(self, request: dict[str, Any], streams: tuple[int, int, int]) -> int:
        """Fork, confine and execute; raises StepFailed with what the new process could not do."""
        request |= {"privileged": self._view.privileged, "writable": self._view.writable}
        report, reporter = os.pipe2(os.O_CLOEXEC)
        pid = os.fork()
        if pid == 0:
            try:
                reporter = _above_streams(reporter)
                os.close(report)
                confine.become(
                    request, _all_above_streams(streams), self._umask, self.group, self._niceness
                )
            except StepFailed as error:
                os.write(reporter, f"{error.step}\0{error.number}\0{error.text}".encode())
            except BaseException as error:  # noqa: BLE001 - this process may not run on as pid 1 did
                os.write(reporter, f"start\x000\0{error!r}"[:4000].encode())
            os._exit(127)
        os.close(reporter)
        with os.fdopen(report, "rb") as file:
            said = file.read()
        if said:
            os.waitpid(pid, 0)
            name, number, text = said.decode("utf-8", "replace").split("\0", 2)
            with step(name):
                raise OSError(int(number), text)
        self._running[pid] = pid
        self._n_started += 1
        return pid

    def _signal(self, pid: int, number: int, *, whole: bool) -> bool:
        """Signal a command's group; `whole`: all that it started, as far as it can be told.

        Returns whether anybody was there.
        """
        if whole and self._n_started == 1:
            return _sent(lambda: os.kill(-1, number))
        targets = below(pid) if whole else []
        found = [_sent(lambda: os.killpg(pid, number))]
        found += [_sent(lambda target=target: os.kill(target, number)) for target in targets]
        return any(found)

    def _refresh(self) -> None:
        """Let the overlays forget the names they looked up: the user's folder has changed."""
        for path in (self._plan["root"], *self._plan["below"]):
            flags = kernel.MS_REMOUNT | kernel.MS_NOSUID | kernel.MS_NODEV
            kernel.mount(None, packets.encode(path), None, flags)

    def _reap(self) -> None:
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if self._running.pop(pid, None) is not None:
                code = os.waitstatus_to_exitcode(status)
                if self._reached is None:
                    self._reached = self._census.held_back()
                self._send({"ended": pid, "status": code, "reached": self._reached})
                if not self._running:
                    self._reached = None

    def _watch(self) -> None:
        """End everything when the stage as a whole uses more than it may."""
        reached = self._census.exceeded()
        if reached is not None:
            self._reached = reached
            with suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
            remove_system_v()
        self._watched_at = time.monotonic()

    def _send(self, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
        try:
            packets.send(self._channel, message, descriptors or ())
        except OSError:
            os._exit(0)  # nobody is there any more


def _sent(send: Callable[[], None]) -> bool:
    try:
        send()
    except ProcessLookupError:
        return False
    return True


def _woken(_number: int, _frame: object) -> None:
    """The wake-up descriptor tells the loop; without a handler the signal would be dropped."""


def _above_streams(descriptor: int) -> int:
    """A descriptor that will not be covered by the three standard streams."""
    while descriptor < 3:
        descriptor = os.dup(descriptor)
    return descriptor


def _all_above_streams(streams: tuple[int, int, int]) -> tuple[int, int, int]:
    first, second, third = map(_above_streams, streams)
    return first, second, third
