"""Headings of Markdown (CommonMark 4.2 and 4.3), outside of fenced code."""

from __future__ import annotations

import re
from collections.abc import Sequence

from understudy.outline.model import OutlineEntry

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
_NO_PARAGRAPH = re.compile(r" {4}|\t| {0,3}(?:[>#*+-]|\d+[.)])(?:\s|$)|[ \t]*$")
_LONGEST = 200


def headings(data: bytes, starts: Sequence[int]) -> tuple[OutlineEntry, ...]:
    """Each heading with the lines down to the next one of its level or a higher one."""
    found = _find(data)
    n_lines = len(starts) - (1 if starts[-1] >= len(data) and len(starts) > 1 else 0)
    entries: list[OutlineEntry] = []
    stack: list[tuple[int, int]] = []  # level, index of the entry
    for line, level, title in found:
        while stack and stack[-1][0] >= level:
            index = stack.pop()[1]
            entries[index] = entries[index]._replace(end=line - 1)
        parent = stack[-1][1] if stack else -1
        stack.append((level, len(entries)))
        signature = f"{'#' * level} {title}".rstrip()
        name, depth = title or "#", len(stack) - 1
        entries.append(
            OutlineEntry("heading", name, line, line, n_lines, depth, signature, (), parent)
        )
    return tuple(entries)


def _find(data: bytes) -> list[tuple[int, int, str]]:
    """Line, level and text of every heading."""
    found: list[tuple[int, int, str]] = []
    fence = ""
    above = ""
    for number, raw in enumerate(data.splitlines(), 1):
        line = raw[:2000].decode("utf-8", "replace")
        opened = _FENCE.match(line)
        if fence:
            closes = opened and opened[1].startswith(fence) and not opened[2].strip()
            fence = "" if closes else fence
            above = ""
            continue
        if opened:
            fence, above = opened[1], ""
            continue
        match = _HEADING.match(line)
        under = _UNDERLINE.match(line) if above else None
        if match:
            found.append((number, len(match[1]), _short(match[2] or "")))
        elif under:
            found.append((number - 1, 1 if under[1][0] == "=" else 2, _short(above)))
        above = "" if match or under or _NO_PARAGRAPH.match(line) else line.strip()
    return found


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
