"""What of a Rust text code can depend on without writing its name, and which code may do so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Set
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
_STAR: Final = re.compile(rb"\*\s*[;,}/)\]]|::\s*[*/]|\binclude\b")
_WILDCARD: Final = re.compile(
    rb"(?:::|[{,]|\buse)\s*\*\s*[;,}]|::\s*\*"
    rb"|(?:[^),;\s]|[^)\s]\s*[,;])\s*\*\s*[;,)\]}]"
)
"""What multiplies or points has something behind its star; what repeats has a `)` before it."""
_AFTER_BRACKET: Final = re.compile(rb"\)\s*(?:[,;]\s*)?\*\s*[)\]}]")
"""A wildcard, too, where no macro is written: nothing repeats there."""
_USE: Final = re.compile(rb"\buse\b")
_INCLUDED: Final = re.compile(rb"\binclude\s*!")
_OWN: Final = re.compile(rb"super(?:\s*::\s*super)*\s*\Z")
_NEAR: Final = 6
_ABOVE: Final = re.compile(rb"(?:\s|::|super|crate|self)*\Z")


def may_look_unseen(text: bytes) -> bool:
    """Whether code of a text may depend on what it does not name; where it says no, none does."""
    return _STAR.search(text) is not None or (b"$" in text and _USE.search(text) is not None)


def has_wildcard(code: bytes) -> frozenset[str]:
    """What code that a macro makes depends on by a wildcard in it, or in what it is given."""
    if _WILDCARD.search(code) is not None or _uses_what_is_given(code):
        return _ANY
    return frozenset()


def _uses_what_is_given(code: bytes) -> bool:
    """Whether a `use` in a macro has something that callers say, and so may be a wildcard."""
    for one in code.replace(b"$crate", b"").split(b";"):
        found = _USE.search(one)
        if found is not None and one.rfind(b"$") > found.start():
            return True
    return False


def wildcards_in(root: Node, code: bytes, own: Set[int]) -> Iterator[frozenset[str]]:
    """For each place that may be a wildcard, what the file depends on by it; code has no comments.

    `own` are the ends of those of a module inside that look at this text (`is_own`), where
    everything is named. What a macro is given, or makes, may be a wildcard of any kind, and so may
    be what is included.
    """
    if _INCLUDED.search(code) is not None:
        yield frozenset((IN_SCOPE,))
    if b"$" not in code and _AFTER_BRACKET.search(code) is not None:
        yield _ANY
        return
    for found in _WILDCARD.finditer(code):
        if found.end() in own:
            continue
        if not _is_use(root, found.end()):
            yield _ANY
            return
        yield frozenset((IN_SCOPE,))


def _is_use(root: Node, end: int) -> bool:
    """Whether it is surely in a `use` of its own; asking for what is around takes time."""
    node = root.descendant_for_byte_range(end - 1, end)
    for _ in range(_NEAR):
        if node is None or node.type in ("use_declaration", "token_tree"):
            break
        node = node.parent
    return node is not None and node.type == "use_declaration"


def is_own(path: bytes, depth: int) -> bool:
    """Whether a path is that of one of so many modules that are written around it, or the file."""
    return _OWN.match(path) is not None and path.count(b"super") <= depth


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
