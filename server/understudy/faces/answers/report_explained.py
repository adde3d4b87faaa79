"""What is known of a finding, as lines below it: within 120 tokens, together with the finding."""

from __future__ import annotations

from collections.abc import Iterator

from understudy.values.printable import printable
from understudy.workspace.branches.checked import Explanation

MOST_BYTES = 480
"""Of a finding with all that is said of it: 120 tokens."""
_NOTE_BYTES = 40


def explanation_lines(explained: Explanation, used: int) -> Iterator[str]:
    """The lines that fit beside the `used` bytes, what matters most first; the rest is counted."""
    lines = [printable(f"    {' | '.join(line.splitlines())}") for line in _lines(explained)]
    room = MOST_BYTES - used
    for number, line in enumerate(lines):
        is_last = number == len(lines) - 1
        room -= len(line.encode("utf-8", "replace")) + 1
        if room < (0 if is_last else _NOTE_BYTES):
            yield f"    ({len(lines) - number} more with --format json)"
            return
        yield line


def _lines(explained: Explanation) -> Iterator[str]:
    for fix in explained.fixes:
        if fix.helps:
            yield f"fix: {fix.title} (tried: it helps)"
    if explained.declared is not None:
        place = explained.declared
        yield f"declared: {place.path}:{place.line + 1}: {place.text}"
    if explained.signature is not None:
        yield f"signature: {explained.signature}"
    if explained.unknown is not None:
        yield f"its server was not asked: {explained.unknown}"
    if explained.nearest:
        yield f"nearest: {', '.join(explained.nearest)}"
    if explained.chain:
        by = f" by {', '.join(explained.names)}" if explained.names else ""
        yield f"chain: {' -> '.join(explained.chain)}{by}"
    for place in explained.related:
        yield f"see: {place.path}:{place.line + 1}: {place.text}"
    for fix in explained.fixes:
        if not fix.helps:
            yield f"fix: {fix.title} (no: {fix.leaves})" if fix.title else f"fixes: {fix.leaves}"
    if explained.rule is not None:
        yield f"rule: {explained.rule}"
