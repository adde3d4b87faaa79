"""The text of a repository map: the most important declarations that a budget has room for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from understudy.values.frozen import frozen
from understudy.values.printable import printable

BYTES_PER_TOKEN = 4
LONGEST_SIGNATURE = 160
LEAST_BUDGET = 100
"""Tokens; below this there is no room for the head and one declaration."""

_MISSES = 40


class Row(NamedTuple):
    """An entry of an outline as a map needs it; `parent` is a place in the same rows, or -1."""

    start: int
    end: int
    depth: int
    signature: str
    parent: int


@frozen
class MapHead:
    """What a map says of the whole; `missing` counts files by the reason they are not in it."""

    name: str
    stamp: str
    n_files: int
    n_lines: int
    n_declarations: int
    missing: Mapping[str, int]
    task: tuple[str, ...] = ()


@frozen
class MapText:
    """The text, and how much of the whole it shows."""

    text: str
    n_shown: int


def map_text(
    head: MapHead,
    order: Iterator[tuple[int, int]],
    paths: Sequence[str],
    rows_of: Callable[[int], Sequence[Row]],
    budget: int,
) -> MapText:
    """Take (file, entry) in `order` while there is room for them within `budget` tokens.

    A member comes with the lines of what holds it. Files stand in the order of their first
    declaration taken, declarations in the order of the file. A token is four bytes.
    """
    top = _head_lines(head)
    # The last line is written when all is counted; these are the largest numbers it can have.
    room = budget * BYTES_PER_TOKEN - _size(top) - _size(_foot_lines(head, 0, 0))
    taken: dict[int, set[int]] = {}
    n_shown = misses = 0
    for file, entry in order:
        rows = rows_of(file)
        held = taken.get(file)
        wanted = [] if held is not None and entry in held else _with_holders(rows, entry, held)
        if not wanted:
            continue  # it holds one that was taken before
        lines = [_line(rows[place]) for place in wanted]
        if held is None:
            lines.append(printable(paths[file]))
        if _size(lines) > room:
            misses += 1
            if misses > _MISSES:
                break
            continue
        room -= _size(lines)
        taken.setdefault(file, set()).update(wanted)
        n_shown += len(wanted)
    body: list[str] = []
    for file, places in taken.items():
        rows = rows_of(file)
        body += [printable(paths[file]), *(_line(rows[place]) for place in sorted(places))]
    foot = _foot_lines(head, n_shown, len(taken))
    return MapText("".join(f"{line}\n" for line in [*top, *body, *foot]), n_shown)


def _with_holders(rows: Sequence[Row], entry: int, held: set[int] | None) -> list[int]:
    """The entry and those above it that are not shown yet."""
    wanted: list[int] = []
    while entry >= 0 and (held is None or entry not in held):
        wanted.append(entry)
        entry = rows[entry].parent
    return wanted


def _line(row: Row) -> str:
    signature = row.signature
    if len(signature) > LONGEST_SIGNATURE:
        signature = signature[: LONGEST_SIGNATURE - 1] + "…"
    lines = f"{row.start}" if row.start == row.end else f"{row.start}-{row.end}"
    return f"{' ' * (row.depth + 1)}{lines}: {signature}"


def _head_lines(head: MapHead) -> list[str]:
    """What it is a map of, and what is not in it."""
    whole = f"{head.n_files} files, {head.n_lines} lines, {head.n_declarations} declarations"
    lines = [
        f"# map of {printable(head.name)}: {whole}, stamp {head.stamp}",
        "# most referenced first; START-END are lines; .gitignore is honoured",
    ]
    if head.task:
        lines.append(f"# weighted for {', '.join(map(printable, head.task))}")
    if head.missing:
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(head.missing.items()))
        lines.append(f"# not in it: {reasons}")
    return lines


def _foot_lines(head: MapHead, n_shown: int, n_files: int) -> list[str]:
    """What was left out for want of room; none if nothing was."""
    if n_shown == head.n_declarations:
        return []
    rest = f"{head.n_declarations - n_shown} declarations, {head.n_files - n_files} whole files"
    return [f"# not shown: {rest}; raise the budget, map a folder, or outline a file"]


def _size(lines: Sequence[str]) -> int:
    return sum(len(line.encode("utf-8", "surrogateescape")) + 1 for line in lines)
