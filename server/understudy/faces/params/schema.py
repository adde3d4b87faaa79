"""JSON Schema of what a call or request takes, made from its dataclass."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, cast

_PLAIN: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(kind: type[Any], *, terse: bool = False) -> dict[str, Any]:
    """The schema of a dataclass: unknown keys are refused, as `structure` does.

    What has moved elsewhere is still taken at its old place, but no longer told. A `terse` one
    leaves out null, which says the same as no value, and defaults that say "nothing".
    """
    hints = typing.get_type_hints(kind)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for item in dataclasses.fields(kind):
        if item.metadata.get("moved"):
            continue
        properties[item.name] = {
            **_of(hints[item.name]),
            "description": item.metadata["doc"],
            **_default(item),
        }
        if terse:
            properties[item.name] = _terse(properties[item.name])
        if "moved_values" in item.metadata:
            moved = item.metadata["moved_values"]
            shown = [value for value in properties[item.name]["enum"] if value not in moved]
            properties[item.name]["enum"] = shown
        if "items" in item.metadata:
            properties[item.name]["items"] = item.metadata["items"]
        if item.default is item.default_factory is dataclasses.MISSING:
            required.append(item.name)
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


def _terse(schema: dict[str, Any]) -> dict[str, Any]:
    terse = {key: value for key, value in schema.items() if key != "default" or value}
    match terse:
        case {"type": [kind, "null"]}:
            terse["type"] = kind
        case {"enum": [*values, None]}:
            terse["enum"] = values
        case _:
            pass
    return terse


def _of(hint: Any) -> dict[str, Any]:  # noqa: ANN401 - a type, or what stands for one
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin in (typing.Union, types.UnionType):
        kinds = [_of(part) for part in parts if part is not type(None)]
        if type(None) not in parts:
            return {"anyOf": kinds}
        (kind,) = kinds if len(kinds) == 1 else ({"anyOf": kinds},)
        if "enum" in kind:
            return {"enum": [*kind["enum"], None]}
        if "type" not in kind:
            return {"anyOf": [*kind["anyOf"], {"type": "null"}]} if kind else {}
        return {**kind, "type": [kind["type"], "null"]}
    if origin is typing.Literal:
        return {"type": "string", "enum": list(parts)}
    if origin in (tuple, list):
        return {"type": "array", "items": _of(parts[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(parts[1])}
    return {}


def _default(item: dataclasses.Field[Any]) -> dict[str, Any]:
    default: object = item.default
    if default is dataclasses.MISSING or default is None:
        return {}
    return {"default": list(cast("tuple[object, ...]", default)) if default == () else default}
