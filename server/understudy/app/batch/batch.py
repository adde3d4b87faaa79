"""The verb `batch`: every row of a table judged, on seats that keep their repository open.

rows -> what OUT has already is left out -> lots by revision -> seats -> OUT, a row at a time
"""

from __future__ import annotations

import asyncio
import shlex
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from understudy.app.batch.checkout import objects_of
from understudy.app.batch.local import (
    START_S,
    LocalEngine,
    SeatLost,
    row_limit,
    seats_here,
)
from understudy.app.batch.output import OutFile, lines_of, write_table
from understudy.app.batch.queue import LotQueue, Place
from understudy.app.batch.rows import BatchRow, GivenRows, read_rows
from understudy.app.batch.seat import SeatTerms, refused
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.workspace.progress import Progress, silent

if TYPE_CHECKING:
    from understudy.app.batch.on_ray import RayEngine

_LOOK_S = 30.0
MOST_LOST_IN_A_ROW = 8
"""Seats that end one after the other without a single row between them: it is not the patches."""


@frozen
class BatchQuestion:
    """What is judged, where it goes, and with what.

    `mirrors` names a git repository on this machine for each repository of the rows. `seats` None
    is as many as cores and memory allow; `version` is ours, which all rows of OUT agree in.
    `engine` is `ray` or `ray://HOST:PORT` (None: processes on this machine).
    """

    rows: Path
    out: Path
    mirrors: Mapping[str, Path]
    terms: SeatTerms
    version: str
    seats: int | None = None
    engine: str | None = None


