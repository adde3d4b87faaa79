"""The socket that is one branch: those who come through it speak of that branch alone.

It needs no token: whoever reaches it lives in the branch. What comes from there is read here,
within limits, and asked of the host as calls of the face `rehearsal`; nothing else gets further.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from understudy.faces.answers.sound_json import error_json
from understudy.faces.frames import frame, read_frame
from understudy.faces.inside.coming_out import BRANCH_WIRE
from understudy.faces.inside.place import MAX_FRAME
from understudy.faces.rehearsal.host import BranchHost
from understudy.faces.rehearsal.rounds import Rounds
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError
from understudy.values.json_input import id_in, read_object
from understudy.workspace.progress import Audience
from understudy.workspace.tasks import Tasks

Json = dict[str, Any]
Settle = Callable[[], Awaitable[None]]
"""Returns when the branch has all that was written on its stage so far: every question waits."""

MOST_CONNECTIONS = 64
MOST_CALLS = 16
"""At a time, of all who are inside."""
_HELLO_SECONDS, _LINGER_SECONDS = 5.0, 2.0
_HELLO_LIMIT = 8192
_STREAM_LIMIT = 1 << 20
_APART = "understudy-branch-"


class BranchSocket:
    """Owns the listening socket at `path`; build one with `BranchSocket.open`."""

    def __init__(self, host: BranchHost, settle: Settle, rounds: Rounds) -> None:
        self.host = host
        self.rounds = rounds
        self.path = Path()
        self.turn_over: Callable[[], None] = lambda: None
        """Hears that the agent rests for a moment."""
        self._settle = settle
        self._tasks = Tasks()
        self._server: asyncio.Server | None = None
        self._n_visits = 0
        self._calls = asyncio.Semaphore(MOST_CALLS)

    @staticmethod
    async def open(host: BranchHost, settle: Settle, rounds: Rounds | None = None) -> BranchSocket:
        """Listen in a private folder of its own; raises OutsideFailure `cannot-listen`."""
        own = BranchSocket(host, settle, rounds or Rounds())
        folder = Path(tempfile.mkdtemp(prefix=_APART, dir="/tmp"))
        own.path = folder / "socket"
        try:
            own._server = await asyncio.start_unix_server(
                own._meet, own.path, limit=_STREAM_LIMIT, backlog=MOST_CONNECTIONS
            )
            own.path.chmod(0o600)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            text = f"cannot listen for those inside: {error.strerror}"
            raise OutsideFailure("cannot-listen", text, os.fspath(own.path)) from error
        return own

    async def close(self) -> None:
        """Let nobody speak any more, and leave the host."""
        if self._server is not None:
            self._server.close()
            shutil.rmtree(self.path.parent, ignore_errors=True)
        await self._tasks.close()
        await self.host.close()

    async def tell_end(self) -> str:
        """What an agent whose turn has ended is to be told; nothing where all is said, or clean.

        Raises as a check does.
        """
        return await self._turn({"session": "", "moment": "end"}, Audience())

    def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._tasks.spawn(self._visit(reader, writer), "visit from inside")

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._n_visits += 1
        try:
            try:
                kind = await self._let_in(reader)
            except UnderstudyError as error:
                _say_line(writer, {"error": error_json(error)})
                return
            except (OSError, ValueError, asyncio.TimeoutError, asyncio.IncompleteReadError):
                return  # it went away, or said nothing
            if kind == "lsp":
                await self._pass_on(reader, writer)
            else:
                _say_line(writer, {"ok": True, "root": str(self.host.root.path)})
                await _Calls(self, reader, writer, self._tasks).serve()
        finally:
            self._n_visits -= 1
            with suppress(OSError, asyncio.TimeoutError):
                writer.close()
                await asyncio.wait_for(writer.wait_closed(), _LINGER_SECONDS)

    async def _let_in(self, reader: asyncio.StreamReader) -> str:
        """What it has come for: calls, or LSP.

        Raises BadInput `bad-hello`, `not-json`; Refused `busy`, `other-root`, `other-branch`.
        """
        if self._n_visits > MOST_CONNECTIONS:
            raise Refused("busy", f"there are {MOST_CONNECTIONS} connections from inside already")
        line = await asyncio.wait_for(reader.readline(), _HELLO_SECONDS)
        if len(line) > _HELLO_LIMIT or not line.endswith(b"\n"):
            raise BadInput("bad-hello", "the first line is too long")
        hello = read_object(line, "hello")
        wire, kind, root = hello.get("wire"), hello.get("kind"), hello.get("root")
        if str(wire) not in (str(BRANCH_WIRE), str(BRANCH_WIRE - 1)):
            raise BadInput("bad-hello", f"this side speaks version {BRANCH_WIRE}", "wire")
        if kind not in ("calls", "lsp"):
            raise BadInput("bad-hello", "there are calls and lsp", "kind")
        own = self.host.root.path
        if root is not None and not _is_in(str(root), own):
            text = f"this is an agent's way to a branch of {own}, and to no other folder"
            raise Refused("other-root", text, str(root)[:200])
        if hello.get("branch") not in (None, self.host.branch):
            text = f"this is an agent's way to {self.host.branch}, and to no other branch"
            raise Refused("other-branch", text, str(hello["branch"])[:100])
        return kind

    async def answer(self, name: str, params: Json, audience: Audience) -> Json:
        """Ask the host when the branch has all that was written; raises what it raises."""
        async with self._calls:
            if name == "turn":
                return {"text": await self._turn(params, audience)}
            await self._settle()
            return await self.host.call(name, params, audience)

    async def _turn(self, params: Json, audience: Audience) -> str:
        if params.get("moment") == "prompt":
            prompt = params.get("prompt")
            self.rounds.begin(prompt if isinstance(prompt, str) else None)
            return ""
        await self._settle()
        found = await self.host.call("turn", params, audience)
        text = str(found["text"])
        if params.get("moment") != "end":
            return text
        self.turn_over()
        return self.rounds.end(text)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Be a client's way to the language server of this branch, a message after the other."""
        try:
            await self._settle()
            server = await self.host.attached(is_lsp=True)
        except UnderstudyError as error:
            _say_line(writer, {"error": error_json(error)})
            return
        wish = {"branch": self.host.branch, "is_inside": True}
        server.writer.write(frame(json.dumps(wish).encode()))
        _say_line(writer, {"ok": True, "root": str(self.host.root.path)})
        up = self._tasks.spawn(self._messages(reader, server.writer), "from inside")
        down = self._tasks.spawn(_bytes(server.reader, writer), "to inside")
        try:
            await asyncio.wait([up, down], return_when=asyncio.FIRST_COMPLETED)
            if up.done() and not down.done():  # what it has asked for may still be answered
                await asyncio.wait([down], timeout=_LINGER_SECONDS)
        finally:
            up.cancel()
            down.cancel()
            await server.close()

    async def _messages(self, reader: asyncio.StreamReader, server: asyncio.StreamWriter) -> None:
        """Whole messages, each with the branch as the stage has it."""
        with suppress(BadInput, OSError):
            while (body := await read_frame(reader, MAX_FRAME)) is not None:
                with suppress(UnderstudyError):  # what is asked about says so itself
                    await self._settle()
                server.write(frame(body))
                await server.drain()
        with suppress(OSError):
            server.write_eof()


