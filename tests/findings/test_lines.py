"""Findings as text lines and JSON."""

from __future__ import annotations

import json

import pytest

from understudy.findings.lines import finding_json, finding_line, finding_with_source
from understudy.values.findings import Finding
from understudy.values.positions import LineIndex, Position, Range


def finding(message: str, code: str | None = "E1", path: str = "src/a.py") -> Finding:
    place = Range(Position(1, 5), Position(1, 6))
    return Finding(path, place, "error", code, "src", message, "ruff")


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (finding("bad name"), "src/a.py:2:6: error E1 bad name (ruff)"),
        (finding("bad", code=None), "src/a.py:2:6: error bad (ruff)"),
        (finding("one\n    two\r\n three\n"), "src/a.py:2:6: error E1 one | two | three (ruff)"),
        (finding("é 😀\ttab"), "src/a.py:2:6: error E1 é 😀\ttab (ruff)"),
        (finding("\x1b[31mred\0"), "src/a.py:2:6: error E1 \\x1b[31mred\\x00 (ruff)"),
        (finding("a\u202eb\u2028c"), "src/a.py:2:6: error E1 a\\u202eb | c (ruff)"),
        (finding("x", path="n\udcff\n.py"), "n\\xff\\x0a.py:2:6: error E1 x (ruff)"),
    ],
)
def test_text(given: Finding, line: str) -> None:
    assert finding_line(given) == line


@pytest.mark.parametrize(
    ("content", "below"),
    [
        ("a\n    return x  \n", "\n    return x"),
        ("a\n   \n", ""),
        ("a", ""),
        ("a\n" + "x" * 250, "\n    " + "x" * 200 + " … (50 more characters)"),
        ("a\n\x1b]0;\x07", "\n    \\x1b]0;\\x07"),
    ],
)
def test_source_line(content: str, below: str) -> None:
    given = finding("m")
    assert finding_with_source(given, LineIndex(content)) == finding_line(given) + below


def test_json() -> None:
    given = finding("one\ntwo", code=None)
    assert finding_json(given, LineIndex("\n😀é = x\n")) == {
        "path": "src/a.py",
        "range": {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 7}},
        "severity": "error",
        "code": None,
        "source": "src",
        "message": "one\ntwo",
        "server": "ruff",
    }
    json.dumps(finding_json(given, LineIndex("")))
