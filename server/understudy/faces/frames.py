"""Messages with a `Content-Length` header (LSP 3.17, "Base Protocol"), as bytes."""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

_LENGTH = re.compile(rb"content-length:\s*(\d+)\s*", re.IGNORECASE)


class FrameReader(Protocol):
    """What frames are read from: asyncio's reader, or one that waits for standard input."""

    async def readline(self) -> bytes:
        """The next line with its end; what there is of it at the end of the stream."""
        ...

    async def readexactly(self, n: int) -> bytes:
        """So many bytes."""
        ...


async def read_frame(reader: FrameReader) -> bytes | None:
    """The body of the next message; None at the end of the stream, or of what can be read."""
    length: int | None = None
    try:
        while line := await reader.readline():
            if line.strip():
                found = _LENGTH.fullmatch(line.strip())
                length = int(found[1]) if found else length
            elif length is not None:
                body = await reader.readexactly(length)
                return body if len(body) == length else None
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return None  # the latter: a header line without end
    return None


def frame(body: bytes) -> bytes:
    """A body as it goes over the wire."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class ReplayingReader:
    """Keeps what is read from it, until it is told to give it once more."""

    def __init__(self, reader: FrameReader) -> None:
        self._reader = reader
        self._kept: bytearray | None = bytearray()
        self._again = b""

    def replay(self) -> None:
        """Give all that was read once more, and then the rest."""
        assert self._kept is not None
        self._again, self._kept = bytes(self._kept), None

    async def readline(self) -> bytes:
        """As FrameReader has it."""
        end = self._again.find(b"\n") + 1
        if end:
            line, self._again = self._again[:end], self._again[end:]
            return line
        line, self._again = self._again, b""
        return self._keep(line + await self._reader.readline())

    async def readexactly(self, n: int) -> bytes:
        """As FrameReader has it."""
        data, self._again = self._again[:n], self._again[n:]
        if len(data) < n:
            data += await self._reader.readexactly(n - len(data))
        return self._keep(data)

    def _keep(self, data: bytes) -> bytes:
        if self._kept is not None:
            self._kept += data
        return data
