"""Untrusted data to typed values: exact types, no unknown keys, errors that say where."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import (
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from understudy.values.errors import BadInput
from understudy.values.fields import Lower, Word

T = TypeVar("T")
Take = Callable[[object], object]
"""The value that was given, as it is kept; raises TypeError, which says what was expected."""


def structure(raw: object, kind: type[T], code: str, where: str, *, pinpointed: bool = False) -> T:
    """Make a dataclass of a JSON or TOML table; raises BadInput `code`, naming every mistake.

    With `pinpointed`, the error's place is that of the first mistake, not that of the table.
    """
    if not isinstance(raw, Mapping):
        raise BadInput(code, "expected a table (a JSON object)", where)
    mistakes: list[_Mistake] = []
    made = _table(kind)(cast("object", raw), where, mistakes)
    if not mistakes:
        return cast("T", made)
    texts = [f"{mistake.text} @ {mistake.where}" for mistake in mistakes]
    if pinpointed:
        texts[0], where = mistakes[0].text, mistakes[0].where
    raise BadInput(code, "; ".join(texts), where)


class _Mistake(NamedTuple):
    where: str
    text: str


_Reader = Callable[[object, str, list[_Mistake]], object]
"""Takes what was given at a place. Where it is wrong, a mistake is added; the rest is not used."""


@cache
def _reader(kind: Any) -> _Reader:  # noqa: ANN401 - a type, or what stands for one
    """What reads a field of this type."""
    if kind in _TAKEN:
        return _plain(_TAKEN[kind])
    if is_dataclass(kind):
        return _table(cast("type[object]", kind))
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _plain(_one_of(parts))
    if origin in (Union, UnionType):
        (inner,) = (part for part in parts if part is not NoneType)
        return _optional(_reader(inner))
    if origin in (tuple, list):
        return _list(cast("type[tuple[object]]", origin), parts[0])
    assert origin in (dict, Mapping), f"no field of an untrusted table is a {kind}"
    return _mapping(*parts)


def _plain(take: Take) -> _Reader:
    def read(value: object, where: str, mistakes: list[_Mistake]) -> object:
        try:
            return take(value)
        except TypeError as error:
            mistakes.append(_Mistake(where, str(error)))
            return None

    return read


@cache
def _table(kind: type[object]) -> _Reader:
    """Unknown keys are told first, as they explain what is missing; then what is missing."""
    parts = {part.name: part for part in fields(cast("Any", kind))}
    needed = [
        part.name
        for part in parts.values()
        if part.default is MISSING and part.default_factory is MISSING
    ]
    hints, table_of = get_type_hints(kind), _plain(_a_table)

    def read(value: object, where: str, mistakes: list[_Mistake]) -> object:
        n_before = len(mistakes)
        table = cast("Mapping[str, object] | None", table_of(value, where, mistakes))
        if table is None:
            return None
        mistakes += _unknown(table.keys() - parts.keys(), parts, where)
        missing = [name for name in needed if name not in table]
        if missing:
            place = where if len(missing) > 1 else f"{where}.{missing[0]}"
            mistakes.append(_Mistake(place, f"missing: {', '.join(missing)}"))
        made = {
            name: _reader(hints[name])(table[name], f"{where}.{name}", mistakes)
            for name in parts
            if name in table
        }
        if len(mistakes) > n_before:
            return None
        try:
            return kind(**made)
        except (BadInput, TypeError, ValueError) as error:  # of the class's own checks
            mistakes.append(_Mistake(where, str(error)))
            return None

    return read


def _unknown(keys: Iterable[str], known: Iterable[str], where: str) -> list[_Mistake]:
    from difflib import get_close_matches  # noqa: PLC0415 - few have mistakes

    told: list[_Mistake] = []
    for key in sorted(keys):
        near = get_close_matches(key, known, n=1)
        there_are = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}"
        told.append(_Mistake(f"{where}.{key}", f"unknown: {key}; {there_are}"))
    return told


def _optional(inner: _Reader) -> _Reader:
    return lambda value, where, mistakes: None if value is None else inner(value, where, mistakes)


def _list(made: type[tuple[object]], kind: object) -> _Reader:
    of = "tables" if is_dataclass(kind) else "whole numbers" if kind is int else "strings"
    list_of = _plain(_exactly((list, tuple), f"a list of {of}"))

    def read(value: object, where: str, mistakes: list[_Mistake]) -> object:
        items = list_of(value, where, mistakes)
        listed = enumerate(cast("list[object]", items or ()))
        item_of = _reader(kind)
        return made(item_of(item, f"{where}[{index}]", mistakes) for index, item in listed)

    return read


def _mapping(key: object, kind: object) -> _Reader:
    table_of = _plain(_a_table)

    def read(value: object, where: str, mistakes: list[_Mistake]) -> object:
        table = cast("Mapping[str, object]", table_of(value, where, mistakes) or {})
        key_of, item_of = _reader(key), _reader(kind)
        return {
            key_of(name, where, mistakes): item_of(item, f"{where}.{name}", mistakes)
            for name, item in table.items()
        }

    return read


def _exactly(kind: type | tuple[type, ...], name: str) -> Take:
    def take(value: object) -> object:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(f"expected {name}")
        return value

    return take


def _one_of(values: tuple[object, ...]) -> Take:
    def take(value: object) -> object:
        if value not in values:
            raise TypeError(f"{value} not in literal one of [{', '.join(map(repr, values))}]")
        return value

    return take


_string = _exactly(str, "a string")
_a_table = _exactly(Mapping, "a table")


def _word(value: object) -> object:
    if not _string(value):
        raise TypeError("expected a string that is not empty")
    return value


def _lower(value: object) -> object:
    return cast("str", _string(value)).lower()


def _expression(value: object) -> re.Pattern[str]:
    try:
        return re.compile(cast("str", _string(value)))
    except re.error as error:
        raise TypeError(f"no regular expression: {error}") from error


def _number(value: object) -> object:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and math.isnan(value)):
        raise TypeError("expected a number")  # TOML and JSON let nan in, and no limit holds with it
    return value


def _anything(value: object) -> object:
    return value


_TAKEN: Mapping[Any, Take] = {
    str: _string,
    bool: _exactly(bool, "true or false"),
    int: _exactly(int, "a whole number"),
    float: _number,
    Any: _anything,
    object: _anything,
    Word: _word,
    Lower: _lower,
    re.Pattern[str]: _expression,
    list[Any]: _exactly(list, "a list"),
    dict[str, Any]: _exactly(dict, "a table"),
    Mapping[str, Any]: _a_table,
    Mapping[str, object]: _a_table,
    str | int | None: _exactly((str, int, type(None)), "a string or a whole number"),
}
