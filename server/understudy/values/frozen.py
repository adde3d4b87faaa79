"""Frozen dataclasses whose methods cost nothing until they are used.

The standard library writes and compiles six functions for each frozen dataclass, about 0.6 ms a
class. A check loads more than two hundred of them: that was half of all the time it took to load.
Few are ever compared, and most are never made in one run.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from dataclasses import FrozenInstanceError, dataclass, field, fields, make_dataclass
from functools import cache
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, overload

if sys.version_info >= (3, 11):
    from typing import dataclass_transform
else:
    from typing_extensions import dataclass_transform

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")


@overload
def frozen(kind: type[T], /) -> type[T]: ...


@overload
def frozen(*, slots: bool) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[T] | None = None, /, *, slots: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class what `dataclass(frozen=True)` makes of it: its fields, equality, hash, text.

    `dataclasses.fields`, `replace` and `asdict` take it, and what the class defines itself is kept.
    `slots` is for those of which there are many. For an order, there is the standard library's.
    """

    def made(kind: type[T]) -> type[T]:
        return _frozen(kind, slots=slots)

    return made if kind is None else made(kind)


def _frozen(kind: type[T], *, slots: bool) -> type[T]:
    own = dict(vars(kind))
    kind.__doc__ = kind.__doc__ or kind.__name__  # else one is made of the signature, slowly
    kind = dataclass(init=False, repr=False, eq=False, slots=slots)(kind)
    methods: dict[str, Callable[..., Any]] = {
        "__init__": _first_init(kind),
        "__repr__": _repr,
        "__eq__": _equal,
        "__setattr__": _refuse_setting,
        "__delattr__": _refuse_deleting,
    }
    if slots:  # else what was pickled would be set by name
        methods |= {"__getstate__": _state, "__setstate__": _take_state}
    for name, method in methods.items():
        if name not in own:
            setattr(kind, name, method)
    if own.get("__hash__") is None:  # Python sets it to None beside an equality of the class's own
        kind.__hash__ = _hash
    return kind


def _first_init(kind: type[Any]) -> Callable[..., None]:
    """What writes the class's `__init__` when the first instance is made."""

    def first(self: object, *values: object, **named: object) -> None:
        namespace = {"__doc__": kind.__name__}
        if hasattr(kind, "__post_init__"):  # that it is there is all that is looked at
            namespace["__post_init__"] = ""
        parts = fields(kind)
        made = make_dataclass(
            kind.__name__,
            [(part.name, object, copy(part)) for part in parts],
            namespace=namespace,
            frozen=True,
            repr=False,
            eq=False,
        )
        written = vars(made)["__init__"]
        written.__qualname__ = f"{kind.__qualname__}.__init__"
        written.__annotations__ = {part.name: part.type for part in parts} | {"return": None}
        kind.__init__ = written
        written(self, *values, **named)

    return first


@cache
def _compared(kind: type[Any]) -> Callable[[Any], Any]:
    """Gets what equality and hash go by, of an instance."""
    names = [part.name for part in fields(kind) if part.compare]
    return attrgetter(*names) if names else type


def _equal(self: object, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    values = _compared(self.__class__)
    return values(self) == values(other)


def _hash(self: object) -> int:
    return hash(_compared(self.__class__)(self))


@recursive_repr()
def _repr(self: DataclassInstance) -> str:
    shown = (f"{part.name}={getattr(self, part.name)!r}" for part in fields(self) if part.repr)
    return f"{self.__class__.__qualname__}({', '.join(shown)})"


def _refuse_setting(_: object, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deleting(_: object, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: DataclassInstance) -> list[Any]:
    return [getattr(self, part.name) for part in fields(self)]


def _take_state(self: DataclassInstance, state: list[Any]) -> None:
    for part, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, part.name, value)
