"""Which text of the user's a command's edit is of: pure functions of what was seen.

A command may have the user's file open from before the user replaced it: what it writes then is an
edit of the old text, although the folder has another by now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from understudy.shadow.merge import merge_texts
from understudy.values.errors import BadInput
from understudy.values.texts import Text

CLOCK_NS = 20_000_000
"""The time that the kernel gives to changed files may lie that far behind its clock."""


class Lost(Enum):
    """The text of a version that nobody has read in time."""

    text = "lost"


LOST = Lost.text


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a file of the user's.

    `source` is how the kernel names the inode (None: it has no name), `from_ns` when it came to be,
    `shown_ns` when the stage was seen to show it (None: not yet); in ns since 1970.
    """

    data: bytes | Lost | None
    source: bytes | None
    from_ns: int
    shown_ns: int | None = None


def possible(
    versions: Sequence[Version], source: bytes | None, born_ns: int
) -> tuple[Version, ...]:
    """Those versions, oldest first, that a file of the stage can be an edit of.

    The file was made at `born_ns` (0: not known), as a copy of `source`; that is empty where it was
    made anew, None where it is not known.
    """
    first = 0
    for index, version in enumerate(versions):
        if version.shown_ns is not None and born_ns > version.shown_ns:
            first = index  # nobody who looks from then on finds an older one
    left = [one for one in versions[first:] if not born_ns or one.from_ns <= born_ns + CLOCK_NS]
    if not source:
        return tuple(left)
    same = [one for one in versions if one.source == source]
    if not same:
        return tuple(one for one in left if one.source is None)
    return tuple(
        one
        for index, one in enumerate(same)
        if not born_ns or (one.from_ns <= born_ns + CLOCK_NS and _lasts(same, index, born_ns))
    )


def _lasts(same: Sequence[Version], index: int, born_ns: int) -> bool:
    """Whether a version was not yet written over, in the same inode, when the copy was made."""
    return index + 1 == len(same) or same[index + 1].from_ns >= born_ns - CLOCK_NS


def base_among(
    candidates: Sequence[Version], after: bytes | None, now: bytes | None
) -> tuple[bytes | None, bool]:
    """The base, and whether it is known: all candidates are one text, or merge to the same."""
    texts: list[bytes | None] = []
    for one in candidates:
        if one.data is LOST:
            return None, False
        if one.data not in texts:
            texts.append(one.data)
    if not texts:
        return None, False
    if len(texts) == 1:
        return texts[0], True
    results = {_merged(text, after, now) for text in texts}
    if len(results) == 1 and None not in results:
        return texts[0], True
    return None, False


def _merged(base: bytes | None, ours: bytes | None, theirs: bytes | None) -> object:
    """What a merge gives; None where it collides, or they are no texts."""
    try:
        sides = [None if side is None else Text.decode(side) for side in (base, ours, theirs)]
    except BadInput:
        return None
    merged = merge_texts(*sides)
    return None if merged.conflicts else (merged.text,)
