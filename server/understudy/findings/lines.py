"""Findings as text lines and as JSON; the same for every face."""

from __future__ import annotations

import re
import unicodedata

from understudy.values.findings import Finding
from understudy.values.positions import LineIndex, Position

_FOLD = re.compile(r"\s*(?:\r\n|[\n\r\v\f\x85\u2028\u2029])\s*")
_BIDI_CONTROLS = frozenset(
    "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
)
_SOURCE_WIDTH = 200


def finding_line(finding: Finding) -> str:
    """`path:line:col: severity code message (server)`: one line, 1-based, columns in code points.

    A message of several lines is joined with ` | `; characters that would disturb a terminal or
    cannot be encoded are escaped.
    """
    start = finding.range.start
    words = [finding.severity, finding.code, _FOLD.sub(" | ", finding.message.strip())]
    text = " ".join(word for word in words if word)
    place = f"{finding.path}:{start.line + 1}:{start.column + 1}"
    return printable(f"{place}: {text} ({finding.server})")


def finding_with_source(finding: Finding, lines: LineIndex) -> str:
    """The finding's line, and below it, indented, the source line it stands on (if not blank)."""
    source = lines.line(finding.range.start.line).strip()
    if not source:
        return finding_line(finding)
    if len(source) > _SOURCE_WIDTH:
        source = f"{source[:_SOURCE_WIDTH]} … ({len(source) - _SOURCE_WIDTH} more characters)"
    return f"{finding_line(finding)}\n    {printable(source)}"


def finding_json(finding: Finding, lines: LineIndex) -> dict[str, object]:
    """The finding as the contract has it: LSP range (0-based, UTF-16), severity a word.

    `lines` is the text that the finding is about.
    """
    return {
        "path": finding.path,
        "range": {
            "start": _position_json(finding.range.start, lines),
            "end": _position_json(finding.range.end, lines),
        },
        "severity": finding.severity,
        "code": finding.code,
        "source": finding.source,
        "message": finding.message,
        "server": finding.server,
    }


def printable(text: str) -> str:
    """The text with control characters, undecodable bytes and direction marks escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) if _disturbs(char) else char for char in text)


def _disturbs(char: str) -> bool:
    category = unicodedata.category(char)
    return category in ("Cc", "Cs", "Zl", "Zp") or char in _BIDI_CONTROLS


def _escaped(char: str) -> str:
    if char == "\t":
        return char
    point = ord(char)
    if 0xDC80 <= point <= 0xDCFF:
        return f"\\x{point - 0xDC00:02x}"
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"


def _position_json(position: Position, lines: LineIndex) -> dict[str, int]:
    return {"line": position.line, "character": lines.character(position)}
