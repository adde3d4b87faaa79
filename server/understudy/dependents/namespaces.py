"""What may have changed behind the names of namespaces, and who takes these from where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from understudy.dependents.bindings import BindingGraph
from understudy.dependents.mentions import WantedNames
from understudy.syntax.model import ALL, WHOLE, Binding

_Behind = defaultdict[tuple[str, str], set[str]]


@dataclass
class Namespaces:
    """By file and the name of a namespace in it: the names behind it that may have changed."""

    _held: _Behind = field(default_factory=lambda: defaultdict(set))
    _fresh: _Behind = field(default_factory=lambda: defaultdict(set))
    _aliases: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """The namespaces that only may be one: what gives one when it is called."""
    _inner: set[str] = field(default_factory=set[str])

    @property
    def inner(self) -> frozenset[str]:
        """The names by which namespaces lie in others."""
        return frozenset(self._inner)

    def hold(self, path: str, space: str, names: frozenset[str], *, is_alias: bool = False) -> bool:
        """Note names behind a namespace of a file; whether any of them is new."""
        if is_alias:
            self._aliases.add((path, space))
        fresh = names - self._held[path, space]
        if not fresh:
            return False
        self._held[path, space] |= fresh
        self._fresh[path, space] |= fresh
        self._inner.add(space)
        return True

    def hold_local(self, path: str, name: str, names: frozenset[str]) -> bool:
        """The same of a name that has none outside of its file; nobody else can follow it."""
        held = self._held[path, f" {name}"]
        is_new = not names <= held
        held |= names
        return is_new

    def take_fresh(self) -> Mapping[tuple[str, str], set[str]]:
        """What is to be followed, all names behind a namespace at once."""
        taken, self._fresh = self._fresh, defaultdict(set)
        return taken

    def users(
        self, graphs: Sequence[BindingGraph], path: str, space: str, names: frozenset[str]
    ) -> Iterator[tuple[str, list[Binding], WantedNames | None]]:
        """Who takes a namespace from a file: how it is handed on there, and what to look for.

        To be exhausted before more is held.
        """
        is_alias, inner = (path, space) in self._aliases, self.inner
        for graph in graphs:
            for other in graph.onlookers_of(path):
                seen = frozenset((space,))
                yield other, [], WantedNames(frozenset(), names, seen, names, inner, is_alias)
            for other, bindings in graph.importers(path).items():
                spaces: set[str] = set()
                handed_on: list[Binding] = []
                for one in bindings:
                    if one.name not in (space, ALL, WHOLE):
                        continue
                    local, on = one.local, one.exported
                    if one.name == ALL:
                        local, on = (space if local else ""), (space if on else "")
                    spaces |= {local} - {""}
                    if is_alias and on:
                        self._aliases.add((other, on))
                    handed_on.append(one._replace(exported=on))
                members = names if ALL in spaces else frozenset[str]()
                seen = frozenset(spaces)
                wanted = WantedNames(frozenset(), members, seen, names, inner, is_alias)
                yield other, handed_on, wanted if spaces else None
