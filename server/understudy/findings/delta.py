"""What a change introduces and fixes: findings before and after, matched through the line map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

from understudy.findings.line_map import LineMap
from understudy.values.findings import Finding
from understudy.values.frozen import frozen

Maps = Callable[[str], tuple[str, LineMap | None]]
"""For a path after the change: the path it had before, and the line map (None: same text)."""

_UNTOUCHED = LineMap(())


@frozen
class Delta:
    """The difference of two sets of findings, each part in reading order."""

    introduced: tuple[Finding, ...]
    fixed: tuple[Finding, ...]
    remaining: int


def delta(before: Sequence[Finding], after: Sequence[Finding], maps: Maps) -> Delta:
    """Match findings as multisets; what is left over after is introduced, before is fixed.

    Only findings of one server, severity and code are ever matched, and each at most once.
    """
    pools: defaultdict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in sorted(before, key=reading_order):
        pools[finding.server, finding.path].append(finding)
    groups: defaultdict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in sorted(after, key=reading_order):
        groups[finding.path, finding.server].append(finding)
    introduced: list[Finding] = []
    for (path, server), group in groups.items():
        path_before, lines = maps(path)
        pool = (server, path_before)
        pools[pool], unmatched = _match(pools[pool], group, lines or _UNTOUCHED)
        introduced += unmatched
    fixed = sorted((finding for pool in pools.values() for finding in pool), key=reading_order)
    return Delta(
        tuple(sorted(introduced, key=reading_order)), tuple(fixed), len(after) - len(introduced)
    )


def reading_order(finding: Finding) -> tuple[object, ...]:
    """Sort key: path, range, server, code, and the rest so that the order is total."""
    return (
        finding.path,
        finding.range,
        finding.server,
        finding.code or "",
        finding.severity,
        finding.message,
        finding.source or "",
    )


def _match(
    before: list[Finding], after: list[Finding], lines: LineMap
) -> tuple[list[Finding], list[Finding]]:
    """What is left of both sides after four passes, from the surest likeness to the weakest."""
    for key in (_same_place, _same_line, _same_start, _same_block):
        taken: defaultdict[Hashable, list[int]] = defaultdict(list)
        for index in range(len(before) - 1, -1, -1):
            old_key = key(before[index], lines, True)
            if old_key is not None:
                taken[old_key].append(index)
        gone: set[int] = set()
        left: list[Finding] = []
        for finding in after:
            waiting = taken.get(key(finding, lines, False))
            if waiting:
                gone.add(waiting.pop())
            else:
                left.append(finding)
        before = [finding for index, finding in enumerate(before) if index not in gone]
        after = left
    return before, after


def _same_place(finding: Finding, lines: LineMap, old: bool) -> Hashable:
    """Unchanged line, same columns and height, same message."""
    line = _line_after(finding, lines, old)
    if line is None:
        return None
    start, end = finding.range.start, finding.range.end
    place = (line, start.column, end.line - start.line, end.column)
    return (place, finding.severity, finding.code, finding.message)


def _same_line(finding: Finding, lines: LineMap, old: bool) -> Hashable:
    """Unchanged line, same message; the range has moved or grown."""
    line = _line_after(finding, lines, old)
    return None if line is None else (line, finding.severity, finding.code, finding.message)


def _same_start(finding: Finding, lines: LineMap, old: bool) -> Hashable:
    """Unchanged line, same start: the message quotes a line number or a type that changed.

    The column must agree: on `f(a, b)`, "a is undefined" going away does not excuse
    "b is undefined".
    """
    line = _line_after(finding, lines, old)
    if line is None:
        return None
    return (line, finding.range.start.column, finding.severity, finding.code)


def _same_block(finding: Finding, lines: LineMap, old: bool) -> Hashable:
    """Same message within one changed block, paired in order."""
    line = finding.range.start.line
    block = lines.block_before(line) if old else lines.block_after(line)
    return None if block is None else (block, finding.severity, finding.code, finding.message)


def _line_after(finding: Finding, lines: LineMap, old: bool) -> int | None:
    line = finding.range.start.line
    if old:
        return lines.to_after(line)
    return line if lines.block_after(line) is None else None
