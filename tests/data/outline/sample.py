"""A shop."""

from __future__ import annotations

import json
from typing import overload

LIMIT = 3  # how many at once
first, *others = [1, 2, 3]
(left, right) = 1, 2

if LIMIT:
    CHOSEN: int = 1
else:
    CHOSEN = 2

for number in range(3):
    LAST = number

with open("x") as handle, open("y"):
    DATA = json.load(handle)

type Pair[T] = tuple[T, T]


def plain(a, b=2, *rest: int, key: str = "x", **options) -> dict[str, int]:
    """Say something plain.

    At length.
    """
    local = 1

    def inner(x):
        def innermost():
            return x

        return innermost

    return {"local": local, "inner": inner}


@overload
def find(key: int) -> int: ...
@overload
def find(key: str) -> str: ...
def find(
    key: int | str,  # what for
) -> int | str:
    # no docstring
    return key


class Shop(dict[str, int], metaclass=type):
    """Sells things."""

    # what it holds
    stock: dict[str, int]
    name = "corner"  #: over the door
    one, two = 1, 2

    class Error(Exception):
        pass

    @property
    def size(self) -> int:
        return len(self.stock)

    @size.setter
    def size(self, value: int) -> None: ...

    @staticmethod
    @json.decorated(
        "with", many="arguments", that="go on and on", until="they are much too long to show"
    )
    async def sell(name: str) -> None:
        async def later():
            pass

    def _private(self): return 1

    lambda_field = lambda self: 1


def after(): pass
