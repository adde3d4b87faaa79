"""JSON with one item a line, every token as it was written.

Parsing and printing again would change it: 12345678901234567890, 1.10 and repeated keys are lost.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_DEEPEST = 200
LONGEST_LINE = 2000
"""A line of JSON above so many bytes is too long to be searched or shown."""


def pretty(data: bytes) -> bytes | None:
    """The laid out twin of JSON bytes; None if they are none, or have no long line."""
    if not any(len(line) > LONGEST_LINE for line in data.split(b"\n")):
        return None
    try:
        text = data.decode("utf-8")
        json.loads(text)
    except (ValueError, RecursionError):
        return None
    return "".join(_laid_out(text)).encode()


def _laid_out(text: str) -> Iterator[str]:
    depth = 0
    before = ""
    for match in _TOKEN.finditer(text):
        piece = match[0]
        if piece in "}]":
            depth -= 1
            if before not in ("{", "["):
                yield _line(depth)
        elif before in ("{", "["):
            yield _line(depth)
        yield ": " if piece == ":" else piece
        if piece == ",":
            yield _line(depth)
        elif piece in "{[":
            depth += 1
        before = piece
    yield "\n"


def _line(depth: int) -> str:
    return "\n" + "  " * min(depth, _DEEPEST)
