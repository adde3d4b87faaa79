"""Untrusted data to typed values: exact types, no unknown keys, errors that say where."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache, partial
from operator import eq
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin

import cattrs
from cattrs import IterableValidationNote
from cattrs.errors import ClassValidationError, ForbiddenExtraKeysError, IterableValidationError
from cattrs.gen import make_dict_structure_fn

from understudy.values.errors import BadInput
from understudy.values.fields import Lower, Word

T = TypeVar("T")
Hook = Callable[[object, object], object]


def structure(raw: object, kind: type[T], code: str, where: str, *, pinpointed: bool = False) -> T:
    """Make a dataclass of a JSON or TOML table; raises BadInput `code`, naming every mistake.

    With `pinpointed`, the error's place is that of the first mistake, not that of the table.
    """
    if not isinstance(raw, Mapping):
        raise BadInput(code, "expected a table (a JSON object)", where)
    try:
        return _hook(kind)(dict(cast("Mapping[str, object]", raw)), kind)
    except cattrs.BaseValidationError as error:
        mistakes = [*_mistakes(error, where)]
        texts = [f"{mistake.text} @ {mistake.where}" for mistake in mistakes]
        if pinpointed:
            texts[0], where = mistakes[0].text, mistakes[0].where
        raise BadInput(code, "; ".join(texts), where) from error


@cache
def _hook(kind: type[T]) -> Callable[[Mapping[str, Any], type[T]], T]:
    """Made once a type: cattrs writes and compiles a function, which takes half a millisecond."""
    return make_dict_structure_fn(kind, _CONVERTER, _cattrs_forbid_extra_keys=True)


class _Mistake(NamedTuple):
    where: str
    text: str


def _mistakes(error: BaseException, where: str) -> Iterator[_Mistake]:
    """Unknown keys first, as they explain what is missing; then what is missing; then the rest."""
    if isinstance(error, IterableValidationError):
        for part, note in error.group_exceptions()[0]:
            index: object = note.index
            place = f"[{index}]" if isinstance(index, int) else f".{index}"
            yield from _mistakes(part, where + place)
    elif isinstance(error, ClassValidationError):
        noted, others = error.group_exceptions()
        for part in others:
            if isinstance(part, ForbiddenExtraKeysError):
                yield from _unknown(part, where)
            else:
                yield _Mistake(where, str(part))
        missing = [note.name for part, note in noted if isinstance(part, KeyError)]
        if missing:
            place = where if len(missing) > 1 else f"{where}.{missing[0]}"
            yield _Mistake(place, f"missing: {', '.join(missing)}")
        for part, note in noted:
            if not isinstance(part, KeyError):
                yield from _mistakes(part, f"{where}.{note.name}")
    else:
        yield _Mistake(where, str(error).replace("typing.Literal", "one of "))


def _unknown(error: ForbiddenExtraKeysError, where: str) -> Iterator[_Mistake]:
    from difflib import get_close_matches  # noqa: PLC0415 - few have mistakes

    known = [item.name for item in fields(error.cl)]
    for key in sorted(error.extra_fields):
        near = get_close_matches(key, known, n=1)
        there_are = f"did you mean {near[0]}?" if near else f"there are: {', '.join(sorted(known))}"
        yield _Mistake(f"{where}.{key}", f"unknown: {key}; {there_are}")


def _exactly(kind: type | tuple[type, ...], name: str) -> Hook:
    def hook(value: object, _: object) -> object:
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise TypeError(f"expected {name}")
        return value

    return hook


_string = _exactly(str, "a string")
_a_table = _exactly(Mapping, "a table")


def _word(value: object, _: object) -> object:
    if not _string(value, str):
        raise TypeError("expected a string that is not empty")
    return value


def _lower(value: object, _: object) -> object:
    return cast("str", _string(value, str)).lower()


def _expression(value: object, _: object) -> re.Pattern[str]:
    try:
        return re.compile(cast("str", _string(value, str)))
    except re.error as error:
        raise TypeError(f"no regular expression: {error}") from error


def _number(value: object, _: object) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or (isinstance(value, float) and math.isnan(value)):
        raise TypeError("expected a number")  # TOML and JSON let nan in, and no limit holds with it
    return cast("float", value)


def _numbers(value: object, _: object) -> tuple[int, ...]:
    listed = cast("list[object]", value) if isinstance(value, list | tuple) else [None]
    if not all(isinstance(item, int) and not isinstance(item, bool) for item in listed):
        raise TypeError("expected a list of whole numbers")
    return tuple(cast("list[int]", listed))


def _list_of(kind: object) -> Hook:
    (inner, _) = get_args(kind)
    name = "strings" if inner in (str, Word) else "tables"

    def hook(value: object, _: object) -> tuple[object, ...]:
        items = cast("list[object]", _exactly((list, tuple), f"a list of {name}")(value, kind))
        return tuple(item for _, item in _each(enumerate(items), inner))

    return hook


def _table_of(kind: object) -> Hook:
    (key_kind, inner) = get_args(kind)

    def hook(value: object, _: object) -> dict[object, object]:
        table = cast("Mapping[str, object]", _a_table(value, kind))
        made = dict(_each(table.items(), inner))
        return {_CONVERTER.structure(key, key_kind): item for key, item in made.items()}

    return hook


def _each(items: Iterable[tuple[object, object]], kind: Any) -> Iterator[tuple[object, object]]:  # noqa: ANN401 - a type, or what stands for one
    """Each item with its index or key; the errors of all of them together."""
    errors: list[Exception] = []
    for index, item in items:
        try:
            yield index, _CONVERTER.structure(item, kind)
        except Exception as error:  # noqa: BLE001 - cattrs takes them apart again
            note = IterableValidationNote("", cast("str", index), kind)
            notes = [*getattr(error, "__notes__", ()), note]
            error.__notes__ = notes  # pyright: ignore[reportAttributeAccessIssue] - new in 3.11
            errors.append(error)
    if errors:
        raise IterableValidationError("", errors, kind)


def _nested(kind: type[T]) -> Callable[[object, type[T]], T]:
    return lambda value, _: _hook(kind)(cast("Mapping[str, Any]", _a_table(value, kind)), kind)


def _is_table_of(kind: object) -> bool:
    return get_origin(kind) in (dict, Mapping) and get_args(kind)[1] not in (Any, object)


_PLAIN: tuple[tuple[type, Hook], ...] = (
    (str, _string),
    (bool, _exactly(bool, "true or false")),
    (int, _exactly(int, "a whole number")),
    (float, _number),
)
_SHAPES: tuple[tuple[object, Hook], ...] = (
    (Word, _word),
    (Lower, _lower),
    (re.Pattern[str], _expression),
    (tuple[int, ...], _numbers),
    (list[Any], _exactly(list, "a list")),
    (dict[str, Any], _exactly(dict, "a table")),
    (Mapping[str, Any], _a_table),
    (Mapping[str, object], _a_table),
    (str | int | None, _exactly((str, int, type(None)), "a string or a whole number")),
)


def _make_converter() -> cattrs.Converter:
    converter = cattrs.Converter(detailed_validation=True)
    for plain, hook in _PLAIN:
        converter.register_structure_hook(plain, hook)
    converter.register_structure_hook_factory(is_dataclass, _nested)
    converter.register_structure_hook_factory(lambda kind: get_origin(kind) is tuple, _list_of)
    converter.register_structure_hook_factory(_is_table_of, _table_of)
    for shape, hook in _SHAPES:
        converter.register_structure_hook_func(partial(eq, shape), hook)
    return converter


_CONVERTER = _make_converter()
