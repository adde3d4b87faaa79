"""lsprotocol's types, each made when it is used first.

attrs writes and compiles the methods of each of their 554 classes as they are loaded, which was
nearly half of what `understudy lsp` did before its first answer. A session uses few of them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from reprlib import recursive_repr
from threading import RLock
from typing import Any, cast

import attrs

_MODULE = "lsprotocol.types"
_ATTRIBUTES = "__attrs_attrs__"
"""Where attrs, and all that asks it, look up the attributes of a class."""


def load_types() -> None:
    """Load lsprotocol's types as said above; where a process has them already, they stay as is.

    A class is what attrs makes of it, but without slots: they would make it another class. Other
    classes that a thread defines meanwhile are made at once, as ever.
    """
    namespace = cast("Any", attrs)
    at_once = attrs.define
    namespace.define = _deferring(at_once)
    try:
        import_module(_MODULE)
    finally:
        namespace.define = at_once
    _resolve_as_made()


def _resolve_as_made() -> None:
    """Keep the first converter from making all classes, to find what the names in them mean.

    Those of each are found as it is made. A version without this only loads more slowly.
    """
    from lsprotocol import _hooks  # noqa: PLC0415 - loads the types
    from lsprotocol.types import ALL_TYPES_MAP  # noqa: PLC0415 - as above

    for kind in list(ALL_TYPES_MAP.values()):  # those that a process had already
        if isinstance(kind, type) and isinstance(vars(kind).get(_ATTRIBUTES), tuple):
            attrs.resolve_types(cast("Any", kind), ALL_TYPES_MAP, {})
    setattr(_hooks, "_resolved_forward_references", True)  # noqa: B010 - private to lsprotocol


def _deferring(at_once: Callable[..., Any]) -> Callable[..., Any]:
    def define(kind: type | None = None, **wishes: object) -> object:
        if kind is None or wishes or kind.__module__ != _MODULE:
            return at_once(kind, **wishes)
        setattr(kind, _ATTRIBUTES, _Later(at_once, kind))
        cast("Any", kind).__init__ = _first_init(kind)
        return kind

    return define


class _Later:
    """Stands for the attributes of a class until somebody asks for them: then the class is made."""

    def __init__(self, at_once: Callable[..., Any], kind: type) -> None:
        self._at_once, self._kind = at_once, kind

    def __get__(self, _: object, kind: type) -> object:
        """The attributes, as attrs has them."""
        self.make()
        return getattr(self._kind, _ATTRIBUTES)

    def make(self) -> None:
        """Make the class, unless a thread that came first has."""
        from lsprotocol.types import ALL_TYPES_MAP  # noqa: PLC0415 - is being loaded before

        with _making:
            if vars(self._kind).get(_ATTRIBUTES) is not self:
                return
            own = vars(self._kind).keys() - {"__init__"}
            if "__eq__" not in own:
                cast("Any", self._kind).__eq__ = _equal
                cast("Any", self._kind).__hash__ = None
            if "__repr__" not in own:
                cast("Any", self._kind).__repr__ = _repr
            # Nothing is looked up in the class itself: our `__init__` stands there.
            self._at_once(self._kind, slots=False, auto_detect=False, eq=False, repr=False)
            attrs.resolve_types(self._kind, dict(ALL_TYPES_MAP), {})  # which it writes to


_making = RLock()
"""Held while a class is made; to make one may ask for another."""


def _first_init(kind: type) -> Callable[..., None]:
    """What makes the class with its first instance."""

    def first(self: object, *values: object, **named: object) -> None:
        attrs.fields(cast("Any", kind))
        cast("Any", kind).__init__(self, *values, **named)

    return first


def _equal(self: object, other: object) -> bool:
    if other.__class__ is not self.__class__:
        return NotImplemented
    return _values(self) == _values(other)


@recursive_repr()
def _repr(self: object) -> str:
    names = [attribute.name for attribute in attrs.fields(cast("Any", type(self)))]
    shown = (f"{name}={value!r}" for name, value in zip(names, _values(self), strict=True))
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _values(self: object) -> list[object]:
    return [getattr(self, attribute.name) for attribute in attrs.fields(cast("Any", type(self)))]
