"""The marks of our shell scripts in a terminal's stream: where each command begins and ends.

A mark is `ESC ] 7717 ; nonce ; kind ; … BEL`. Only the shell knows the nonce, so whatever a program
prints, only the shell can make one; and they are found by their bytes, so a sequence that a program
left unfinished does not hide them.
"""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from understudy.values.frozen import frozen

MAX_MARK = 65_536
"""Bytes; what goes on for longer without its end was not made by our scripts."""

IN_ITS_PLACE = b"\x1b\\"
"""What the terminal's state is told instead of a mark: it ends unfinished sequences as that did."""


@frozen
class Begun:
    """A command line was read and runs now; None: the shell does not keep it in its history."""

    cwd: str
    command: str | None
    left_out: int
    """Characters at the end of the command line that the mark does not hold."""


@frozen
class Ended:
    """The shell is about to prompt again; `cwd` is empty where the mark does not say it."""

    exit_code: int | None
    cwd: str


@frozen
class Typing:
    """The prompt is drawn: what follows is the user's line."""


Mark = Begun | Ended | Typing


def start_of_marks(nonce: str) -> bytes:
    """The bytes that every mark of a session begins with."""
    return b"\x1b]7717;" + nonce.encode("ascii") + b";"


class MarkSplitter:
    """Takes marks out of a stream that comes in chunks of any size."""

    def __init__(self, nonce: str | None) -> None:
        self._start = None if nonce is None else start_of_marks(nonce)
        self._held = b""

    def split(self, data: bytes) -> Iterator[bytes | Mark]:
        """What lies between the marks, and the marks, in their order."""
        start = self._start
        if start is None:
            yield data
            return
        data, self._held = self._held + data, b""
        at = 0
        while (found := data.find(start, at)) >= 0:
            if found > at:
                yield data[at:found]
            end = data.find(b"\x07", found)
            if end < 0 and len(data) - found < MAX_MARK:
                self._held = data[found:]
                return
            if end < 0:
                at = found
                break
            mark = _parsed(data[found + len(start) : end])
            if mark is not None:
                yield mark
            at = end + 1
        kept = _begun_at(data, start, at)
        if kept > at:
            yield data[at:kept]
        self._held = data[kept:]

    def rest(self) -> bytes:
        """What was held back as the possible start of a mark; the stream has ended."""
        held, self._held = self._held, b""
        return held


def _begun_at(data: bytes, start: bytes, at: int) -> int:
    """Where the start of a mark begins that the data break off in; their length if none does."""
    found = data.rfind(b"\x1b", max(at, len(data) - len(start) + 1))
    return found if found >= 0 and start.startswith(data[found:]) else len(data)


def _parsed(body: bytes) -> Mark | None:
    kind, *parts = body.split(b";", 3)
    if kind == b"B" and not parts:
        return Typing()
    if kind == b"D" and parts:
        code = parts[0].decode("ascii", "replace")
        cwd = _decoded(parts[1]) if len(parts) > 1 else ""
        return Ended(int(code) if code.isdecimal() else None, cwd)
    if kind == b"C" and len(parts) == 3:
        length = parts[1].decode("ascii", "replace")
        if not length.isdecimal():
            return Begun(_decoded(parts[0]), None, 0)
        command = _decoded(parts[2])
        return Begun(_decoded(parts[0]), command, max(int(length) - len(command), 0))
    return None


def _decoded(parameter: bytes) -> str:
    return unquote_to_bytes(parameter).decode("utf-8", "replace")
