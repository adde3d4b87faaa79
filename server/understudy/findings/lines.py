"""Findings as text lines and as JSON; the same for every face."""

from __future__ import annotations

import re

from understudy.values.findings import Finding
from understudy.values.positions import LineIndex, Position, PositionEncoding, Range
from understudy.values.printable import printable

_FOLD = re.compile(r"\s*(?:\r\n|[\n\r\v\f\x85\u2028\u2029])\s*")
_SOURCE_WIDTH = 200


def finding_line(finding: Finding) -> str:
    """`path:line:col: severity code message (server)`: one line, 1-based, columns in code points.

    A message of several lines is joined with ` | `; characters that would disturb a terminal or
    cannot be encoded are escaped.
    """
    start = finding.range.start
    words = [finding.severity, finding.code, folded(finding.message)]
    text = " ".join(word for word in words if word)
    place = f"{finding.path}:{start.line + 1}:{start.column + 1}"
    return printable(f"{place}: {text} ({finding.server})")


def folded(message: str) -> str:
    """A message in one line: what stands between its own is ` | `."""
    return _FOLD.sub(" | ", message.strip())


def finding_with_source(finding: Finding, lines: LineIndex) -> str:
    """The finding's line, and below it, indented, the source line it stands on (if not blank)."""
    source = lines.line(finding.range.start.line).strip()
    if not source:
        return finding_line(finding)
    if len(source) > _SOURCE_WIDTH:
        source = f"{source[:_SOURCE_WIDTH]} … ({len(source) - _SOURCE_WIDTH} more characters)"
    return f"{finding_line(finding)}\n    {printable(source)}"


def finding_json(
    finding: Finding, lines: LineIndex, encoding: PositionEncoding = "utf-16"
) -> dict[str, object]:
    """The finding as the contract has it: LSP range (0-based, UTF-16), severity a word.

    `lines` is the text that the finding is about.
    """
    return {
        "path": finding.path,
        "range": range_json(finding.range, lines, encoding),
        "severity": finding.severity,
        "code": finding.code,
        "source": finding.source,
        "message": finding.message,
        "server": finding.server,
    }


def range_json(
    place: Range, lines: LineIndex, encoding: PositionEncoding = "utf-16"
) -> dict[str, object]:
    """A range as the protocol has it: 0-based, in UTF-16."""
    return {
        "start": _position_json(place.start, lines, encoding),
        "end": _position_json(place.end, lines, encoding),
    }


def _position_json(
    position: Position, lines: LineIndex, encoding: PositionEncoding
) -> dict[str, int]:
    return {"line": position.line, "character": lines.character(position, encoding)}
