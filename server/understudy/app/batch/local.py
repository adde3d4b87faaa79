"""Seats on this machine: a process each, ended when they hang, replaced when they are lost."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from understudy.app.batch.queue import Place
from understudy.app.batch.rows import BatchRow
from understudy.app.batch.seat import SeatTerms
from understudy.app.batch.seat_process import framed, read_message
from understudy.process.launch import Child, Spawn, launch
from understudy.workspace.tasks import Tasks

START_S = 900.0
"""For a checkout of a large repository, its dependencies' scan and the first start of servers."""
GRACE_S = 30.0
"""What a row may take beyond the check's own limit."""
SEAT_BYTES = 1536 * 1024 * 1024
"""Memory that one seat and its servers are taken to need."""
_FOLDER = "understudy-batch-"
_STOP_S = 10.0
_LAST_BYTES = 2000
_PROGRAM = (
    "import sys; folder, terms, *path = sys.argv[1:]; sys.path[:] = path; "
    "from understudy.app.batch.seat_process import main; main(folder, terms)"
)


def row_limit(terms: SeatTerms) -> float:
    """Seconds within which a seat has answered a row; tests are run with it, and without."""
    return terms.timeout_s + 2 * terms.test_timeout_s * bool(terms.command or terms.trust) + GRACE_S


class SeatLost(Exception):
    """A seat's process has ended, or was ended, before it answered; `words` are its last."""

    def __init__(self, why: str, words: str) -> None:
        super().__init__(why)
        self.why = why
        self.words = words


class LocalSeat:
    """One seat's process."""

    def __init__(self, folder: Path, terms: SeatTerms, spawn: Spawn) -> None:
        self._folder = folder
        self._terms = terms
        self._spawn = spawn
        self._child: Child | None = None
        self._is_judging = False

    async def open(self) -> None:
        """Start the process, unless it runs; raises SeatLost."""
        if self._child is None:
            await self._start()

    async def judge(
        self, place: Place, mirror: Path, rows: Sequence[BatchRow]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The answers to rows, in their order, each as soon as it is there. Raises SeatLost."""
        async for answer in self.judged(place, str(mirror), [asked_of(row) for row in rows]):
            yield answer

    async def judged(
        self, place: Place, mirror: str, rows: Sequence[dict[str, Any]]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """As `judge`, of rows as `asked_of` makes them."""
        child = self._child or await self._start()
        lot = {"repo": place[0], "revision": place[1], "mirror": mirror, "rows": list(rows)}
        self._is_judging = True
        child.stdin.write(framed(lot))
        limit = START_S
        while True:
            message = await self._next(child, limit)
            if "end" in message:
                self._is_judging = False
                return
            limit = row_limit(self._terms)
            if "id" in message:
                yield message

    async def close(self) -> None:
        """End the process and all that it started."""
        child, self._child = self._child, None
        if child is None:
            return
        if not self._is_judging:  # it sees that at once, and ends its servers itself
            child.stdin.close()
            await child.wait(_STOP_S)
        await child.stop(_STOP_S)

    async def _start(self) -> Child:
        temporary = self._folder / "tmp"  # servers leave things there, if they are killed
        temporary.mkdir(parents=True, exist_ok=True)
        terms = json.dumps(asdict(self._terms))
        path = (part or str(Path.cwd()) for part in sys.path)
        child = self._child = await launch(
            [sys.executable, "-I", "-c", _PROGRAM, str(self._folder), terms, *path],
            cwd=self._folder, env={"TMPDIR": str(temporary)},
            log=self._folder / "seat.log", spawn=self._spawn,
        )  # fmt: skip
        await self._next(child, START_S)
        return child

    async def _next(self, child: Child, limit: float) -> dict[str, Any]:
        try:
            message = await asyncio.wait_for(read_message(child.stdout), limit)
        except asyncio.TimeoutError:
            raise await self._lost(child, f"no answer within {limit:g} s") from None
        if message is None:
            raise await self._lost(child, "its process has ended")
        return message

    async def _lost(self, child: Child, why: str) -> SeatLost:
        self._child, self._is_judging = None, False
        await child.wait(1.0)
        status = child.exit_status
        await child.stop(0.5)
        if status is not None:
            why = f"{why} ({f'signal {-status}' if status < 0 else f'exit status {status}'})"
        return SeatLost(why, await asyncio.to_thread(self._last_words))

    def _last_words(self) -> str:
        """The end of what it wrote on standard error, without its secrets."""
        try:
            data = (self._folder / "seat.log").read_bytes()[-_LAST_BYTES:]
        except OSError:
            return ""
        from understudy.terminal.secrets.stream import OutputRedactor  # noqa: PLC0415 - seldom needed

        redactor = OutputRedactor()
        clean = redactor.feed(data) + redactor.end()
        return " ".join(clean.decode("utf-8", "replace").split())[-300:]


def asked_of(row: BatchRow) -> dict[str, Any]:
    """A row as a seat takes it."""
    return {"id": row.id, "patch": row.patch, "tests": asdict(row.tests)}


def seats_here() -> int:
    """How many seats cores and memory allow."""
    import psutil  # noqa: PLC0415 - native, and slow to load

    room = int(psutil.virtual_memory().available // SEAT_BYTES)
    return max(1, min(os.cpu_count() or 1, room))


def folder_of_seats(place: str | None = None) -> Path:
    """A new folder for what seats of this process keep; those of killed processes go."""
    import psutil  # noqa: PLC0415 - native, and slow to load

    for left in Path(place or tempfile.gettempdir()).glob(f"{_FOLDER}*-*"):
        number = left.name.removeprefix(_FOLDER).partition("-")[0]
        if number.isdigit() and not psutil.pid_exists(int(number)):
            shutil.rmtree(left, ignore_errors=True)  # another user's stays
    return Path(tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-", dir=place))


class LocalEngine:
    """Seats on this machine, below one folder that is gone at the end."""

    def __init__(self, seats: int | None) -> None:
        self.n_seats = seats or seats_here()
        self._tasks = Tasks()
        self._folder = folder_of_seats()

    def seat(self, number: int, terms: SeatTerms) -> LocalSeat:
        """A seat that has not begun."""
        return LocalSeat(self._folder / str(number), terms, self._tasks.spawn)

    async def close(self) -> None:
        """Remove what the seats have left."""
        await self._tasks.close()
        await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)
