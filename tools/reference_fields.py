"""A table of a dataclass's fields, as the pages of the reference have it."""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from collections.abc import Container, Iterable, Mapping

from understudy.values.fields import Lower, Word

_NAMES: Mapping[object, str] = {
    str: "string",
    Word: "string",
    Lower: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    re.Pattern[str]: "regular expression",
}


def fields_table(kind: type, guarded: Iterable[str] = (), without: Iterable[str] = ()) -> str:
    """A table of a dataclass's fields: name, type, default, and what its metadata says of it."""
    hints = typing.get_type_hints(kind)
    rows = [
        (
            f"`{item.name}`" + (" (guarded)" if item.name in guarded else ""),
            _type_text(hints[item.name], item.metadata.get("moved_values", ())) + _unit_text(item),
            _default_text(item),
            item.metadata["doc"],
        )
        for item in dataclasses.fields(kind)
        if item.name not in without and not item.metadata.get("moved")
    ]
    if not rows:
        return "No parameters.\n"
    lines = ["| name | type | default | meaning |", "|---|---|---|---|"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def _type_text(hint: object, moved: Container[object] = ()) -> str:
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in _NAMES:
        return _NAMES[hint]
    if hint is type(None):
        return "null"
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_type_text(part) for part in parts)
    if origin is typing.Literal:
        return ", ".join(f"`{part}`" for part in parts if part not in moved)
    if origin in (tuple, list):
        inner = _type_text(parts[0])
        return "list" if inner == "any" else f"list of {inner}s"
    if hint is typing.Any:
        return "any"
    return "table"


def _unit_text(item: dataclasses.Field[object]) -> str:
    unit = item.metadata.get("unit")
    return f" ({unit})" if unit else ""


def _default_text(item: dataclasses.Field[object]) -> str:
    if item.default is not dataclasses.MISSING:
        default = list(item.default) if isinstance(item.default, tuple) else item.default
        return f"`{json.dumps(default)}`"
    return "required" if item.default_factory is dataclasses.MISSING else "`{}`"
