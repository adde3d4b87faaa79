"""An output that the prompt shows already: it is named, and does not stand there twice."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from understudy.context.events import Event, last_of
from understudy.context.messages import left_of

_LEAST = 400
"""Bytes; what is shorter is said again."""


def shown_before(events: Sequence[Event], data: bytes) -> Event | None:
    """The newest earlier result with exactly these bytes that still stands in the prompt."""
    if len(data) < _LEAST:
        return None
    summary = last_of(events, "summary")
    upto = 0 if summary is None else summary.upto
    gone = left_of(events)
    text = data.decode("utf-8", "surrogateescape")
    sha256 = hashlib.sha256(data).hexdigest()
    for event in reversed(events):
        if event.seq <= upto:
            return None
        if event.kind != "result" or event.form or event.seq in gone:
            continue
        if event.text == text or (event.ref and event.sha256 == sha256):
            return event
    return None


def same_text(before: Event, data: bytes) -> str:
    """What stands for such an output."""
    lines = (line.strip() for line in data[:4000].decode("utf-8", "replace").split("\n"))
    first = next((line for line in lines if line), "")[:80]
    where = f"; the whole is in {before.ref}" if before.ref else ""
    return (
        f"[understudy] the same {len(data)} bytes as an output of {before.tool} above, which "
        f"begins with {first!r}{where}"
    )
