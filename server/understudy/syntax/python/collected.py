"""Gathers the declarations of a text, all of one name in one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from understudy.syntax.model import Declaration, Mentions, Signature
from understudy.syntax.python.source import NOTHING, union

_STRUCTURAL = frozenset(
    {"close", "decode", "encode", "fileno", "find_spec", "flush", "get", "items", "iter", "keys"}
    | {"read", "readable", "readinto", "readline", "readlines", "seek", "seekable", "tell"}
    | {"truncate", "writable", "write", "writelines"}
)
"""Methods that protocols of the standard library ask for: who passes an object names none."""


class StatementPlace(NamedTuple):
    """Where a statement stands: in which class, and under which condition.

    `is_special` says that the members make the class what it is, `is_protocol` that its methods do
    so, too; `has_bases` that they may stand for those of another.
    """

    owner: str = ""
    condition: str = ""
    shown: Mentions = NOTHING
    is_special: bool = False
    has_bases: bool = False
    is_protocol: bool = False

    def under(self, condition: str, shown: Mentions) -> StatementPlace:
        """The same place within a branch."""
        return self._replace(
            condition=self.condition + condition + "\n", shown=union(self.shown, shown)
        )

    def path(self, name: str) -> str:
        """The dotted path of a class that is declared here."""
        return f"{self.owner}.{name}" if self.owner else name


class Seen(NamedTuple):
    """One declaration of a name: what others see of it, and what the rest mentions.

    `is_method` says that it is a method, or an attribute that one gives to its object: no field.
    `signature` is what is written of it, where the rest is inferred.
    """

    tokens: str
    shown: Mentions = NOTHING
    inner: Mentions = NOTHING
    of_owner: bool = False
    exported: str | None = None
    is_method: bool = False
    signature: Signature | None = None


@dataclass
class _Entry:
    digest: blake2b = field(default_factory=lambda: blake2b(digest_size=16))
    written: blake2b | None = None
    """The digest without what results are inferred from, as soon as there is such a one."""
    kinds: set[str] = field(default_factory=set[str])
    exported: dict[str, None] = field(default_factory=dict[str, None])
    shown: list[Mentions] = field(default_factory=list[Mentions])
    inferred_from: list[Mentions] = field(default_factory=list[Mentions])
    inner: list[Mentions] = field(default_factory=list[Mentions])
    of_owner: bool = False
    listed: bool = False


class Collected:
    """The declarations so far; of several for one name, all count in their order."""

    def __init__(self) -> None:
        self._entries: dict[tuple[str, str], _Entry] = {}
        self._stores: dict[str, list[tuple[str, str, Mentions]]] = {}
        self._frame: list[str] = []
        self._pending: list[str] = []
        self._called = NOTHING
        self._loose: list[Mentions] = []

    def add(self, place: StatementPlace, names: Iterable[str], seen: Seen) -> None:
        """Add a declaration of each of the names; members are found by no one else's import."""
        for name in names:
            entry = self._entries.setdefault((place.owner, name), _Entry())
            tokens, shown, kind = seen.signature or (seen.tokens, seen.shown, "")
            entry.kinds.add(kind)
            if seen.signature is not None:
                entry.written = entry.written or entry.digest.copy()
                entry.inferred_from.append(seen.shown)
            if entry.written is not None:
                entry.written.update(f"{place.condition}\0{tokens}\1".encode())
            entry.digest.update(f"{place.condition}\0{seen.tokens}\1".encode())
            entry.shown += [place.shown, shown]
            entry.inner.append(seen.inner)
            entry.of_owner |= seen.of_owner
            if place.owner:
                is_field = place.is_protocol or (place.is_special and not seen.is_method)
                entry.of_owner |= is_field or _is_dunder(name) or name in _STRUCTURAL
                entry.listed |= place.is_special
                if place.has_bases:
                    entry.shown.append(Mentions(members=frozenset((name,))))
                continue
            entry.exported[name if seen.exported is None else seen.exported] = None
            # What a call above does not return to is never declared.
            entry.shown.append(self._called)
            self._frame += self._pending
            self._pending.clear()

    def add_store(
        self, place: StatementPlace, names: Iterable[str], tokens: str, value: Mentions
    ) -> None:
        """Add the value of a variable of a declared type, which what follows may see narrowed."""
        for name in names:
            self._stores.setdefault(name, []).append((place.owner, tokens, value))

    def add_to_frame(self, place: StatementPlace, tokens: str) -> None:
        """Add what everything in the file depends on; the same again adds nothing."""
        piece = place.condition + tokens
        if piece not in self._frame:
            self._frame.append(piece)

    def add_call(self, place: StatementPlace, tokens: str, called: Mentions) -> None:
        """Add a call that may not return: what is declared below depends on it."""
        self._pending.append(place.condition + tokens)
        self._called = union(self._called, called)

    def add_loose(self, mentions: Mentions) -> None:
        """Add what a statement mentions that declares nothing."""
        self._loose.append(mentions)

    def declarations(self) -> tuple[Declaration, ...]:
        """All declarations, in the order of their first places."""
        return tuple(
            self._declaration(owner, name, entry) for (owner, name), entry in self._entries.items()
        )

    def _declaration(self, owner: str, name: str, entry: _Entry) -> Declaration:
        written = union(*entry.shown)
        outside, shown = self._with_stores(
            owner, name, entry.digest, union(written, *entry.inferred_from)
        )
        signature = None
        if entry.written is not None:
            said = self._with_stores(owner, name, entry.written, written)
            signature = Signature(*said, min(entry.kinds) if len(entry.kinds) == 1 else "")
        exported, inner = tuple(filter(None, entry.exported)), union(*entry.inner)
        return Declaration(
            name, owner, exported, outside, shown, inner, entry.of_owner, entry.listed, signature
        )

    def _with_stores(
        self, owner: str, name: str, digest: blake2b, shown: Mentions
    ) -> tuple[str, Mentions]:
        """What is seen, together with the values of the variables that it mentions."""
        for mentioned in sorted(shown.names & self._stores.keys()):
            for scope, tokens, value in self._stores[mentioned]:
                if scope in ("", owner) and (scope, mentioned) != (owner, name):
                    digest.update(tokens.encode())
                    shown = union(shown, value)
        return digest.hexdigest(), shown

    def frame(self) -> str:
        """The digest of the frame."""
        return blake2b("\0".join(self._frame).encode(), digest_size=16).hexdigest()

    def loose(self) -> Mentions:
        """What is mentioned outside all declarations."""
        return union(*self._loose)


def _is_dunder(name: str) -> bool:
    """Enums have some with one line, too."""
    return name.startswith("_") and name.endswith("_")
