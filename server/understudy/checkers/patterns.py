"""Plain-text output, a line at a time, by the patterns of a profile."""

from __future__ import annotations

import re
from dataclasses import replace

from understudy.checkers.model import MAX_UNREAD, SEVERITIES, OutputReading, Patterns, Remark, Stop
from understudy.values.fields import Lower


def read_lines(text: str, patterns: Patterns) -> OutputReading:
    """Read every line; one that fits no pattern is `unread`, for it might have been a finding."""
    remarks: list[Remark] = []
    covered: set[str] = set()
    stops: list[Stop] = []
    by_code: list[Stop] = []
    unread: list[str] = []
    passed = is_stopping = False
    for line in text.splitlines():
        passed = passed or _fits(patterns.passed, line) is not None
        if not line.strip() or _fits(patterns.ignored, line):
            continue
        if found := patterns.finding.fullmatch(line):
            remark = _remark(found, patterns)
            if remark is None:
                unread.append(line)
                continue
            remarks.append(remark)
            is_stopping = False
            if _fits(patterns.stops, line):
                stops.append(Stop("", line.strip()))
            elif patterns.stopping_codes and patterns.stopping_codes.fullmatch(remark.code or ""):
                by_code.append(Stop("", line.strip()))
        elif is_stopping and _fits(patterns.more, line):
            stops[-1] = replace(stops[-1], why=f"{stops[-1].why} | {line.strip()}")
        elif remarks and (found := _fits(patterns.more, line)):
            last = remarks[-1]
            added = found.groupdict().get("message") or line
            remarks[-1] = replace(last, message=f"{last.message}\n{added}")
        elif found := _fits(patterns.covers, line):
            covered.add(found["path"])
        elif _fits(patterns.stops, line):
            stops.append(Stop("", line.strip()))
            is_stopping = True
        else:
            unread.append(line)
    return OutputReading(
        tuple(remarks),
        frozenset(covered),
        stops=tuple(stops if passed else stops + by_code),
        unread=tuple(unread[:MAX_UNREAD]),
    )


def _fits(pattern: re.Pattern[str] | None, line: str) -> re.Match[str] | None:
    return None if pattern is None else pattern.fullmatch(line)


def _remark(found: re.Match[str], patterns: Patterns) -> Remark | None:
    groups = found.groupdict()
    word = Lower((groups.get("severity") or "error").lower())
    severity = patterns.severities.get(word) or SEVERITIES.get(word)
    line = _number(groups.get("line"), 1)
    column = _number(groups.get("column"), 1)
    if severity is None or line is None or column is None:
        return None
    end_line = _number(groups.get("end_line"), line)
    end_column = _number(groups.get("end_column"), column)
    if end_line is None or end_column is None:
        return None
    start, end = (line - 1, column - 1), (end_line - 1, end_column - 1)
    message = groups.get("message") or ""
    path, code = groups.get("path") or "", groups.get("code")
    return Remark(path, start, max(start, end), severity, code, message)


def _number(text: str | None, otherwise: int) -> int | None:
    """A line or column, at least 1; None for what is no number."""
    if text is None:
        return otherwise
    return max(int(text), 1) if text.isdecimal() else None
