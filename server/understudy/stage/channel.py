"""Our end of a socket to a helper process: requests with numbered replies, and events."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

from understudy.stage.inside import packets
from understudy.values.errors import OutsideFailure

Message = dict[str, Any]
Reply = tuple[Message, list[int]]


class Channel:
    """Sends requests and hands out replies; `on_end` is called once, when the other side is gone.

    The reply numbered 0 is the first word of the other side: await `greeting`.
    """

    def __init__(
        self,
        end: socket.socket,
        on_event: Callable[[Message], None],
        on_end: Callable[[], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._socket = end
        self._on_event = on_event
        self._on_end = on_end
        self._n_requests = 0
        self._is_open = True
        self._waiting: dict[int, asyncio.Future[Reply]] = {0: self._loop.create_future()}
        self.greeting = self._waiting[0]
        end.setblocking(False)
        self._loop.add_reader(end.fileno(), self._read)

    @property
    def is_open(self) -> bool:
        """Whether the other side is there."""
        return self._is_open

    async def request(self, message: Message, descriptors: Sequence[int] = ()) -> Reply:
        """Send a request and wait for its reply; raises OutsideFailure `stage-lost`."""
        self._n_requests += 1
        number = self._n_requests
        reply: asyncio.Future[Reply] = self._loop.create_future()
        self._waiting[number] = reply
        try:
            await self.send({**message, "request": number}, descriptors)
            return await reply
        finally:
            self._waiting.pop(number, None)

    async def send(self, message: Message, descriptors: Sequence[int] = ()) -> None:
        """Send a message that has no reply; raises OutsideFailure `stage-lost`."""
        while True:
            if not self._is_open:
                raise lost()
            try:
                packets.send(self._socket, message, descriptors)
            except BlockingIOError:
                await self._writable()
            except OSError as error:
                self.close()
                raise lost() from error
            else:
                return

    def close(self) -> None:
        """Hang up; the other side ends, and who still waits for a reply gets `stage-lost`."""
        if not self._is_open:
            return
        self._is_open = False
        self._loop.remove_reader(self._socket.fileno())
        self._loop.remove_writer(self._socket.fileno())
        self._socket.close()
        for reply in self._waiting.values():
            if not reply.done():
                reply.set_exception(lost())
                reply.exception()  # its waiter may have been cancelled
        self._on_end()

    async def _writable(self) -> None:
        ready: asyncio.Future[None] = self._loop.create_future()
        self._loop.add_writer(self._socket.fileno(), _set, ready)
        try:
            await asyncio.wait_for(ready, 10)
        except asyncio.TimeoutError as error:
            self.close()
            raise lost() from error
        finally:
            if self._is_open:
                self._loop.remove_writer(self._socket.fileno())

    def _read(self) -> None:
        try:
            packet = packets.receive(self._socket)
        except BlockingIOError:
            return
        if packet is None:
            self.close()
            return
        message, descriptors = packet
        number = message.get("reply")
        if number is None:
            self._on_event(message)
            return
        reply = self._waiting.get(number)
        if reply is None or reply.done():
            for descriptor in descriptors:
                os.close(descriptor)
        else:
            reply.set_result((message, descriptors))


def lost() -> OutsideFailure:
    """The error for a stage whose processes are gone."""
    return OutsideFailure("stage-lost", "the stage is gone: it was closed, or its processes ended")


def _set(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
