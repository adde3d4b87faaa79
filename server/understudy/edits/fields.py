"""Reading untrusted JSON: every mistake is named with the place it stands at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from understudy.values.errors import BadInput

Json = Mapping[str, object]


def an_object(raw: object, where: str) -> Json:
    """The value as a JSON object, or BadInput `bad-field`."""
    if not isinstance(raw, dict):
        raise _mistyped(raw, "an object", where)
    return cast("Json", raw)


def a_list(raw: object, where: str) -> Sequence[object]:
    """The value as a list, or BadInput `bad-field`."""
    if not isinstance(raw, list):
        raise _mistyped(raw, "a list", where)
    return cast("list[object]", raw)


def text_field(raw: Json, name: str, where: str) -> str:
    """A string that must be there, or BadInput `missing-field`, `bad-field`."""
    value = field(raw, name, where)
    if not isinstance(value, str):
        raise _mistyped(value, "a string", f"{where}.{name}")
    return value


def count_field(raw: Json, name: str, where: str) -> int:
    """A number >= 0 that must be there, or BadInput `missing-field`, `bad-field`."""
    value = field(raw, name, where)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise _mistyped(value, "a whole number, 0 or more", f"{where}.{name}")
    return value


def flag_field(raw: Json, name: str, where: str) -> bool:
    """A boolean that may be left out (then False), or BadInput `bad-field`."""
    value = raw.get(name)
    if value is not None and not isinstance(value, bool):
        raise _mistyped(value, "true or false", f"{where}.{name}")
    return bool(value)


def field(raw: Json, name: str, where: str) -> object:
    """A value that must be there, or BadInput `missing-field`."""
    if name not in raw:
        raise BadInput("missing-field", f"'{name}' is missing", f"{where}.{name}")
    return raw[name]


def refuse_unknown(raw: Json, known: Sequence[str], where: str) -> None:
    """Raise BadInput `unexpected-field` for the first key that is not known."""
    for name in raw:
        if name not in known:
            text = f"not a field of this; it has {', '.join(known)}"
            raise BadInput("unexpected-field", text, f"{where}.{name}")


def _mistyped(value: object, expected: str, where: str) -> BadInput:
    names: dict[type, str] = {
        dict: "an object",
        list: "a list",
        str: "a string",
        bool: "a boolean",
        int: "a number",
    }
    found = "null" if value is None else names.get(type(value), type(value).__name__)
    return BadInput("bad-field", f"must be {expected}, not {found}", where)
