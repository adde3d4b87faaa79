"""Prints the tables of PROTOCOL.md that are made from the code.

    python tools/protocol_tables.py           print all tables
    python tools/protocol_tables.py --write   put them between the markers of both documents

A marker is `<!-- table: NAME -->`; its table ends at the next `<!-- end -->`.
"""

from __future__ import annotations

import dataclasses
import json
import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path

from understudy.app.request import ALLOWED
from understudy.app.settings import GUARDED, Settings
from understudy.context.policy import Policy
from understudy.faces.agent_tools import TOOLS
from understudy.faces.lsp_options import InitializationOptions
from understudy.faces.lsp_requests import REQUESTS

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ("PROTOCOL.md",)
_BLOCK = re.compile(r"<!-- table: (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)
_NAMES: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def tables() -> dict[str, str]:
    """Every table by name: `settings`, `options`, `forwarded`, one a custom request or MCP tool."""
    made = {request.method: _fields_table(request.takes) for request in REQUESTS}
    made |= {tool.name: _fields_table(tool.takes) for tool in TOOLS}
    made["settings"] = _fields_table(Settings, guarded=GUARDED)
    made["policy"] = _fields_table(Policy)
    made["options"] = _fields_table(InitializationOptions)
    made["forwarded"] = "".join(f"- `{method}`\n" for method in sorted(ALLOWED))
    return made


def filled(text: str) -> str:
    """A document with the tables of now between its markers; an unknown name is a KeyError."""
    made = tables()
    return _BLOCK.sub(lambda m: f"<!-- table: {m[1]} -->\n{made[m[1]]}<!-- end -->", text)


def named(text: str) -> list[str]:
    """The names of the tables in a document."""
    return [match[1] for match in _BLOCK.finditer(text)]


def _fields_table(kind: type, guarded: Iterable[str] = ()) -> str:
    """A table of a dataclass's fields: name, type, default, and what its metadata says of it."""
    hints = typing.get_type_hints(kind)
    rows = [
        (
            f"`{item.name}`" + (" (guarded)" if item.name in guarded else ""),
            _type_text(hints[item.name]),
            _default_text(item),
            item.metadata["doc"],
        )
        for item in dataclasses.fields(kind)
    ]
    if not rows:
        return "No parameters.\n"
    lines = ["| name | type | default | meaning |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _type_text(hint: object) -> str:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in _NAMES:
        return _NAMES[hint]
    if hint is type(None):
        return "null"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_type_text(part) for part in parts)
    if origin is typing.Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if origin in (tuple, list):
        inner = _type_text(parts[0])
        return "list" if inner == "any" else f"list of {inner}s"
    if hint is typing.Any:
        return "any"
    return "table"


def _default_text(item: dataclasses.Field[object]) -> str:
    if item.default is not dataclasses.MISSING:
        default = list(item.default) if isinstance(item.default, tuple) else item.default
        return f"`{json.dumps(default)}`"
    return "required" if item.default_factory is dataclasses.MISSING else "`{}`"


def main(arguments: list[str]) -> int:
    """Print or write the tables; returns the exit code."""
    if arguments == ["--write"]:
        for name in DOCUMENTS:
            path = ROOT / name
            path.write_text(filled(path.read_text(encoding="utf-8")), encoding="utf-8")
    elif not arguments:
        for name, table in tables().items():
            sys.stdout.write(f"<!-- table: {name} -->\n{table}<!-- end -->\n\n")
    else:
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
