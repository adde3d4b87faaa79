"""What every prompt of an agent begins with: at most four tools, and no more bytes than before."""

from __future__ import annotations

import json
import re
from pathlib import Path

from understudy.faces.calls.tools import TOOLS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "surface.md"
MOST_BYTES = 6019
"""Of names, descriptions and input schemas together, as compact JSON: what three tools had."""
ALLOWED = {"understudy_lint", "understudy_run", "understudy_context", "understudy_code"}


def test_there_are_at_most_four_tools() -> None:
    names = {tool.name for tool in TOOLS}
    assert names <= ALLOWED
    page = PAGE.read_text(encoding="utf-8")
    assert set(re.findall(r"^\| \[?`(understudy_\w+)`\]? \|", page, re.MULTILINE)) == ALLOWED


def test_what_reaches_the_model_of_them_does_not_grow() -> None:
    parts = [
        text.encode()
        for tool in TOOLS
        for text in (
            tool.name,
            tool.description,
            json.dumps(tool.schema, ensure_ascii=False, separators=(",", ":")),
        )
    ]
    assert len(b"".join(parts)) <= MOST_BYTES
    assert f"{MOST_BYTES} bytes" in PAGE.read_text(encoding="utf-8")