class _Calls:
    """The calls of one who is inside."""

    def __init__(
        self,
        own: BranchSocket,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        tasks: Tasks,
    ) -> None:
        self._own = own
        self._reader = reader
        self._writer = writer
        self._tasks = tasks
        self._running: dict[int, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        try:
            while (body := await read_frame(self._reader, MAX_FRAME)) is not None:
                self._take(body)
                await self._writer.drain()  # who does not read is not read
        except BadInput as error:
            self._say({"id": None, "error": error_json(error)})
        except OSError:
            pass  # it has gone
        finally:
            for task in tuple(self._running.values()):
                task.cancel()

    def _take(self, body: bytes) -> None:
        try:
            message = read_object(body, "message")
            number, cancelled = message.get("id"), message.get("cancel")
            if isinstance(cancelled, int) and cancelled in self._running:
                self._running[cancelled].cancel()
            if not isinstance(number, int):
                return
            if len(self._running) >= MOST_CALLS or number in self._running:
                raise Refused("busy", f"at most {MOST_CALLS} calls at a time, each with its own id")
        except UnderstudyError as error:
            self._say({"id": id_in(body), "error": error_json(error)})
            return
        task = self._tasks.spawn(self._answer(number, message), "call from inside")
        self._running[number] = task
        task.add_done_callback(lambda _: self._running.pop(number, None))

    async def _answer(self, number: int, message: Json) -> None:
        def progress(text: str, done: int, total: int) -> None:
            self._say({"id": number, "progress": [text, done, total]})

        try:
            params: object = message.get("params")
            if not isinstance(params, dict | None):
                raise BadInput("bad-params", "expected an object", "params")
            given = cast("Json", params or {})
            found = await self._own.answer(str(message.get("call")), given, Audience(progress))
            self._say({"id": number, "result": found})
        except UnderstudyError as error:
            self._say({"id": number, "error": error_json(error)})
        except asyncio.CancelledError:
            ended = OutsideFailure("cancelled", "given up, or the rehearsal has ended")
            self._say({"id": number, "error": error_json(ended)})
            raise

    def _say(self, message: Json) -> None:
        if not self._writer.is_closing():
            self._writer.write(frame(json.dumps(message).encode()))


def _is_in(path: str, folder: Path) -> bool:
    return Path(os.path.normpath(path)).is_relative_to(folder)


async def _bytes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(_STREAM_LIMIT):
            writer.write(data)
            await writer.drain()


def _say_line(writer: asyncio.StreamWriter, message: Json) -> None:
    writer.write(json.dumps(message).encode() + b"\n")
