"""Put hunks into a text: its own line ends, BOM and undecodable bytes stay as they are."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from understudy.edits.locate import LineTable, fits, locate
from understudy.edits.patch import DiffLine, Hunk
from understudy.values.errors import BadInput
from understudy.values.texts import Text

_BOM = "\ufeff"


class FileLine(NamedTuple):
    """A line of a file as diffs see it; its end is `\\n` or `\\r\\n`, or empty on the last one."""

    text: str
    end: str


def apply_hunks(text: Text, hunks: Sequence[Hunk], path: str) -> Text:
    """The text with all hunks applied; each is located in the text as it was before any.

    Raises BadInput `hunk-mismatch`, `hunk-ambiguous`, `overlapping-edits`.
    """
    text = _with_bom_in_sight(text, hunks)
    lines = file_lines(text.content)
    table = LineTable([line.text for line in lines])
    placed: list[tuple[int, Hunk, str]] = []
    moved = 0
    for number, hunk in enumerate(hunks, 1):
        where = hunk_place(path, number, hunk)
        at = locate(hunk, table, moved, where)
        if hunk.start is not None and hunk.old:
            moved = at - hunk.start
        placed.append((at, hunk, where))
    placed.sort(key=lambda item: (item[0] + item[1].changed[0], item[0] + item[1].changed[1]))
    _refuse_overlaps(placed)
    result: list[FileLine] = []
    done = 0
    for at, hunk, _ in placed:
        start, end = hunk.changed
        result += lines[done : at + start]
        result += _changed_lines(hunk, at, lines)
        done = at + end
    result += lines[done:]
    return _bom_apart(text, _joined(result, _usual_end(lines)))


def is_whole(text: Text, hunks: Sequence[Hunk]) -> bool:
    """Whether the hunks remove the text, all of it and exactly it."""
    text = _with_bom_in_sight(text, hunks)
    lines = [line.text for line in file_lines(text.content)]
    old = [line.text for hunk in hunks for line in hunk.old]
    removed = all(line.tag == "-" for hunk in hunks for line in hunk.lines)
    return removed and len(old) == len(lines) and fits(old, lines, 0, at_end=True)


def hunk_place(path: str, number: int, hunk: Hunk) -> str:
    """How errors name a hunk: `src/a.py hunk 2 (line 40)`."""
    return f"{path} hunk {number}" + ("" if hunk.start is None else f" (line {hunk.start + 1})")


def file_lines(content: str) -> list[FileLine]:
    """Split as diffs do: only at `\\n`."""
    pieces = content.split("\n")
    last = pieces.pop()
    lines = [
        FileLine(piece[:-1], "\r\n") if piece.endswith("\r") else FileLine(piece, "\n")
        for piece in pieces
    ]
    return [*lines, FileLine(last, "")] if last else lines


def _changed_lines(hunk: Hunk, at: int, lines: Sequence[FileLine]) -> list[FileLine]:
    """What replaces the lines from a hunk's first change to its last.

    A hunk whose old lines have the very ends that the file has speaks about line ends, and its new
    ones are taken at their word; any other was written without regard to them.
    """
    literal = (bool(hunk.old) or not lines) and all(
        not (line.end and lines[at + index].end) or line.end == lines[at + index].end
        for index, line in enumerate(hunk.old)
    )
    names_last_end = any(not line.end for line in hunk.lines)
    start, end = hunk.changed
    body = _core(hunk)
    result: list[FileLine] = []
    removed: deque[str] = deque()
    here = at + start
    for line in body:
        if line.tag == "+":
            replaced = removed.popleft() if removed else ""
            line_end = line.end if literal or not line.end else replaced or _end_near(here, lines)
            result.append(FileLine(line.text, line_end))
            continue
        if line.tag == " ":
            result.append(lines[here])
            removed.clear()
        else:
            removed.append(lines[here].end)
        here += 1
    reaches_end = at + end == len(lines) and bool(lines)
    if reaches_end and not names_last_end and not lines[-1].end and body and body[-1].tag == "+":
        # The author left out "\ No newline at end of file": the file goes on without one.
        result[-1] = FileLine(result[-1].text, "")
    return result


def _core(hunk: Hunk) -> Sequence[DiffLine]:
    start, end = hunk.changed
    tail = len(hunk.old) - end
    return hunk.lines[start : len(hunk.lines) - tail]


def _end_near(at: int, lines: Sequence[FileLine]) -> str:
    for number in (at - 1, at):
        if 0 <= number < len(lines) and lines[number].end:
            return lines[number].end
    return _usual_end(lines)


def _usual_end(lines: Sequence[FileLine]) -> str:
    windows = sum(line.end == "\r\n" for line in lines)
    return "\r\n" if windows * 2 > len(lines) else "\n"


def _joined(lines: Sequence[FileLine], usual_end: str) -> str:
    """The text; a line that is no longer the last one gets an end."""
    inner = "".join(line.text + (line.end or usual_end) for line in lines[:-1])
    return inner + "".join(lines[-1]) if lines else ""


def _refuse_overlaps(placed: Sequence[tuple[int, Hunk, str]]) -> None:
    """Hunks may share kept lines; what one changes may not lie in what another names."""
    for (at, hunk, first), (other_at, other, second) in pairwise(placed):
        start, end = at + hunk.changed[0], at + hunk.changed[1]
        other_start, other_end = other_at + other.changed[0], other_at + other.changed[1]
        if _touches(start, end, other_at, other_at + len(other.old)) or _touches(
            other_start, other_end, at, at + len(hunk.old)
        ):
            raise BadInput("overlapping-edits", f"changes lines that {first} names", second)


def _touches(start: int, end: int, low: int, high: int) -> bool:
    return low < start < high if start == end else start < high and low < end


def _with_bom_in_sight(text: Text, hunks: Sequence[Hunk]) -> Text:
    """Diff tools show a UTF-8 BOM as the first character; agents mostly leave it out."""
    if not text.bom or text.encoding != "utf-8":
        return text
    head, newline, _ = text.content.partition("\n")
    first = file_lines(_BOM + head + newline)[0].text
    if any(line.text == first for hunk in hunks for line in hunk.old):
        return Text(_BOM + text.content)
    return text


def _bom_apart(text: Text, content: str) -> Text:
    """The text with new content, whose first character may be a BOM that the hunks wrote."""
    own = text.bom and text.content.startswith(_BOM)  # a second one, which is content
    if content.startswith(_BOM) and not own:
        return Text(content[1:], text.encoding, bom=True)
    return text.replaced(content)
