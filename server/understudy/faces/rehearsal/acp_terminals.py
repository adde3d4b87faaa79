"""Terminals of the Agent Client Protocol that run on the stage of a branch."""

from __future__ import annotations

import asyncio
import itertools
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.stage.live import LiveStage
from understudy.stage.model import Command, CommandEnd
from understudy.values.errors import BadInput, UnderstudyError
from understudy.values.paths import Root
from understudy.workspace.tasks import Tasks

Json = dict[str, Any]
_MOST_BYTES = 4 * 1024 * 1024
"""Of an output whose agent names no limit."""
_MOST = 64


@dataclass
class _Terminal:
    limit: int
    output: bytearray = field(default_factory=bytearray)
    is_cut: bool = False
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)
    ended: asyncio.Future[CommandEnd] | None = None

    def take(self, data: bytes) -> None:
        self.output += data
        if len(self.output) > self.limit:
            del self.output[: len(self.output) - self.limit]
            self.is_cut = True

    def told(self) -> Json:
        """What was printed, from a whole character on, and how it ended."""
        data = bytes(self.output)
        while self.is_cut and data and data[0] & 0xC0 == 0x80:
            data = data[1:]
        told: Json = {"output": data.decode("utf-8", "replace"), "truncated": self.is_cut}
        if self.ended is not None and self.ended.done():
            told["exitStatus"] = _status(self.ended.result())
        return told


class StageTerminals:
    """The terminals of one agent; `close` ends what still runs."""

    def __init__(self, root: Root, stage: LiveStage) -> None:
        self._root = root
        self._stage = stage
        self._tasks = Tasks()
        self._ids = itertools.count(1)
        self._open: dict[str, _Terminal] = {}

    async def answer(self, method: str, params: Json) -> Json:
        """Answer `terminal/METHOD`; raises BadInput, OutsideFailure as a stage does."""
        if method == "create":
            return {"terminalId": self._create(params)}
        terminal = self._open.get(str(params["terminalId"]))
        if terminal is None or terminal.ended is None:
            raise BadInput("unknown-terminal", "there is none", str(params["terminalId"]))
        if method == "output":
            return terminal.told()
        if method == "wait_for_exit":
            return _status(await asyncio.shield(terminal.ended))
        if method in ("kill", "release"):
            terminal.cancelled.set()
            await asyncio.wait([terminal.ended])
            if method == "release":
                del self._open[str(params["terminalId"])]
            return {}
        raise BadInput("unknown-method", "there is no such request", f"terminal/{method}")

    async def close(self) -> None:
        """End all that still runs."""
        for terminal in self._open.values():
            terminal.cancelled.set()
        await self._tasks.close()

    def _create(self, params: Json) -> str:
        if len(self._open) >= _MOST:
            raise BadInput(
                "too-many", f"at most {_MOST} terminals; release some", "terminal/create"
            )
        words = (str(params["command"]), *map(str, params.get("args") or ()))
        if len(words) == 1 and any(letter.isspace() for letter in words[0]):
            words = ("sh", "-c", words[0])  # many agents send a line for a shell
        env = {str(one["name"]): str(one["value"]) for one in params.get("env") or ()}
        command = Command(words, self._folder(params.get("cwd")), env)
        terminal = _Terminal(int(params.get("outputByteLimit") or _MOST_BYTES))
        name = f"understudy-{next(self._ids)}"
        work = self._run(command, terminal)
        terminal.ended = self._tasks.spawn(work, f"terminal {name}")
        self._open[name] = terminal
        return name

    async def _run(self, command: Command, terminal: _Terminal) -> CommandEnd:
        try:
            return await self._stage.run(command, terminal.take, cancelled=terminal.cancelled)
        except UnderstudyError as error:
            terminal.take(f"{error}\n".encode())
            return CommandEnd(127 if error.code == "command-not-found" else 126)

    def _folder(self, cwd: object) -> str:
        if cwd is None:
            return "."
        place = Path(os.path.normpath(str(cwd)))
        if not place.is_absolute() or not place.is_relative_to(self._root.path):
            raise BadInput("outside-root", "a terminal begins in the folder", str(cwd))
        return place.relative_to(self._root.path).as_posix()


def _status(end: CommandEnd) -> Json:
    if end.status < 0:
        return {"exitCode": None, "signal": str(-end.status)}
    return {"exitCode": end.status, "signal": None}
