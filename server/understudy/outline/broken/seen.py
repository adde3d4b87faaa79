"""The text whose pieces are looked at: with its gaps bridged, and without its block comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from understudy.outline.finds import Source, bridge_gaps
from understudy.outline.spans import Span

_BLOCK_COMMENT = re.compile(rb"^[ \t]*/\*.*?\*/", re.MULTILINE | re.DOTALL)
"""At the beginning of a line, where no text of a program's own is likely to have one."""
_BLANK = bytes(byte if byte in b"\r\n" else 32 for byte in range(256))


def seen_text(
    source: Source, regions: Sequence[Span], bridged: bytes, spans: Sequence[Span]
) -> bytes:
    """The text, of the same length, with these regions made ready; `bridged` is so in `spans`."""
    parts: list[bytes] = []
    position = 0
    for start, end in regions:
        index = bisect_right(spans, start, key=lambda span: span[0]) - 1
        is_ready = index >= 0 and end <= spans[index][1]
        part = bridged[start:end] if is_ready else made_ready(source, (start, end))
        parts += (source.data[position:start], part)
        position = end
    return b"".join((*parts, source.data[position:]))


def made_ready(source: Source, region: Span) -> bytes:
    """A region with all gaps bridged that its language may have."""
    return bridge_gaps(without_blocks(source, region), source.language.with_rare_gaps)


def without_blocks(source: Source, region: Span) -> bytes:
    """A region without block comments: a piece may begin within one, whose words are none."""
    text = source.data[region[0] : region[1]]
    if b"//" not in source.language.comment:  # the others have none that begin with `/*`
        return text
    return _BLOCK_COMMENT.sub(lambda found: found[0].translate(_BLANK), text)
