"""What lies on disk and may have been written by anybody, or half: git's index, the journal."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from functools import cache

from tests.fuzz.targets.model import FuzzTarget, chosen, scratch
from understudy.disk.folder.git_index import read_git_index
from understudy.disk.journal.journal import Journal
from understudy.values.errors import UnderstudyError


def _index(data: bytes) -> None:
    which, rest = chosen(data, 4)
    file = scratch() / "index"
    file.write_bytes(rest)
    read_git_index(file, (b"", b"a/")[which % 2], (20, 32)[which // 2])


@cache
def _fresh() -> bytes:
    path = scratch() / "fresh.sqlite"

    async def made() -> None:
        journal = await Journal.open(path)
        await journal.load()
        await journal.close()

    asyncio.run(made())
    return path.read_bytes()


def _journal(data: bytes) -> None:
    """A journal some of whose bytes are others: it opens, or says what is wrong with it."""
    whole = bytearray(_fresh())
    for at in range(0, len(data) - 2, 3):
        whole[int.from_bytes(data[at : at + 2], "big") % len(whole)] = data[at + 2]
    path = scratch() / "journal.sqlite"
    for beside in path.parent.glob("journal.sqlite*"):
        beside.unlink()
    path.write_bytes(whole)

    async def opened() -> None:
        journal = await Journal.open(path)
        try:
            await journal.load()
        finally:
            await journal.close()

    with contextlib.suppress(UnderstudyError, sqlite3.Error):
        asyncio.run(opened())


TARGETS = (
    FuzzTarget(
        "index",
        _index,
        (
            b"\x00DIRC\0\0\0\x02\0\0\0\x01" + b"\0" * 62 + b"a.py\0\0\0\0",
            b"\x01DIRC\0\0\0\x04\0\0\0\x02",
        ),
    ),
    FuzzTarget("journal", _journal, (b"\0\x10a\x01\0b", b"\x0f\xf0\xff")),
)
