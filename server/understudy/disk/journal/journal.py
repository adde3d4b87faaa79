"""The journal: branches on disk, each batch of edits in one transaction before it is acknowledged.

SQLite in WAL mode with `synchronous=NORMAL`: a committed batch is with the kernel, so it survives
`kill -9`; what a power cut may take is bounded by writing through shortly after, not within every
edit (https://www.sqlite.org/wal.html, https://www.sqlite.org/pragma.html#pragma_synchronous). All
statements run in one worker thread, never on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Literal, TypeVar

from understudy.disk.journal import accepts, rows
from understudy.disk.journal.file import failure_of, is_damage, open_database
from understudy.shadow.branch import Branch
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

T = TypeVar("T")
log = logging.getLogger(__name__)
WRITTEN_THROUGH_AFTER_S = 0.05
"""The disk itself has a committed batch after that long: the most that a power cut may take."""

Ended = Literal["expired", "discarded", "accepted"]


@frozen
class Archived:
    """A branch that is out of memory: when, in s since 1970, why, and how many files it touches."""

    id: str
    title: str
    created: float
    used: float
    revision: int
    n_files: int
    archived: float
    ended: Ended


@frozen
class Journalled:
    """What a journal held when it was opened; `next_number` names the next branch."""

    branches: tuple[Branch, ...]
    archived: tuple[Archived, ...]
    next_number: int


class Journal:
    """The open journal of one workspace, whose host lock the caller holds."""

    def __init__(
        self, database: sqlite3.Connection, thread: ThreadPoolExecutor, path: Path
    ) -> None:
        self._database = database
        self._thread = thread
        self._path = path
        self._closed = False
        self.is_read_only = bool(database.execute("PRAGMA query_only").fetchone()[0])
        """Its disk took nothing more when it was opened: what writes is refused."""
        self._writing_through: asyncio.TimerHandle | None = None

    @staticmethod
    async def open(path: Path) -> Journal:
        """Open or make the journal.

        Raises OutsideFailure `journal-damaged` (the file is kept aside under the name in the text;
        opening again starts an empty one), `journal-failed`; Refused `journal-newer`. Where the
        disk takes nothing more, what writes raises OutsideFailure `state-full`, `state-unwritable`.
        """
        thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(
                thread, lambda: Journal(open_database(path), thread, path)
            )
        except BaseException:  # whatever it is: undone, and raised again
            thread.shutdown(wait=False)
            raise

    async def load(self) -> Journalled:
        """Return all branches; texts stay compressed."""

        def read(database: sqlite3.Connection) -> Journalled:
            return Journalled(
                rows.read_branches(database),
                tuple(Archived(*row) for row in rows.read_archived(database)),
                rows.next_number(database),
            )

        return await self._run(read)

    async def record(self, before: Branch | None, after: Branch, edits: object = None) -> None:
        """Keep a branch's new state, and the edits as they were sent, in one transaction.

        `before` is the state kept until now; None for a new branch.
        """
        await self._run(lambda database: rows.write_branch(database, before, after, edits))

    async def archive(self, branch_id: str, when: float, ended: Ended) -> None:
        """Put a branch away; it stays listed until `purge`. An accept of it is over."""

        def archive(database: sqlite3.Connection) -> None:
            rows.set_archived(database, branch_id, when, ended)
            accepts.delete_accept(database, branch_id)

        await self._run(archive)

    def begin_accept(self, accept: accepts.BegunAccept) -> None:
        """Keep what an accept is about to do; it is on disk when this returns.

        This and `set_prepared` are for the thread that writes, never for the event loop.
        """
        self._run_through(lambda database: accepts.write_accept(database, accept))

    def set_prepared(self, branch_id: str) -> None:
        """Keep that the files of an accept lie prepared; it is on disk when this returns."""
        self._run_through(lambda database: accepts.set_prepared(database, branch_id))

    async def forget_accept(self, branch_id: str) -> None:
        """An accept has been taken back, and its branch stays."""
        await self._run(lambda database: accepts.delete_accept(database, branch_id))

    async def begun_accepts(self) -> list[accepts.BegunAccept]:
        """The accepts that were never ended: a kill has left them."""
        return await self._run(accepts.read_accepts)

    async def split(
        self, before: Branch, after: Branch, part: Branch, when: float, ended: Ended
    ) -> None:
        """Keep a branch without a part of it, and that part as one that is put away.

        An accept of that part is over.
        """

        def split(database: sqlite3.Connection) -> None:
            rows.write_branch(database, before, after, None)
            rows.write_branch(database, None, part, None)
            rows.set_archived(database, part.id, when, ended)
            if ended == "accepted":
                accepts.delete_accept(database, before.id)

        await self._run(split)

    async def revive(self, branch_id: str, when: float) -> Branch:
        """Take a branch out of the archive again."""

        def revive(database: sqlite3.Connection) -> Branch:
            rows.set_archived(database, branch_id, None, None)
            rows.set_used(database, {branch_id: when})
            return rows.read_branches(database, branch_id)[0]

        return await self._run(revive)

    async def set_used(self, used: Mapping[str, float]) -> None:
        """Keep when branches were last used."""
        await self._run(lambda database: rows.set_used(database, used))

    async def purge(self, archived_before: float) -> Sequence[str]:
        """Delete branches archived before that time, and every text that nothing names any more."""
        return await self._run(lambda database: rows.purge(database, archived_before))

    async def batches(self, branch_id: str) -> list[object]:
        """All batches of a branch as they were sent, oldest first."""
        return await self._run(lambda database: rows.read_batches(database, branch_id))

    async def close(self) -> None:
        """Finish what is under way and close the file; a second call does nothing."""
        if not self._closed:
            self._closed = True
            if self._writing_through is not None:
                self._writing_through.cancel()  # closing does it
            await asyncio.get_running_loop().run_in_executor(self._thread, self._database.close)
            self._thread.shutdown()

    async def _run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        self._refuse_closed()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._thread, self._transaction, work)
        finally:
            if self._writing_through is None and not self._closed:
                self._writing_through = loop.call_later(
                    WRITTEN_THROUGH_AFTER_S, self._begin_to_write_through
                )

    def _run_through(self, work: Callable[[sqlite3.Connection], object]) -> None:
        """Run a transaction and wait until the disk has it; not on the event loop."""

        def transaction() -> None:
            self._transaction(work)
            try:
                self._write_wal()
            except OSError as error:
                text = f"it is not written to the disk: {error.strerror}"
                raise OutsideFailure("journal-failed", text, str(self._path)) from error

        self._refuse_closed()
        self._thread.submit(transaction).result()

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with self._database:
                self._database.execute("BEGIN")  # there is no other connection to wait for
                return work(self._database)
        except sqlite3.Error as error:
            if not is_damage(error):
                raise failure_of(error, self._path) from error
            self._database.close()
            failure = failure_of(error, self._path)
            if failure.code != "journal-damaged":
                self._database = open_database(self._path)
            raise failure from error

    def _refuse_closed(self) -> None:
        if self._closed:
            raise OutsideFailure("journal-failed", "the journal is closed", str(self._path))

    def _begin_to_write_through(self) -> None:
        self._writing_through = None
        self._thread.submit(self._write_through)

    def _write_through(self) -> None:
        try:
            self._write_wal()
        except FileNotFoundError:
            return  # it is read in memory: nothing was written
        except OSError as error:
            log.warning("the journal is not written through to the disk: %s", error)

    def _write_wal(self) -> None:
        with self._path.with_name(f"{self._path.name}-wal").open("rb") as wal:
            os.fsync(wal.fileno())
