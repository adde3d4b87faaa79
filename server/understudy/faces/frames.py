"""Messages with a `Content-Length` header (LSP 3.17, "Base Protocol"), as bytes."""

from __future__ import annotations

import asyncio
import re
from typing import Protocol

from understudy.values.errors import BadInput

HEADER_LIMIT = 1 << 20
"""Bytes that a header may have."""

_LENGTH = re.compile(rb"content-length:\s*(\d+)\s*", re.IGNORECASE)


class FrameReader(Protocol):
    """What frames are read from: asyncio's reader, or one that waits for standard input."""

    async def readline(self) -> bytes:
        """The next line with its end; what there is of it at the end of the stream."""
        ...

    async def readexactly(self, n: int) -> bytes:
        """So many bytes."""
        ...


async def read_frame(reader: FrameReader, most: int | None = None) -> bytes | None:
    """The body of the next message; None at the end of the stream, or of what can be read.

    Raises BadInput `too-large` for one of more than `most` bytes, of which nothing is read.
    """
    length: int | None = None
    try:
        while line := await reader.readline():
            if line.strip():
                found = _LENGTH.fullmatch(line.strip())
                length = int(found[1]) if found else length
            elif length is not None:
                if most is not None and length > most:
                    raise BadInput("too-large", f"a message has at most {most} bytes", str(length))
                body = await reader.readexactly(length)
                return body if len(body) == length else None
    except (asyncio.IncompleteReadError, ConnectionError, ValueError):
        return None  # the latter: a header line without end
    return None


def frame(body: bytes) -> bytes:
    """A body as it is sent."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class Frames:
    """Finds messages in a stream that comes in pieces, by the rules of `read_frame`."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._length: int | None = None
        self.is_broken = False
        """A header line without end: nothing more can be read."""

    def feed(self, data: bytes) -> list[bytes]:
        """The bodies of the messages that are whole by now, in order."""
        self._data += data
        bodies: list[bytes] = []
        while (body := self._next()) is not None:
            bodies.append(body)
        return bodies

    def _next(self) -> bytes | None:
        at = 0
        while end := self._data.find(b"\n", at) + 1:
            line = self._data[at:end].strip()
            found = _LENGTH.fullmatch(line)
            self._length = int(found[1]) if found else self._length
            if self._length is None:
                del self._data[:end]
            elif line:
                at = end
            elif len(self._data) < end + self._length:
                return None  # its header is read once more: it is short
            else:
                body = bytes(self._data[end : end + self._length])
                del self._data[: end + self._length]
                self._length = None
                return body
        self.is_broken = len(self._data) - at > HEADER_LIMIT
        return None


class ContinuedReader:
    """A stream of which the beginning was read already: gives that first."""

    def __init__(self, beginning: bytes, reader: FrameReader) -> None:
        self._again = beginning
        self._reader = reader

    async def readline(self) -> bytes:
        """As FrameReader has it."""
        end = self._again.find(b"\n") + 1
        if end:
            line, self._again = self._again[:end], self._again[end:]
            return line
        line, self._again = self._again, b""
        return line + await self._reader.readline()

    async def readexactly(self, n: int) -> bytes:
        """As FrameReader has it."""
        data, self._again = self._again[:n], self._again[n:]
        return data if len(data) == n else data + await self._reader.readexactly(n - len(data))
