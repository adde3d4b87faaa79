"""Render a change as git does: our own parser and `git apply` both read it back to the byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from understudy.edits.names import NO_FILE, quoted
from understudy.values.lines import matching_blocks
from understudy.values.texts import Text

_CONTEXT = 3
_NO_NEWLINE = "\\ No newline at end of file\n"


def unified_diff(
    before: Text | None, after: Text | None, path: str, origin: str | None = None
) -> str:
    """A git-style diff of one file, empty if nothing differs; None is a file that is not there.

    `origin` is the path it was renamed from. Undecodable bytes stand in it as in `Text.content`;
    UTF-16 files are shown by their characters, which git would call binary.
    """
    if before == after and origin is None:
        return ""
    old_path = path if origin is None else origin
    parts = [f"diff --git {quoted('a/' + old_path)} {quoted('b/' + path)}\n"]
    if before is None:
        parts.append("new file mode 100644\n")
    if after is None:
        parts.append("deleted file mode 100644\n")
    if origin is not None:
        parts += [f"rename from {quoted(origin)}\n", f"rename to {quoted(path)}\n"]
    hunks = list(_hunks(_lines(before), _lines(after)))
    if hunks:
        parts.append(_name_line("---", None if before is None else "a/" + old_path))
        parts.append(_name_line("+++", None if after is None else "b/" + path))
    return "".join([*parts, *hunks])


def _name_line(marker: str, name: str | None) -> str:
    # A tab ends a name with spaces, or readers would take the rest for a timestamp.
    shown = NO_FILE if name is None else quoted(name)
    return f"{marker} {shown}\t\n" if " " in shown else f"{marker} {shown}\n"


def _lines(text: Text | None) -> list[str]:
    if text is None:
        return []
    mark = "\ufeff" if text.bom and text.encoding == "utf-8" else ""
    pieces = (mark + text.content).split("\n")
    last = pieces.pop()
    lines = [piece + "\n" for piece in pieces]
    return [*lines, last] if last else lines


class _Change(NamedTuple):
    """Lines `[start, end)` became lines `[new_start, new_end)`."""

    start: int
    end: int
    new_start: int
    new_end: int


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """Changes with three lines of context; those whose context would meet share a hunk."""
    group: list[_Change] = []
    for change in _changes(before, after):
        if group and change.start - group[-1].end > 2 * _CONTEXT:
            yield _hunk(group, before, after)
            group = []
        group.append(change)
    if group:
        yield _hunk(group, before, after)


def _changes(before: Sequence[str], after: Sequence[str]) -> Iterator[_Change]:
    at = new_at = 0
    for start, new_start, size in [*matching_blocks(before, after), (len(before), len(after), 0)]:
        if (at, new_at) != (start, new_start):
            yield _Change(at, start, new_at, new_start)
        at, new_at = start + size, new_start + size


def _hunk(group: Sequence[_Change], before: Sequence[str], after: Sequence[str]) -> str:
    head = min(_CONTEXT, group[0].start)
    tail = min(_CONTEXT, len(before) - group[-1].end)
    old = _span(group[0].start - head, group[-1].end + tail)
    new = _span(group[0].new_start - head, group[-1].new_end + tail)
    parts = [f"@@ -{old} +{new} @@\n"]
    at = group[0].start - head
    for change in group:
        parts += [_line(" ", line) for line in before[at : change.start]]
        parts += [_line("-", line) for line in before[change.start : change.end]]
        parts += [_line("+", line) for line in after[change.new_start : change.new_end]]
        at = change.end
    parts += [_line(" ", line) for line in before[at : at + tail]]
    return "".join(parts)


def _span(start: int, end: int) -> str:
    """1-based start and length; an empty span is named by the line before it."""
    length = end - start
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"


def _line(tag: str, line: str) -> str:
    return f"{tag}{line}" if line.endswith("\n") else f"{tag}{line}\n{_NO_NEWLINE}"
