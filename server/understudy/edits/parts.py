"""The change of one file as parts that can be taken one by one: its hunks.

A hunk is a run of lines that two texts do not share, without lines around it. What has no sound
halves (a new, deleted or renamed file, another encoding) is one hunk.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from understudy.values.frozen import frozen
from understudy.values.lines import matching_blocks, split_lines
from understudy.values.texts import Text


@frozen(slots=True)
class EditPart:
    """One hunk: lines `start` to `end` of the text before become lines `new_start` to `new_end`.

    Lines are 0-based, ends are exclusive. `id` names what the hunk does, and where only if the file
    has it twice: it stays the same while other places of the file change.
    """

    id: str
    start: int
    end: int
    new_start: int
    new_end: int
    removed: tuple[str, ...]
    added: tuple[str, ...]


def parts_of(before: Text | None, after: Text | None) -> tuple[EditPart, ...]:
    """All hunks between two texts, in their order; none if they are the same."""
    if before == after:
        return ()
    old, new = (split_lines(text.content) if text is not None else [] for text in (before, after))
    if before is None or after is None or _form(before) != _form(after):
        spans = [(0, len(old), 0, len(new))]
    else:
        spans = list(_spans(old, new))
    bodies = [(tuple(old[a:b]), tuple(new[c:d])) for a, b, c, d in spans]
    times = Counter(bodies)
    whole = (before is None, after is None)
    return tuple(
        EditPart(_id(body, span if times[body] > 1 else None, whole), *span, *body)
        for span, body in zip(spans, bodies, strict=True)
    )


def with_parts(before: Text, parts: Collection[EditPart], after: Text) -> Text:
    """The text before with some of its hunks; with all of them it is the text after."""
    lines = split_lines(before.content)
    made: list[str] = []
    at = 0
    for part in sorted(parts, key=lambda part: part.start):
        made += [*lines[at : part.start], *part.added]
        at = part.end
    form = after if parts and _form(before) != _form(after) else before
    return form.replaced("".join([*made, *lines[at:]]))


def _spans(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    at = new_at = 0
    for start, new_start, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        if (at, new_at) != (start, new_start):
            yield at, start, new_at, new_start
        at, new_at = start + size, new_start + size


def _id(
    body: tuple[tuple[str, ...], tuple[str, ...]],
    span: tuple[int, int, int, int] | None,
    whole: tuple[bool, bool],
) -> str:
    named = repr((body, span, whole)).encode("ascii", "backslashreplace")
    return hashlib.sha256(named).hexdigest()[:12]


def _form(text: Text) -> tuple[str, bool]:
    return (text.encoding, text.bom)
