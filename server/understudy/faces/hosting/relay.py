"""An attached `understudy lsp`: passes messages between the client and the host.

If the host ends, every request that it has not answered gets an error, and this process ends too:
the client's next start finds no host, and becomes it. Each direction is a thread that waits in the
system's own calls: the turns of an event loop took longer than all else that is done here.
"""

from __future__ import annotations

import asyncio
import json
import os
import select
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from understudy.app.host.attach import Attached
from understudy.faces.frames import Frames, frame
from understudy.values.errors import BadInput
from understudy.values.json_input import read_json

_REQUEST_FAILED = -32803
"""LSP 3.17, ErrorCodes.RequestFailed: valid, but it could not be done."""
_LINGER_SECONDS = 15.0
"""How long the host may take to end what this client has asked."""
_SILENCE_SECONDS, _REST_SECONDS = 0.1, 2.0
"""A client is heard after the host's end until it says nothing for so long, and at most so long."""
_CHUNK = 1 << 18


async def relay(beginning: bytes, host: Attached) -> int:
    """Pass everything on, after `beginning`, which the client has said already.

    Returns the exit code when either side has gone.
    """
    connection = host.blocking_socket()
    passing = _Passing(connection)
    up = _in_thread(lambda: passing.client_to_host(beginning))
    down = _in_thread(passing.host_to_client)
    try:
        await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)
        if up.done():
            await asyncio.wait([down], timeout=_LINGER_SECONDS)
    finally:
        await host.close()
        with suppress(OSError):  # the threads that still wait see it, and end
            connection.shutdown(socket.SHUT_RDWR)
        connection.close()
    passing.hear_the_rest()
    if passing.is_over():
        return 0 if passing.shut_down else 1
    passing.fail_the_rest()
    sys.stderr.write("understudy: host-ended: the host that this server was attached to has gone\n")
    return 1


class _Passing:
    """What goes through, and which requests of the client are not answered yet.

    What comes is passed on first and read afterwards: an answer waits for two turns of this
    process, and for nothing else.
    """

    def __init__(self, host: socket.socket) -> None:
        self._host = host
        self._pending: dict[str | int, str] = {}
        self._early: set[str | int] = set()
        """Answered before they were noted: the other thread was quicker."""
        self._noting = threading.Lock()
        self._going_up = threading.Lock()
        """Held from passing on what the client says until it is noted: a host leaves at `exit`."""
        self._is_over = self._host_has_gone = False
        self._said = Frames()
        self.shut_down = False

    def is_over(self) -> bool:
        """Whether the client has said `exit`, or has gone away."""
        with self._going_up:
            return self._is_over

    def client_to_host(self, beginning: bytes) -> None:
        with self._going_up:
            self._pass_on(beginning)
        while not self._is_over:
            has_said = _wait_for_client(None)
            data = b"" if has_said else _read_client()
            with self._going_up:
                if not has_said:
                    self._pass_on(data)
                elif self._host_has_gone:  # the other thread has heard the rest
                    return
                else:
                    self._pass_on(_read_client())
        with suppress(OSError):
            self._host.shutdown(socket.SHUT_WR)

    def hear_the_rest(self) -> None:
        """Note what the client says before it can see that the host has gone."""
        until = time.monotonic() + _REST_SECONDS
        with self._going_up:
            self._host_has_gone = True
            while (
                not self._is_over
                and time.monotonic() < until
                and _wait_for_client(_SILENCE_SECONDS)
            ):
                self._pass_on(_read_client())

    def _pass_on(self, data: bytes) -> None:
        with suppress(OSError):  # the other direction sees it too
            self._host.sendall(data)
        for body in self._said.feed(data):
            self._note(body)
        self._is_over |= not data or self._said.is_broken

    def _note(self, body: bytes) -> None:
        message = _read(body)
        method, number = message.get("method"), message.get("id")
        if isinstance(method, str) and isinstance(number, str | int):
            with self._noting:
                if number in self._early:
                    self._early.discard(number)
                else:
                    self._pending[number] = method
        self.shut_down |= method == "shutdown"
        self._is_over |= method == "exit"

    def host_to_client(self) -> None:
        frames = Frames()
        while data := self._from_host():
            bodies = frames.feed(data)
            _tell_client(*bodies)
            for body in bodies:
                message = _read(body)
                if "method" not in message:
                    self._note_answer(message.get("id"))

    def _note_answer(self, number: object) -> None:
        if isinstance(number, str | int):  # else what it answers could not be read
            with self._noting:
                if self._pending.pop(number, None) is None:
                    self._early.add(number)

    def _from_host(self) -> bytes:
        try:
            return self._host.recv(_CHUNK)
        except OSError:
            return b""

    def fail_the_rest(self) -> None:
        text = "the host has ended; start again"
        with self._noting:
            pending = dict(self._pending)
        for number, method in pending.items():
            data = {"code": "host-ended", "text": text, "where": method}
            error = {"code": _REQUEST_FAILED, "message": text, "data": data}
            answer = {"jsonrpc": "2.0", "id": number, "error": error}
            _tell_client(json.dumps(answer).encode())


def _in_thread(work: Callable[[], None]) -> asyncio.Future[None]:
    """Runs beside the loop, and does not hold up the end of the process; done when it is over."""
    loop = asyncio.get_running_loop()
    over: asyncio.Future[None] = loop.create_future()

    def run() -> None:
        try:
            work()
        finally:
            with suppress(RuntimeError):  # the loop is closed: nobody waits any more
                loop.call_soon_threadsafe(lambda: over.done() or over.set_result(None))

    threading.Thread(target=run, daemon=True).start()
    return over


def _read(body: bytes) -> dict[str, Any]:
    """The message; what is none goes through as it is, the other side says so."""
    try:
        message = read_json(body)
    except BadInput:
        return {}
    return cast("dict[str, Any]", message) if isinstance(message, dict) else {}


def _wait_for_client(seconds: float | None) -> bool:
    """Wait until the client has said something, or is gone; False if it has not, or on Windows.

    There, whoever reads is who waits, and what the client says last is not answered.
    """
    if sys.platform == "win32":
        return False
    try:
        return select.select([sys.stdin.fileno()], [], [], seconds)[0] != []
    except (OSError, ValueError):  # it is closed: to read says so
        return True


def _read_client() -> bytes:
    try:
        return os.read(sys.stdin.fileno(), _CHUNK)
    except OSError:
        return b""


def _tell_client(*bodies: bytes) -> None:
    """Whole messages alone: a host may end in the middle of one, and errors follow then."""
    with suppress(BrokenPipeError):  # the client is gone; the other direction sees it too
        sys.stdout.buffer.write(b"".join(map(frame, bodies)))
        sys.stdout.buffer.flush()
