"""What of a Rust text code can depend on without writing its name, and which code may do so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from understudy.syntax.code_spans import digest_of
from understudy.syntax.model import Mentions

if TYPE_CHECKING:
    from tree_sitter import Node

IN_SCOPE: Final = "*scope"
"""Stands for the traits that a file hands on and the types that have them: who has a wildcard calls
the methods of a trait that nobody there has to name."""

GIVEN: Final = "*given"
"""Stands for the names that others find in a file, with their kinds and who may see them: two
wildcards that hand one on make it ambiguous, and one that hands on none is told."""

GIVEN_BELOW: Final = "*below"
"""The same for names without `pub`, which the modules inside see."""

PATH: Final = "::"
"""Ends a name as the first parts of a path have it, whatever it hands on by then."""

_ANY: Final = frozenset((IN_SCOPE, GIVEN, GIVEN_BELOW))
_STAR: Final = re.compile(rb"\*\s*[;,}/]|\binclude\b")
_WILDCARD: Final = re.compile(rb"(?:::|[{,]|\buse)\s*\*\s*[;,}]")
_INCLUDED: Final = re.compile(rb"\binclude\s*!")
_OWN: Final = re.compile(rb"(?:super\s*::\s*)+\*\s*;\Z")
_ABOVE: Final = re.compile(rb"(?:\s|::|super|crate|self)*\Z")


def may_look_unseen(text: bytes) -> bool:
    """Whether code of a text may depend on what it does not name; where it says no, none does."""
    return _STAR.search(text) is not None


def has_wildcard(code: bytes) -> frozenset[str]:
    """What code that a macro makes depends on by a wildcard in it."""
    return _ANY if _WILDCARD.search(code) is not None else frozenset()


def wildcards_in(root: Node, code: bytes) -> Iterator[frozenset[str]]:
    """For each place that may be a wildcard, what the file depends on by it; code has no comments.

    `use super::*` of a module inside looks at this text, where everything is named. What a macro is
    given, or makes, may be a wildcard of any kind, and so may be what is included.
    """
    if _INCLUDED.search(code) is not None:
        yield frozenset((IN_SCOPE,))
    for found in _WILDCARD.finditer(code):
        use = _use_around(root, found.end())
        if use is None:
            yield _ANY
        elif not _is_own(use, code):
            yield frozenset((IN_SCOPE,))


def _use_around(root: Node, end: int) -> Node | None:
    node = root.descendant_for_byte_range(end - 1, end)
    while node is not None and node.type not in ("use_declaration", "token_tree"):
        node = node.parent
    return node if node is not None and node.type == "use_declaration" else None


def _is_own(use: Node, code: bytes) -> bool:
    """Whether it takes all of a module that is written around it in this text."""
    argument = use.child_by_field_name("argument")
    if argument is None:
        return False
    found = _OWN.match(code[argument.start_byte : use.end_byte])
    depth, above = 0, use.parent
    while above is not None:
        depth += above.type == "mod_item"
        above = above.parent
    return found is not None and found[0].count(b"super") <= depth


class Unseen:
    """Gathers what others can find in a file, by the order of nothing: where it moves, it stays."""

    def __init__(self) -> None:
        self._in_scope: list[str] = []
        self._given: list[str] = []
        self._below: list[str] = []
        self._sees: set[str] = set()

    def scope(self, *spans: bytes) -> None:
        """Take something by which a trait may be in scope, or a type may have it."""
        self._in_scope.append(digest_of(*spans))

    def name(self, spans: tuple[bytes, ...], *, is_seen: bool) -> None:
        """Take a name, with all that says what it is and who sees it."""
        (self._given if is_seen else self._below).append(digest_of(*spans))

    def wildcard(self, path: bytes) -> None:
        """Take a wildcard that hands on what it brings in."""
        self._sees.add(GIVEN)
        if _ABOVE.match(path):
            self._sees.add(GIVEN_BELOW)

    def sees(self, names: Iterable[str]) -> None:
        """Take that code of the file may depend on one of these."""
        self._sees.update(names)

    @property
    def seen(self) -> Mentions:
        """What the file mentions without writing it."""
        return Mentions(frozenset(self._sees))

    def digests(self) -> list[tuple[str, str]]:
        """Each of the names that stand for many, with the digest of what it stands for."""
        parts = ((IN_SCOPE, self._in_scope), (GIVEN, self._given), (GIVEN_BELOW, self._below))
        return [
            (name, digest_of(*(one.encode() for one in sorted(some))))
            for name, some in parts
            if some
        ]
