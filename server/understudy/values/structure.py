"""Untrusted data to typed values: exact types, no unknown keys, errors that say where."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, partial
from operator import eq
from typing import Any, TypeVar, cast

import cattrs
from cattrs.errors import ForbiddenExtraKeysError
from cattrs.gen import make_dict_structure_fn

from understudy.values.errors import BadInput

T = TypeVar("T")


def structure(raw: object, kind: type[T], code: str, where: str) -> T:
    """Make a dataclass of a JSON or TOML table; raises BadInput `code`, naming every mistake."""
    if not isinstance(raw, Mapping):
        raise BadInput(code, "expected a table (a JSON object)", where)
    table = cast("Mapping[str, object]", raw)
    try:
        return _hook(kind)(dict(table), kind)
    except cattrs.BaseValidationError as error:
        mistakes = cattrs.transform_error(error, path=where, format_exception=_mistake)
        raise BadInput(code, "; ".join(mistakes), where) from error


@cache
def _hook(kind: type[T]) -> Callable[[Mapping[str, Any], type[T]], T]:
    """Made once a type: cattrs writes and compiles a function, which takes half a millisecond."""
    return make_dict_structure_fn(kind, _CONVERTER, _cattrs_forbid_extra_keys=True)


def _mistake(error: BaseException, _: type | None) -> str:
    if isinstance(error, KeyError):
        return f"missing: {error.args[0]}"
    if isinstance(error, ForbiddenExtraKeysError):
        return f"unknown: {', '.join(sorted(error.extra_fields))}"
    return str(error).replace("typing.Literal", "one of ")


def _exactly(kind: type | tuple[type, ...], name: str) -> Callable[[object, object], object]:
    def hook(value: object, _: object) -> object:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(f"expected {name}")
        return value

    return hook


def _number(value: object, _: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and math.isnan(value)):
        raise TypeError("expected a number")  # TOML and JSON let nan in, and no limit holds with it
    return cast("float", value)


def _texts(value: object, _: object) -> tuple[str, ...]:
    listed = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    if not all(isinstance(item, str) for item in listed):
        raise TypeError("expected a list of strings")
    return tuple(cast("list[str]", listed))


def _tables(value: object, _: object) -> Mapping[str, Mapping[str, object]]:
    tables = cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {"": None}
    if not all(isinstance(table, Mapping) for table in tables.values()):
        raise TypeError("expected a table of tables")
    return cast("Mapping[str, Mapping[str, object]]", tables)


_SHAPES: tuple[tuple[object, Callable[[object, object], object]], ...] = (
    (tuple[str, ...], _texts),
    (list[Any], _exactly(list, "a list")),
    (dict[str, Any], _exactly(dict, "a table")),
    (str | int | None, _exactly((str, int, type(None)), "a string or a whole number")),
    (Mapping[str, Mapping[str, object]], _tables),
)


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(detailed_validation=True)
    converter.register_structure_hook(str, _exactly(str, "a string"))
    converter.register_structure_hook(bool, _exactly(bool, "true or false"))
    converter.register_structure_hook(int, _exactly(int, "a whole number"))
    converter.register_structure_hook(float, _number)
    for shape, hook in _SHAPES:
        converter.register_structure_hook_func(partial(eq, shape), hook)
    return converter


_CONVERTER = _make_converter()
