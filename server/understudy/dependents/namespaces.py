"""What may have changed behind the names of namespaces, and who takes these from where."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from understudy.dependents.bindings import BindingGraph
from understudy.dependents.mentions import WantedNames
from understudy.syntax.model import ALL, LOADED, WHOLE, Binding

WITH_SPACES = ("python", "script")
"""The families in which a namespace has to be named to be used: its names are no one else's."""


class Space(NamedTuple):
    """A namespace by its name in a file; `is_loaded` as in `WantedNames`."""

    path: str
    name: str
    is_loaded: bool = False


_Behind = defaultdict[Space, set[str]]


@dataclass
class Namespaces:
    """By file and the name of a namespace in it: the names behind it that may have changed."""

    _held: _Behind = field(default_factory=lambda: defaultdict(set))
    _fresh: _Behind = field(default_factory=lambda: defaultdict(set))
    _aliases: set[Space] = field(default_factory=set[Space])
    """The namespaces that only may be one: what gives one when it is called."""
    _inner: _Behind = field(default_factory=lambda: defaultdict(set))

    def inner(self, space: Space) -> frozenset[str]:
        """The names by which a namespace lies in its file, and what has changed lies in it."""
        return frozenset(self._inner[space])

    def hold(
        self,
        space: Space,
        names: frozenset[str],
        inner: frozenset[str] = frozenset(),
    ) -> bool:
        """Note names behind a namespace of a file; whether anything of it is new.

        `inner` are the names of the namespaces in it that lead to them.
        """
        on_the_way = {*inner, space.name}
        if names <= self._held[space] and on_the_way <= self._inner[space]:
            return False
        self._fresh[space] |= names - self._held[space]
        if not on_the_way <= self._inner[space]:
            self._fresh[space] |= self._held[space] | names
        self._held[space] |= names
        self._inner[space] |= on_the_way
        return True

    def may_only_be(self, space: Space) -> None:
        """Note that a name may be no namespace, but what gives one when it is called."""
        self._aliases.add(space)

    def hold_local(self, space: Space, names: frozenset[str]) -> bool:
        """The same of a name that has none outside of its file; nobody else can follow it."""
        held = self._held[space._replace(name=f" {space.name}")]
        is_new = not names <= held
        held |= names
        return is_new

    def take_fresh(self) -> Mapping[Space, set[str]]:
        """What is to be followed, all names behind a namespace at once."""
        taken, self._fresh = self._fresh, defaultdict(set)
        return taken

    def users(
        self, graphs: Sequence[BindingGraph], space: Space, names: frozenset[str]
    ) -> Iterator[tuple[str, list[Binding], WantedNames | None]]:
        """Who takes a namespace from a file: how it is handed on there, and what to look for.

        To be exhausted before more is held.
        """
        wanted = WantedNames(
            members=names, behind=names, inner_spaces=self.inner(space),
            is_called=space in self._aliases, is_loaded=space.is_loaded,
        )  # fmt: skip
        for graph in graphs:
            for other in graph.onlookers_of(space.path):
                yield other, [], replace(wanted, spaces=frozenset((space.name,)))
            for other, bindings in graph.importers(space.path).items():
                spaces: dict[bool, set[str]] = {space.is_loaded: set(), True: set()}
                handed_on: list[Binding] = []
                for one in bindings:
                    if one.name not in (space.name, ALL, WHOLE, LOADED):
                        continue
                    local, on = one.local, one.exported
                    if one.name == ALL:
                        local, on = (space.name if local else ""), (space.name if on else "")
                    is_loaded = space.is_loaded or one.name == LOADED
                    spaces[is_loaded] |= {local} - {""}
                    if wanted.is_called and on:
                        self._aliases.add(Space(other, on, is_loaded))
                    name = LOADED if is_loaded else one.name
                    handed_on.append(Binding(name, exported=on))
                yield other, handed_on, None
                for is_loaded, found in spaces.items():
                    if found:
                        members = names if ALL in found else frozenset[str]()
                        seen = replace(wanted, spaces=frozenset(found), members=members)
                        yield other, [], replace(seen, is_loaded=is_loaded)
