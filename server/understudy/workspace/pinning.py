"""Reads big files of the base off the event loop, so that later reads find them pinned."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from understudy.shadow.base import Base
from understudy.values.errors import BadInput

LARGE = 256 * 1024
"""Bytes; smaller files are read, hashed and packed where they are needed, in about 2 ms."""


def is_large(base: Base, path: str) -> bool:
    """Whether reading the path now would read a big file from disk."""
    if path in base.buffers or path in base.folder.pinned():
        return False
    mark = base.folder.files.get(path) or base.folder.reader.fingerprint(path)
    return mark is not None and mark.size > LARGE


async def pin_large(base: Base, paths: Iterable[str]) -> None:
    """Pin the big ones of these files in a thread; raises Moved as reading them does."""
    for path in paths:
        if is_large(base, path):
            await asyncio.to_thread(_pin, base, path)


def _pin(base: Base, path: str) -> None:
    try:
        base.folder.packed(path)
    except BadInput:
        return  # not a text; who reads it next is told so
