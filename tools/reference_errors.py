"""The table of error codes: the codes and their kinds from the code, the meanings from the page."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "server" / "understudy"
KINDS = {
    "BadInput": "bad input",
    "Refused": "refused",
    "Conflict": "conflict",
    "OutsideFailure": "failure outside",
}
_POSITIONS = {**dict.fromkeys(KINDS, 0), "structure": 2}
"""What is called with a code -> which argument that is."""

UNEXPLAINED = "?"


def error_table(page: str) -> str:
    """The table of the codes of now; a code that the page does not explain has a `?`."""
    meanings = dict(re.findall(r"^\| `([\w-]+)` \| (?:[\w ,]+ \| )?(.*) \|$", page, re.MULTILINE))
    lines = ["| code | kind | means |", "|---|---|---|"]
    for code, kinds in sorted(codes().items()):
        kind = ", ".join(KINDS[name] for name in KINDS if name in kinds)
        lines.append(f"| `{code}` | {kind} | {meanings.get(code, UNEXPLAINED)} |")
    return "\n".join(lines) + "\n"


@cache
def codes() -> dict[str, frozenset[str]]:
    """Code -> the errors that are raised with it: constants, and what `structure` is handed."""
    found: dict[str, set[str]] = {}
    for path in sorted(SOURCES.rglob("*.py")):
        for code, name in _raised(ast.parse(path.read_text(encoding="utf-8"))):
            found.setdefault(code, set()).add("BadInput" if name == "structure" else name)
    return {code: frozenset(names) for code, names in found.items()}


def _raised(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        at = _POSITIONS.get(name)
        if at is None or len(node.args) <= at:
            continue
        code = node.args[at]
        if isinstance(code, ast.Constant) and isinstance(code.value, str):
            yield code.value, name
