"""Three-way merge of texts: both sides' changes, or the places where they collide."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeVar, cast

from understudy.values.frozen import frozen
from understudy.values.lines import line_texts, matching_blocks, split_lines
from understudy.values.texts import Encoding, Text

T = TypeVar("T")
_LINE_END = re.compile(r"\r\n|\n|\r")
_LAST_END = re.compile(r"(?:\r\n|\n|\r)\Z")


@frozen(slots=True)
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


@frozen(slots=True)
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


@frozen(slots=True)
class MarkedText:
    """A merged text with both sides of what collides, the user's first, each between two `marks`.

    The marks are lines without their ends, and no line of either side is one of them, white space
    at its end aside. `lacks_end`: the last line collides, and the user's has no line end.
    """

    text: Text
    marks: tuple[str, str, str]
    lacks_end: bool = False

    def places(self) -> list[list[str]]:
        """The lines of each place, marks and all, without their ends."""
        found: list[list[str]] = []
        is_inside = False
        for line in line_texts(self.text.content):
            if line == self.marks[0]:
                found.append([])
                is_inside = True
            if is_inside:
                found[-1].append(line)
            is_inside = is_inside and line != self.marks[2]
        return found

    def is_left_in(self, text: Text, is_another: bool = False) -> bool:
        """Whether a text has a mark; in another file the middle one may be a heading."""
        marks = {self.marks[0], self.marks[2]} if is_another else set(self.marks)
        return not marks.isdisjoint(line.rstrip() for line in line_texts(text.content))

    def ended(self, text: Text) -> Text:
        """A text that settles it, whose last line ends as the user's does."""
        end = _LAST_END.search(text.content) if self.lacks_end else None
        return text if end is None else text.replaced(text.content[: end.start()])


def marked_text(base: Text | None, ours: Text, theirs: Text, name: str) -> MarkedText | None:
    """Both sides in one text, `name` for ours; None where no lines collide, or encodings do."""
    form = _pick(_form(base), _form(ours), _form(theirs))
    contents = (base.content if base else "", ours.content, theirs.content)
    end = _common_end([_line_end(content) for content in contents])
    lines = [
        split_lines(content if end is None else _LINE_END.sub("\n", content))
        for content in contents
    ]
    marks = _marks(name, {line.rstrip() for side in lines for line in side})
    found: list[str] = []
    pieces = list(_pieces(lines, lines))
    for piece in pieces:
        if isinstance(piece, ConflictRegion):
            sides = (_ended(piece.theirs_lines or ()), _ended(piece.ours_lines or ()))
            found[-1:] = _ended(found[-1:])
            found += [f"{marks[0]}\n", *sides[0], f"{marks[1]}\n", *sides[1], f"{marks[2]}\n"]
        else:
            found += piece
    if form is None or not any(isinstance(piece, ConflictRegion) for piece in pieces):
        return None
    text = "".join(found)
    last = next(piece for piece in reversed(pieces) if piece)
    lacks_end = isinstance(last, ConflictRegion) and contents[2][-1:] not in ("", "\n", "\r")
    made = Text(text if end is None else text.replace("\n", end), *form)
    return MarkedText(made, marks, lacks_end)


def _marks(name: str, taken: set[str]) -> tuple[str, str, str]:
    """Marks as git makes them, longer where a side has such a line."""
    size = 7
    while True:
        marks = (f"{'<' * size} user", "=" * size, f"{'>' * size} {name}")
        if taken.isdisjoint(marks):
            return marks
        size += 1


def _common_end(ends: Sequence[str | None]) -> str | None:
    """The line end that a merge of texts with these has; None where one of them mixes its own."""
    if None in ends:
        return None
    first = next((end for end in ends if end), "\n")
    base, ours, theirs = (end or first for end in ends)
    return _pick(base, ours, theirs) or theirs


def _ended(lines: Sequence[str]) -> list[str]:
    """The lines, the last of which may be a file's last, each with an end."""
    return [line if line.endswith(("\n", "\r")) else f"{line}\n" for line in lines]


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
    pieces = list(_pieces(lines, originals))
    conflicts = tuple(piece for piece in pieces if isinstance(piece, ConflictRegion))
    return conflicts or "".join(line for piece in pieces for line in cast("list[str]", piece))


def _pieces(
    lines: Sequence[list[str]], originals: Sequence[list[str]]
) -> Iterator[list[str] | ConflictRegion]:
    """The merged lines and, in their places, those that collide."""
    base, ours, theirs = lines
    at, ours_at, theirs_at = 0, 0, 0
    end = (len(base), len(ours), len(theirs), 0)
    for start, ours_start, theirs_start, size in (*_kept_by_both(base, ours, theirs), end):
        was, one, other = base[at:start], ours[ours_at:ours_start], theirs[theirs_at:theirs_start]
        if one == other or other == was:
            yield one
        elif one == was:
            yield other
        else:
            bounds = (at, start, ours_at, ours_start, theirs_at, theirs_start)
            yield _conflict(originals, bounds)
        yield base[start : start + size]
        at, ours_at, theirs_at = start + size, ours_start + size, theirs_start + size


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
