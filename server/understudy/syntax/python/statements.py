"""Reads one import statement from its tokens, as far as it is written."""

from __future__ import annotations

import keyword
from collections.abc import Iterator
from typing import NamedTuple

from understudy.syntax.python.trees import Token

_END = Token("", starts_line=True, start=-1)
_WORDS = frozenset(keyword.kwlist)


class TakenNames(NamedTuple):
    """A name that a statement takes, and what it calls it."""

    name: str
    alias: str


class Statement(NamedTuple):
    """`from target import names`, or `import names` with an empty target.

    `is_whole` is false where `import` is missing behind the target. `end` is where reading stopped,
    -1 at the end of the text.
    """

    target: str
    names: tuple[TakenNames, ...]
    is_from: bool
    is_whole: bool
    end: int


class Submodule(NamedTuple):
    """A module of a package that has it as an attribute once it is imported."""

    name: str
    target: str


def submodule_of(path: str, target: str) -> Submodule | None:
    """The submodule that a package itself imports from; None if the file is none or it does not."""
    folder, _, name = path.rpartition("/")
    if not name.startswith("__init__."):
        return None
    if target.startswith("."):
        before, rest = ".", target[1:]
    else:
        own = folder.rpartition("/")[2].removesuffix("-stubs")
        outer, found, rest = f".{target}".rpartition(f".{own}.")
        before = f"{outer}{found}"[1:] if own else ""
    head = rest.partition(".")[0]
    return Submodule(head, f"{before}{head}") if before and head else None


def read(tokens: Iterator[Token]) -> Statement:
    """The statement that the tokens start with; the first is `import` or `from`."""
    return _Reader(tokens).statement()


class _Reader:
    def __init__(self, tokens: Iterator[Token]) -> None:
        self._tokens = tokens
        self._token = _END
        self._is_open = False
        self._advance()

    def statement(self) -> Statement:
        is_from = self._token.text == "from"
        self._advance()
        target, is_whole = "", True
        if is_from:
            target = self._dotted()
            is_whole = self._goes_on() and self._token.text == "import"
            if is_whole:
                self._advance()
        names = tuple(self._names(is_from=is_from)) if is_whole else ()
        return Statement(target, names, is_from, is_whole, self._token.start)

    def _names(self, *, is_from: bool) -> Iterator[TakenNames]:
        if self._goes_on() and self._token.text == "(":
            self._is_open = True
            self._advance()
        while self._goes_on():
            name = self._wildcard() if is_from else ""
            name = name or self._dotted()
            if name:
                yield TakenNames(name, self._alias())
            if not self._goes_on() or self._token.text != ",":
                return
            self._advance()

    def _wildcard(self) -> str:
        if self._token.text != "*":
            return ""
        self._advance()
        return "*"

    def _alias(self) -> str:
        if not self._goes_on() or self._token.text != "as":
            return ""
        self._advance()
        return self._dotted()

    def _dotted(self) -> str:
        """Dots and names in turns, as they stand."""
        found = ""
        while self._goes_on():
            text = self._token.text
            is_name = text.isidentifier() and text not in _WORDS
            if not is_name and text.strip("."):
                break
            if is_name and found and not found.endswith("."):
                break
            found += text
            self._advance()
        return found

    def _goes_on(self) -> bool:
        """Whether the token still belongs to the statement: lines end one that is not open."""
        return self._token.start >= 0 and (self._is_open or not self._token.starts_line)

    def _advance(self) -> None:
        self._token = next(self._tokens, _END)