class BatchSeat(Protocol):
    """A warm host somewhere; all of it raises SeatLost, and is used again after that."""

    async def open(self) -> None:
        """Be ready for rows."""
        ...

    def judge(
        self, place: Place, mirror: Path, rows: Sequence[BatchRow]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """The answers to rows, in their order, each as soon as it is there."""
        ...

    async def close(self) -> None:
        """End all that it has started."""
        ...


@dataclass
class BatchSummary:
    """What a batch did. `judged` counts rows of this call, `verdicts` all rows of OUT."""

    rows: int
    found: int = 0
    judged: int = 0
    mended: int = 0
    seats_lost: int = 0
    renamed: tuple[str, ...] = ()
    bad: tuple[str, ...] = ()
    verdicts: Mapping[str, int] = field(default_factory=dict[str, int])
    seconds: float = 0.0
    missing: int = 0
    """Rows that OUT does not have."""


async def batch(question: BatchQuestion, progress: Progress = silent) -> BatchSummary:
    """Judge the rows that OUT does not have, and write each once.

    Raises as `read_rows`, `lines_of` and `OutFile` do, BadInput `no-mirror`, Refused `untrusted`
    for tests, OutsideFailure `seats-end` where seats end whatever they judge.
    """
    began = time.monotonic()
    if question.terms.command and not question.terms.trust:
        text = "tests are code of the repositories: say that these are trusted (--trust)"
        raise Refused("untrusted", text, question.terms.command[0])
    for name, mirror in question.mirrors.items():
        try:
            objects_of(mirror)
        except BadInput as error:
            raise BadInput(error.code, error.text, f"{name}: {mirror}") from error
    given = await asyncio.to_thread(read_rows, question.rows)
    terms = question.terms
    agreed = {
        "understudy": question.version,
        "scope": terms.scope or "default",
        "severity": terms.severity or "default",
        "tests": shlex.join(terms.command) or ("of the rows" if terms.trust else "none"),
    }
    lines = lines_of(question.out)
    out = await asyncio.to_thread(OutFile, lines, agreed)
    summary = BatchSummary(
        len(given.rows), found=len(out.done), mended=out.n_mended, renamed=given.renamed
    )
    try:
        await _Driver(question, out, summary, progress, _todo(given, out, question, summary)).run()
    finally:
        await asyncio.to_thread(out.close)
    if lines != question.out:
        await asyncio.to_thread(write_table, lines, question.out)
    summary.missing = sum(row.id not in out.done for row in given.rows)
    summary.verdicts, summary.seconds = out.verdicts, time.monotonic() - began
    return summary


def _todo(
    given: GivenRows, out: OutFile, question: BatchQuestion, summary: BatchSummary
) -> list[BatchRow]:
    """The rows that are to be judged; those that cannot be are written at once."""
    todo: list[BatchRow] = []
    bad: list[str] = []
    for row in given.rows:
        error = row.bad
        if error is None and row.repo not in question.mirrors:
            error = BadInput(
                "no-mirror", "no mirror is named for this repository (--mirrors)", row.repo
            )
        if error is not None:
            bad.append(f"{row.id}: {error}")
        if row.id in out.done:
            continue
        if error is None:
            todo.append(row)
        else:
            out.write({**_of(row), **refused(error), "attempt": 0})
            summary.judged += 1
    summary.bad = tuple(bad)
    return todo


async def _engine(question: BatchQuestion) -> LocalEngine | RayEngine:
    if question.engine is None:
        return LocalEngine(question.seats)
    from understudy.app.batch.on_ray import RayEngine  # noqa: PLC0415 - few have an engine

    return await asyncio.to_thread(RayEngine.open, question.engine, question.seats, seats_here())


class _Driver:
    """Hands lots to seats, and writes what comes back; the only one that writes."""

    def __init__(
        self,
        question: BatchQuestion,
        out: OutFile,
        summary: BatchSummary,
        progress: Progress,
        todo: list[BatchRow],
    ) -> None:
        self._question = question
        self._out = out
        self._summary = summary
        self._progress = progress
        self._queue = LotQueue.of(todo)
        self._n_todo = len(todo)
        self._n_done = 0
        self._n_lost_in_a_row = 0
        self._began = time.monotonic()
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self._heard = time.monotonic()
        self._n_out = 0

    async def run(self) -> None:
        """Judge all that is to be judged; at the end, however it comes, nothing of it runs on."""
        if not self._n_todo:
            return
        engine = await _engine(self._question)
        terms = self._question.terms
        seats = [engine.seat(n, terms) for n in range(min(engine.n_seats, self._n_todo))]
        working = [asyncio.ensure_future(self._work(seat)) for seat in seats]
        try:
            await self._until_ended(working)
        finally:
            for one in working:
                one.cancel()
            await asyncio.gather(*working, return_exceptions=True)
            await engine.close()

    async def _until_ended(self, working: Sequence[asyncio.Future[None]]) -> None:
        """Wait for the last row, and raise what a seat raises; OutsideFailure `no-seat` if none is.

        A seat that an engine has no place for waits for ever; the others do its share.
        """
        left = {*working}
        longest = 2 * START_S + row_limit(self._question.terms)
        while left:
            done, left = await asyncio.wait(
                left, timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED
            )
            for one in done:
                one.result()
            if time.monotonic() - self._heard > longest:
                text = f"no seat was begun and none has answered within {longest:.0f} s"
                raise OutsideFailure("no-seat", text, self._question.engine)

    async def _opened(self, seat: BatchSeat) -> bool:
        """Whether the seat is ready; False if all rows have their answers before."""
        opening = asyncio.ensure_future(seat.open())
        ending = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({opening, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not opening.done():
                return False
            opening.result()
        finally:
            for one in (opening, ending):
                one.cancel()
            await asyncio.gather(opening, ending, return_exceptions=True)
        return True

    async def _work(self, seat: BatchSeat) -> None:
        """One seat from its first lot to the last; a lost one is begun again."""
        at: Place | None = None
        try:
            while not self._ended.is_set():
                try:
                    if not await self._opened(seat):
                        return
                except SeatLost as lost:
                    self._count_lost(lost)
                    continue
                self._heard = time.monotonic()
                self._changed.clear()
                taken = self._queue.take(at)
                if taken is None:
                    if not self._n_out and not len(self._queue):
                        self._ended.set()  # no seat has rows, and none may take any
                        return
                    await self._changed.wait()  # another may take the rest, or give rows back
                    continue
                is_new = taken[0] != at
                at, lot = taken
                self._n_out += 1
                try:
                    is_lost = await self._judge(seat, at, lot, is_new=is_new)
                finally:
                    self._n_out -= 1
                    self._changed.set()
                at = None if is_lost else at
        finally:
            await seat.close()

    async def _judge(
        self, seat: BatchSeat, at: Place, lot: list[BatchRow], *, is_new: bool
    ) -> bool:
        """A lot; whether the seat was lost with it."""
        waiting, began = list(lot), time.monotonic()
        try:
            async for found in seat.judge(at, self._question.mirrors[at[0]], lot):
                self._n_lost_in_a_row, self._heard = 0, time.monotonic()
                seconds = float(found.get("seconds", 0.0))
                is_first = is_new and len(waiting) == len(lot)
                self._queue.timed(seconds, self._heard - began - seconds if is_first else None)
                self._write(waiting.pop(0), found)
        except SeatLost as lost:
            given_up = self._queue.lost(at, waiting)
            if given_up is not None:
                text = f"{lost.why}, each time this row was judged; its last words: {lost.words}"
                self._write(given_up, refused(OutsideFailure("seat-lost", text)), "failed")
                self._n_lost_in_a_row = 0
            self._count_lost(lost)
            return True
        return False

    def _count_lost(self, lost: SeatLost) -> None:
        """Raise OutsideFailure `seats-end` where seats end whatever they judge."""
        self._summary.seats_lost += 1
        self._n_lost_in_a_row += 1
        if self._n_lost_in_a_row >= MOST_LOST_IN_A_ROW:
            text = f"{self._n_lost_in_a_row} seats ended without one row between them"
            raise OutsideFailure("seats-end", f"{text}: {lost.why}; {lost.words}") from lost

    def _write(self, row: BatchRow, found: Mapping[str, Any], verdict: str | None = None) -> None:
        told = {**found, "verdict": verdict or found["verdict"]}
        attempt = self._queue.tries.get(row.id, 0) + (verdict is None)
        self._out.write({**_of(row), **told, "id": row.id, "attempt": attempt})
        self._summary.judged += 1
        self._n_done += 1
        self._tell()

    def _tell(self) -> None:
        rate = self._n_done / max(time.monotonic() - self._began, 1e-6)
        left = (self._n_todo - self._n_done) / rate
        counted = ", ".join(f"{n} {name}" for name, n in sorted(self._out.verdicts.items()))
        self._progress(
            f"{counted}; {rate:.1f} rows/s, {left:.0f} s left", self._n_done, self._n_todo
        )


def _of(row: BatchRow) -> dict[str, Any]:
    """The columns of a row that it came with."""
    return {
        "id": row.id,
        "instance_id": row.instance_id,
        "model_name_or_path": row.model,
        "repo": row.repo,
        "base_commit": row.revision,
        "patch_sha256": row.digest,
    }
