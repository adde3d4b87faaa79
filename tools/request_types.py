"""Writes what every request takes as JSON Schema and as TypeScript, for other people's clients.

python -m tools.request_types           exit code 1 and a word if the files are not up to date
python -m tools.request_types --write   bring them up to date
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from understudy.faces.calls.tools import TOOLS
from understudy.faces.lsp.options import InitializationOptions
from understudy.faces.lsp.table import REQUESTS
from understudy.faces.params.schema import schema_of
from understudy.values.version import WIRE

PAGES = Path(__file__).resolve().parent.parent / "docs" / "reference"
_NAMED = re.compile(r"[A-Za-z_]\w*")
_TYPES: Mapping[str, str] = {"integer": "number", "null": "null"}


def schemas() -> dict[str, dict[str, Any]]:
    """What is taken, by the method of a request or the name of a tool."""
    made = {
        request.method: {"description": request.takes.__doc__, **schema_of(request.takes)}
        for request in REQUESTS
    }
    options = InitializationOptions
    made["initializationOptions"] = {"description": options.__doc__, **schema_of(options)}
    made |= {tool.name: {"description": tool.description, **tool.schema} for tool in TOOLS}
    return made


def schema_text() -> str:
    """The file `requests.schema.json`."""
    document = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What requests and tools of Understudy take",
        "wire": WIRE,
        "$defs": schemas(),
    }
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def types_text() -> str:
    """The file `requests.d.ts`."""
    parts = [
        "// Made by `python -m tools.request_types --write`.\n",
        "/** The version of these requests, as `initialize` announces it. */",
        f"export declare const WIRE: {WIRE};\n",
        "/** What each request (by its method) and each tool (by its name) takes. */",
        "export interface Requests {",
    ]
    for name, schema in schemas().items():
        parts += [_comment(schema["description"], "  "), f"  {_key(name)}: {_type(schema, 1)};"]
    return "\n".join((*parts, "}", ""))


def _type(schema: Mapping[str, Any], depth: int) -> str:
    """A schema as a type."""
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if "anyOf" in schema:
        return " | ".join(_type(one, depth) for one in schema["anyOf"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": one}, depth) for one in kind)
    if kind == "array":
        return f"readonly ({_type(schema.get('items', {}), depth)})[]"
    if kind == "object":
        return _object(schema, depth)
    return "unknown" if kind is None else _TYPES.get(str(kind), str(kind))


def _object(schema: Mapping[str, Any], depth: int) -> str:
    if "properties" not in schema:
        inner = schema.get("additionalProperties")
        return f"Record<string, {_type(inner, depth) if isinstance(inner, dict) else 'unknown'}>"
    if not schema["properties"]:
        return "Record<string, never>"
    indent, needed = "  " * (depth + 1), schema.get("required", ())
    lines = ["{"]
    for name, one in schema["properties"].items():
        if "description" in one:
            lines.append(_comment(one["description"], indent))
        optional = "" if name in needed else "?"
        lines.append(f"{indent}{_key(name)}{optional}: {_type(one, depth + 1)};")
    return "\n".join((*lines, "  " * depth + "}"))


def _key(name: str) -> str:
    return name if _NAMED.fullmatch(name) else json.dumps(name)


def _comment(text: str, indent: str) -> str:
    return f"{indent}/** {' '.join(text.split()).replace('*/', '* /')} */"


def main(arguments: list[str]) -> int:
    """Write or compare; returns the exit code."""
    if arguments not in ([], ["--write"]):
        sys.stderr.write(f"usage: {Path(__file__).name} [--write]\n")
        return 2
    stale: list[str] = []
    for name, text in (("requests.schema.json", schema_text()), ("requests.d.ts", types_text())):
        file = PAGES / name
        if arguments:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            stale.append(name)
    if stale:
        names = ", ".join(stale)
        sys.stderr.write(f"not up to date: {names}: python -m tools.request_types --write\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
