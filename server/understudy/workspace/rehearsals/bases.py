"""Which text of the user's a command's edit is of: pure functions of what was seen.

A command may have the user's file open from before the user replaced it: what it writes then is an
edit of the old text, although the folder has another by now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum

from understudy.shadow.merge import merge_texts
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import Text

CLOCK_NS = 20_000_000
"""The time that the kernel gives to changed files may lie that far behind its clock."""
SOON_NS = 60_000_000_000
"""How long after a text is shown an edit may still be one of the text before: agents think."""


_MOST_WHOLE, _WHOLE_BYTES = 8, 1 << 20
"""So many of the newest texts of a file are kept, or as many as have so few bytes together."""


class Lost(Enum):
    """The text of a version that nobody has read in time."""

    text = "lost"


LOST = Lost.text


@frozen(slots=True)
class Version:
    """One state of a file of the user's.

    `source` is how the kernel names the inode (None: it has no name), `from_ns` when it came to be,
    `shown_ns` when the stage was seen to show it (None: not yet); in ns since 1970.
    """

    data: bytes | Lost | None
    source: bytes | None
    from_ns: int
    shown_ns: int | None = None


def let_go(versions: list[Version]) -> None:
    """Let old texts of one file go, in place, once they are many, and large; newest last.

    The first stays, and the newest that was shown. That there was another one stays known, with all
    but its text: an edit that could be of it is one of nobody knows what, and of no other.
    """
    shown = max(
        index for index, one in enumerate(versions) if one.shown_ns is not None or not index
    )
    n_bytes = 0
    for index in range(len(versions) - 1, 0, -1):
        data = versions[index].data
        n_bytes += len(data) if isinstance(data, bytes) else 0
        is_new = len(versions) - index <= _MOST_WHOLE
        if not is_new and index != shown and n_bytes > _WHOLE_BYTES:
            versions[index] = replace(versions[index], data=LOST)


def possible(
    versions: Sequence[Version],
    source: bytes | None,
    born_ns: int,
    written_ns: int,
    followed_until_ns: int | None = None,
) -> tuple[Version, ...]:
    """Those versions, oldest first, that a file of the stage can be an edit of.

    It was written at `written_ns`, in an inode that was made at `born_ns` (0: not known) as a copy
    of `source`; that is empty where the kernel has noted none, None where it is not known. Who
    writes a while after a version was shown has seen it; whoever writes before may not have. What
    came to be after `followed_until_ns` nobody has seen before it was shown (None: they may have).
    """
    first, last = 0, len(versions) - 1
    for index, version in enumerate(versions):
        if version.shown_ns is not None and written_ns > version.shown_ns + SOON_NS:
            first = index
    for index, version in enumerate(versions):
        is_there = not born_ns or version.from_ns <= born_ns + CLOCK_NS
        if source and version.source == source and is_there:
            last = index
    until_ns = written_ns if followed_until_ns is None else min(written_ns, followed_until_ns)
    return tuple(
        one
        for one in versions[min(first, last) : last + 1]
        if one.from_ns <= (until_ns if one.shown_ns is None else written_ns) + CLOCK_NS
    )


def base_among(
    candidates: Sequence[Version], after: bytes | None, now: bytes | None
) -> tuple[bytes | None, bool]:
    """The base, and whether it is known: all candidates are one text, or merge to the same."""
    texts: list[bytes | None] = []
    for one in reversed(candidates):  # a text that came back is as new as it can be
        if one.data is LOST:
            return None, False
        if one.data not in texts:
            texts.insert(0, one.data)
    if not texts:
        return None, False
    newest = texts[-1]
    if newest is not None and after is not None and _has_all(after, newest):
        # Who has all lines of it, some of them new, has seen it.
        texts = [one for one in texts if one is newest or _has_all(one or b"", newest)]
    if len(texts) == 1:
        return texts[0], True
    results = {_merged(text, after, now) for text in texts}
    if len(results) == 1 and None not in results:
        return newest, True
    return None, False


def _has_all(text: bytes, lines: bytes) -> bool:
    """Whether a text has these lines, in this order, and there are some."""
    left = iter(text.splitlines())
    return bool(lines.strip()) and all(line in left for line in lines.splitlines())


def _merged(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> object:
    """What a merge gives; None where it collides, or they are no texts."""
    try:
        sides = [None if side is None else Text.decode(side) for side in (base, ours, theirs)]
    except BadInput:
        return None
    merged = merge_texts(*sides)
    return None if merged.conflicts else (merged.text,)
