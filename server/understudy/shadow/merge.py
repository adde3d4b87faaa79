"""Three-way merge of texts: both sides' changes, or the places where they collide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from understudy.values.lines import matching_blocks, split_lines
from understudy.values.texts import Encoding, Text

T = TypeVar("T")
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class ConflictRegion:
    """Lines that both sides changed, each to something else; starts are 0-based line numbers.

    Lines keep their ends. None instead of lines: the file does not exist on that side.
    """

    base_lines: tuple[str, ...] | None
    ours_lines: tuple[str, ...] | None
    theirs_lines: tuple[str, ...] | None
    base_start: int = 0
    ours_start: int = 0
    theirs_start: int = 0


@dataclass(frozen=True, slots=True)
class Merged:
    """The merged text (None: the file is deleted), or conflicts, and then `text` is None."""

    text: Text | None
    conflicts: tuple[ConflictRegion, ...] = ()


def merge_texts(base: Text | None, ours: Text | None, theirs: Text | None) -> Merged:
    """Merge what two sides made of `base`; None stands for an absent file.

    Encoding, BOM and line ends are merged as properties of their own, so that one side may convert
    the line ends of the file while the other edits it.
    """
    if ours == theirs or theirs == base:
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours is None or theirs is None:
        return Merged(None, (_whole(base, ours, theirs),))
    form = _pick(_form(base), _form(ours), _form(theirs))
    if form is None:
        return Merged(None, (_whole(base, ours, theirs),))
    merged = _merge_contents(base.content if base else "", ours.content, theirs.content)
    if isinstance(merged, tuple):
        return Merged(None, merged)
    return Merged(Text(merged, *form))


def _merge_contents(base: str, ours: str, theirs: str) -> str | tuple[ConflictRegion, ...]:
    originals = tuple(split_lines(content) for content in (base, ours, theirs))
    ends = [_line_end(content) for content in (base, ours, theirs)]
    uniform = [end for end in ends if end != ""]
    target = None
    if None not in ends and len(set(uniform)) > 1:
        filled = [end or uniform[0] for end in ends]
        target = _pick(filled[0], filled[1], filled[2])
    if target is None:
        return _merge_lines(originals, originals)
    plain = tuple([_LINE_END.sub("\n", line) for line in lines] for lines in originals)
    merged = _merge_lines(plain, originals)
    return merged.replace("\n", target) if isinstance(merged, str) else merged


def _merge_lines(
    lines: Sequence[list[str]], originals: Sequence[list[str]]
) -> str | tuple[ConflictRegion, ...]:
    base, ours, theirs = lines
    parts: list[str] = []
    conflicts: list[ConflictRegion] = []
    at, ours_at, theirs_at = 0, 0, 0
    end = (len(base), len(ours), len(theirs), 0)
    for start, ours_start, theirs_start, size in (*_kept_by_both(base, ours, theirs), end):
        was, one, other = base[at:start], ours[ours_at:ours_start], theirs[theirs_at:theirs_start]
        if one == other or other == was:
            parts += one
        elif one == was:
            parts += other
        else:
            bounds = (at, start, ours_at, ours_start, theirs_at, theirs_start)
            conflicts.append(_conflict(originals, bounds))
        parts += base[start : start + size]
        at, ours_at, theirs_at = start + size, ours_start + size, theirs_start + size
    return tuple(conflicts) if conflicts else "".join(parts)


def _kept_by_both(
    base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Runs of lines that both sides have as they were: where in all three, and how many lines."""
    in_ours, in_theirs = matching_blocks(base, ours), matching_blocks(base, theirs)
    i = j = 0
    while i < len(in_ours) and j < len(in_theirs):
        (one, ours_start, one_size), (other, theirs_start, other_size) = in_ours[i], in_theirs[j]
        start, one_end, other_end = max(one, other), one + one_size, other + other_size
        size = min(one_end, other_end) - start
        if size > 0:
            yield start, ours_start + start - one, theirs_start + start - other, size
        i, j = (i + 1, j) if one_end <= other_end else (i, j + 1)


def _conflict(
    originals: Sequence[list[str]], bounds: tuple[int, int, int, int, int, int]
) -> ConflictRegion:
    base, ours, theirs = originals
    start, end, ours_start, ours_end, theirs_start, theirs_end = bounds
    return ConflictRegion(
        tuple(base[start:end]),
        tuple(ours[ours_start:ours_end]),
        tuple(theirs[theirs_start:theirs_end]),
        start,
        ours_start,
        theirs_start,
    )


def _whole(base: Text | None, ours: Text | None, theirs: Text | None) -> ConflictRegion:
    base_lines, ours_lines, theirs_lines = (
        None if text is None else tuple(split_lines(text.content)) for text in (base, ours, theirs)
    )
    return ConflictRegion(base_lines, ours_lines, theirs_lines)


def _form(text: Text | None) -> tuple[Encoding, bool] | None:
    return None if text is None else (text.encoding, text.bom)


def _line_end(content: str) -> str | None:
    """The one line end a text uses; empty if it has none at all, None if it mixes them."""
    windows = content.count("\r\n")
    counts: dict[str, int] = {
        "\r\n": windows,
        "\n": content.count("\n") - windows,
        "\r": content.count("\r") - windows,
    }
    used = [end for end, count in counts.items() if count]
    if len(used) > 1:
        return None
    return used[0] if used else ""


def _pick(base: T, ours: T, theirs: T) -> T | None:
    """The value of the side that changed it; None when both did, differently."""
    if ours == theirs or theirs == base:
        return ours
    return theirs if ours == base else None
