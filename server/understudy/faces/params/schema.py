"""JSON Schema of what a call or request takes, made from its dataclass."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any, cast

_PLAIN: Mapping[object, str] = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(kind: type[Any]) -> dict[str, Any]:
    """The schema of a dataclass: unknown keys are refused, as `structure` does."""
    hints = typing.get_type_hints(kind)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for item in dataclasses.fields(kind):
        properties[item.name] = {
            **_of(hints[item.name]),
            "description": item.metadata["doc"],
            **_default(item),
        }
        if "items" in item.metadata:
            properties[item.name]["items"] = item.metadata["items"]
        if item.default is item.default_factory is dataclasses.MISSING:
            required.append(item.name)
    needed = {"required": required} if required else {}
    return {"type": "object", "properties": properties, **needed, "additionalProperties": False}


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
