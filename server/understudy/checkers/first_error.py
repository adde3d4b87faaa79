"""The first error that a program printed, whole: what the reason for an unknown file says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence

MOST_CHARACTERS = 800
"""So long is the longest error that is told; what is left out is counted."""

_BEGINS = re.compile(r"(?:[^\s:]+: )?(?:fatal |internal )?error\b.*", re.IGNORECASE)
_TRACEBACK = re.compile(r"Traceback \(most recent call last\):")
_FRAMES = re.compile(r"\s*stack backtrace:", re.IGNORECASE)
_THREAD = re.compile(r"(?<=^thread )('[^']*') \(\d+\)")
"""A panic names its thread by a number that is another one each time (law 8)."""
_DRAWN = re.compile(r"\s*\d*\s*\|.*")
"""The source line of an error, as rustc and cargo draw it: the place stands above it."""


def first_error(text: str) -> str:
    """The first error with its details, on one line; all of the text where none begins in it."""
    lines = text.splitlines()
    begins = [at for at, line in enumerate(lines) if _BEGINS.fullmatch(line)]
    if begins:
        end = begins[1] if len(begins) > 1 else len(lines)
        return joined(lines[begins[0] : end])
    traces = [at for at, line in enumerate(lines) if _TRACEBACK.fullmatch(line.strip())]
    if traces:  # of an exception the last words count
        ends = [at for at in range(traces[0] + 1, len(lines)) if lines[at][:1].strip()]
        return joined(lines[ends[0] :] if ends else lines[traces[0] :])
    return joined(lines)


def joined(lines: Sequence[str]) -> str:
    """The lines of one error on one line, without what a program draws or traces below it."""
    told = list(lines)
    frames = next((at for at, line in enumerate(told) if _FRAMES.fullmatch(line)), len(told))
    kept = [line.strip() for line in told[:frames] if line.strip() and not _DRAWN.fullmatch(line)]
    kept = [_THREAD.sub(r"\1", line) for line in kept]
    left = sum(bool(line.strip()) for line in told[frames + 1 :])
    note = f" … ({left} lines of a stack more)" if left else ""
    return shortened(" | ".join(kept)) + note


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, or its beginning with the number of characters that are left out (law 6)."""
    return text if len(text) <= most else f"{text[:most]} … ({len(text) - most} more characters)"
