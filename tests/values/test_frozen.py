"""Frozen classes are what the standard library's decorator makes of them, only made later."""

from __future__ import annotations

import pickle
from copy import copy, deepcopy
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from inspect import signature
from typing import Any, Generic, TypeVar

import pytest

from understudy.values.frozen import frozen

T = TypeVar("T")


def _empty(kind: type[Any]) -> dict[str, Any]:
    """The same class before any decorator."""
    return {name: value for name, value in vars(kind).items() if name not in _OF_TYPE}


_OF_TYPE = ("__dict__", "__weakref__")


class Plain:
    path: str
    line: int = 3
    names: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)
    hidden: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.path.strip())


class Nothing:
    pass


class One:
    text: str


MAKERS = [
    (frozen, dataclass(frozen=True)),
    (frozen(slots=True), dataclass(frozen=True, slots=True)),
]


@pytest.mark.parametrize(("ours", "theirs"), MAKERS, ids=["dict", "slots"])
@pytest.mark.parametrize("values", [("a",), (" a ", 4), ("a", 3, ("x",)), ("a", 3, (), ["n"], 9)])
def test_as_the_standard_librarys(ours: Any, theirs: Any, values: tuple[Any, ...]) -> None:
    mine, other = (make(type("Plain", (), _empty(Plain))) for make in (ours, theirs))
    one, same, reference = mine(*values), mine(*values), other(*values)
    assert repr(one) == repr(reference)
    assert asdict(one) == asdict(reference)
    assert [part.name for part in fields(one)] == [part.name for part in fields(reference)]
    assert one == same == replace(one, hidden=70) == copy(one) == deepcopy(one)
    assert one != replace(one, line=one.line + 1)
    assert one != reference
    assert mine.__match_args__ == other.__match_args__
    assert str(signature(mine)) == str(signature(other))
    assert hasattr(one, "__dict__") is hasattr(reference, "__dict__")
    for made in (one, reference):
        with pytest.raises(TypeError, match="unhashable"):
            hash(made)
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'line'"):
            made.line = 1
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'line'"):
            del made.line
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'path'"):
        mine()
    with pytest.raises(TypeError, match="unexpected keyword argument 'lines'"):
        mine("a", lines=3)


@pytest.mark.parametrize("ours", [frozen, frozen(slots=True)], ids=["dict", "slots"])
@pytest.mark.parametrize("kind", [One, Nothing])
def test_few_fields(ours: Any, kind: type[Any]) -> None:
    mine = ours(type(kind.__name__, (), _empty(kind)))
    given = ["t"] * len(fields(mine))
    assert mine(*given) == mine(*given)
    assert hash(mine(*given)) == hash(mine(*given))
    assert {mine(*given): 1}[mine(*given)] == 1


@frozen
class Base:
    first: int
    second: dict[str, int] = field(default_factory=dict)


@frozen(slots=True)
class Derived(Base):
    third: str = "t"


@frozen
class OwnMethods(Generic[T]):
    value: T

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnMethods)

    def __repr__(self) -> str:
        return "its own"


def test_what_inherits_and_what_a_class_says_itself() -> None:
    one = Derived(1, third="x")
    assert repr(one) == "Derived(first=1, second={}, third='x')"
    assert one == pickle.loads(pickle.dumps(one))
    assert one != Base(1)
    assert pickle.loads(pickle.dumps(Base(2, {"a": 1}))) == Base(2, {"a": 1})
    assert Derived(1).second is not Derived(1).second
    assert OwnMethods(1) == OwnMethods("b")
    assert repr(OwnMethods(1)) == "its own"
    assert hash(OwnMethods(1)) == hash(OwnMethods(1))


def test_a_class_whose_own_hash_counts() -> None:
    @frozen
    class Numbered:
        number: int

        def __hash__(self) -> int:
            return 7

    assert hash(Numbered(1)) == 7
    assert Numbered(1) != Numbered(2)


def test_what_holds_itself_is_shown() -> None:
    one = Base(1, {})
    one.second["self"] = one  # pyright: ignore[reportArgumentType]
    assert repr(one) == "Base(first=1, second={'self': ...})"
