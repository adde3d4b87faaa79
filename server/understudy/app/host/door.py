"""The host's door: a private socket at which later processes of the same user attach.

Both sides make sure that the other one is the same user (peer credentials where the system has
them), and the one that comes shows a token that only this user can read. Then one line of JSON
each way: who comes for which face, and whether it may. All after that belongs to the face.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, get_args

from understudy.app.host.terms import Terms
from understudy.disk.host_address import HostAddress, forget_address, new_token, socket_place
from understudy.disk.layout import Layout
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.json_input import read_json
from understudy.values.version import __version__
from understudy.workspace.tasks import Tasks

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.stage.model import Network

FaceName = Literal["lsp", "branch", "command", "agent", "rehearsal"]
"""What a visitor comes for: an editor's protocol; the language server of one branch; calls of the
user's commands, of an agent, or of an agent that lives in one branch."""

HELLO_SECONDS = 5.0
NO_LINE = (asyncio.IncompleteReadError, asyncio.LimitOverrunError)
_HELLO_LIMIT = 4096
_STREAM_LIMIT = 1 << 20
_LINGER_SECONDS = 2.0


@frozen
class Visitor:
    """Who was let in; `network` is what the user allows a visitor that is an agent.

    `branch` is the one that the calls of a rehearsal are about.
    """

    face: FaceName
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    network: Network = "none"
    branch: str | None = None


Welcome = Callable[[Visitor], Awaitable[None]]
"""Serves one visitor until it goes, or until it is cancelled as the host ends."""


class Admission(Protocol):
    """Who decides whom the door lets in, where that is not everybody."""

    @property
    def terms(self) -> Terms:
        """What the host's callers have to come under."""
        ...

    def admit(self, digest: object, *, makes_way: bool) -> None:
        """Raise Refused where a caller that comes under the terms of `digest` may not come in."""
        ...

    def outdated(self) -> None:
        """Somebody has come with another version."""
        ...

    def visit(self, face: str) -> AbstractContextManager[None]:
        """Somebody is here for this face while the body runs."""
        ...


class HostDoor:
    """Owns the listening socket and the visitors' connections; build one with `HostDoor.open`."""

    def __init__(
        self, layout: Layout, tasks: Tasks, welcome: Welcome, admission: Admission | None = None
    ) -> None:
        self._layout = layout
        self._tasks = tasks
        self._welcome = welcome
        self._admission = admission
        self._token = new_token()
        self._server: asyncio.Server | None = None
        self._visits: set[asyncio.Task[None]] = set()
        self._is_closing = False

    @staticmethod
    async def open(
        layout: Layout, tasks: Tasks, welcome: Welcome, admission: Admission | None = None
    ) -> HostDoor:
        """Listen, and tell where; the caller holds the host's lock.

        `admission` decides who is let in; without one, everybody of this user is.
        Raises OutsideFailure `cannot-listen`, `state-unwritable`.
        """
        door = HostDoor(layout, tasks, welcome, admission)
        try:
            address = await door._listen()
        except OSError as error:
            text = f"cannot listen for others to attach: {error.strerror}"
            raise OutsideFailure("cannot-listen", text, str(layout.folder)) from error
        address.write(layout)
        return door

    async def close(self) -> None:
        """Let nobody in any more and end every visit; a second call does nothing."""
        self._is_closing = True
        server, self._server = self._server, None
        if server is None:
            return
        server.close()
        forget_address(self._layout)
        for visit in self._visits:
            visit.cancel()
        if self._visits:
            await asyncio.wait(set(self._visits), timeout=_LINGER_SECONDS)

    async def _listen(self) -> HostAddress:
        terms = None if self._admission is None else self._admission.terms.digest
        if sys.platform == "win32":
            self._server = await asyncio.start_server(
                self._meet, "127.0.0.1", 0, limit=_STREAM_LIMIT
            )
            port = self._server.sockets[0].getsockname()[1]
            return HostAddress(__version__, self._token, port=port, terms=terms)
        place = socket_place(self._layout)
        self._server = await asyncio.start_unix_server(self._meet, place, limit=_STREAM_LIMIT)
        place.chmod(0o600)
        return HostAddress(__version__, self._token, socket=str(place), terms=terms)

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            visit = self._tasks.spawn(self._visit(reader, writer), "visit")
        except Refused:  # the host ends in this moment
            writer.close()
            return
        self._visits.add(visit)
        visit.add_done_callback(self._visits.discard)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            try:
                visitor = await self._let_in(reader, writer)
            except UnderstudyError as error:
                _say(writer, {"error": {"code": error.code, "text": error.text}})
                return
            except (OSError, ValueError, asyncio.TimeoutError, *NO_LINE):
                return  # it went away, said nothing, or no line of JSON
            with nullcontext() if self._admission is None else self._admission.visit(visitor.face):
                _say(writer, {"ok": True})
                await self._welcome(visitor)
        finally:
            await _close(writer)

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Visitor:
        refuse_foreign(writer)
        line = await asyncio.wait_for(reader.readuntil(b"\n"), HELLO_SECONDS)
        if len(line) > _HELLO_LIMIT:
            raise BadInput("bad-hello", "the first line is too long")
        raw = read_json(line)
        if not isinstance(raw, dict):
            raise BadInput("bad-hello", "the first line is no JSON object")
        hello = cast("dict[str, object]", raw)
        if not hmac.compare_digest(str(hello.get("token")).encode(), self._token.encode()):
            raise Refused("wrong-token", "the token is not this host's")
        if hello.get("version") != __version__:
            if self._admission is not None:
                self._admission.outdated()
            text = f"the host is Understudy {__version__}, this is {hello.get('version')}"
            raise Refused("host-version", f"{text}; reload or end what runs it, or use its version")
        if self._is_closing:
            raise Refused("closing", "the host is shutting down")
        face = hello.get("face")
        if face not in get_args(FaceName):
            raise BadInput("bad-hello", "there is no such face", str(face))
        face, branch = cast("FaceName", face), hello.get("branch")
        if (face == "rehearsal") != isinstance(branch, str):
            raise BadInput("bad-hello", "a rehearsal names its branch, nobody else does", face)
        if self._admission is not None:
            self._admission.admit(hello.get("terms"), makes_way=hello.get("makesWay") is True)
        network = "host" if hello.get("network") == "host" else "none"
        return Visitor(face, reader, writer, network, cast("str | None", branch))


def refuse_foreign(writer: asyncio.StreamWriter) -> None:
    """Raise Refused `foreign-user` if another user is at the other end of a connection."""
    peer = writer.get_extra_info("socket")
    uid = None if peer is None or sys.platform == "win32" else _peer_uid(peer)
    if uid is not None and uid != os.getuid():
        raise Refused("foreign-user", f"the other side belongs to user {uid}")


def _peer_uid(peer: Any) -> int | None:  # noqa: ANN401 - asyncio's own wrapper of a socket
    if sys.platform == "linux":
        packed = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return struct.unpack("3i", packed)[1]
    if sys.platform == "darwin":  # struct xucred of <sys/ucred.h>: version, uid, ...
        local_peercred = 1
        return struct.unpack_from("II", peer.getsockopt(0, local_peercred, 76))[1]
    return None


def _say(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(json.dumps(message).encode() + b"\n")


async def _close(writer: asyncio.StreamWriter) -> None:
    """Give what was written a moment to leave, then be gone."""
    with suppress(OSError, asyncio.TimeoutError):
        writer.close()
        await asyncio.wait_for(writer.wait_closed(), _LINGER_SECONDS)
