"""Whom a change reaches: along bindings, by the names whose outside can have changed.

A file that binds a changed name is reached. It hands the change on only by those of its own
declarations whose outside mentions that name: a body behind a declared signature reaches nobody.
A member reaches those who can have its owner in hand and mention its name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from understudy.dependents.bindings import TEXT, BindingGraph, dependents
from understudy.dependents.changes import OutsideChange
from understudy.dependents.cycles import joined_by
from understudy.dependents.inclusions import included_by
from understudy.dependents.inference import without_result
from understudy.dependents.line_numbers import is_new_code
from understudy.dependents.mentions import DeclaredName, FileMentions, WantedNames, loaded_spaces
from understudy.dependents.namespaces import WITH_SPACES, Namespaces, Space
from understudy.dependents.reach import Carriers, Reach, Sources
from understudy.dependents.word_index import WordIndex
from understudy.syntax.model import ALL, LOADED, WHOLE, Binding, Declaration


def reached(
    graphs: tuple[BindingGraph, BindingGraph],
    changes: Mapping[str, OutsideChange | None],
    sources: Sources,
) -> dict[str, Reach]:
    """Every file that one of the changes can reach, the changed ones at distance 0.

    `graphs` are the ones before and after. A change that is None may be of any name: all that
    depend on its file are reached.
    """
    found = _Propagation(graphs, sources, changes).run()
    joined = joined_by(*graphs, changes), included_by(graphs, [*found], changes)
    for path, by in (one for some in joined for one in some.items()):
        found.setdefault(path, Reach(found[by].distance + 1, frozenset(), by))
    return found


@dataclass
class _Propagation:
    graphs: Sequence[BindingGraph]
    sources: Sources
    changes: Mapping[str, OutsideChange | None]
    found: dict[str, Reach] = field(default_factory=dict[str, Reach])
    depth: dict[str, int] = field(default_factory=dict[str, int])
    carriers: Carriers = field(default_factory=Carriers)
    known: set[DeclaredName] = field(default_factory=set[DeclaredName])
    spaces: Namespaces = field(default_factory=Namespaces)
    given: set[str] = field(default_factory=set[str])
    """The names that come or go, anywhere."""
    handed_on: defaultdict[str, set[tuple[str, str]]] = field(
        default_factory=lambda: defaultdict(set)
    )
    """By file, the owners and names of the declarations that others may see changed."""
    fresh: list[DeclaredName] = field(default_factory=list[DeclaredName])
    closures: dict[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])
    mentioned: dict[str, FileMentions] = field(default_factory=dict[str, FileMentions])
    in_unit: defaultdict[str, frozenset[str]] = field(
        default_factory=lambda: defaultdict(frozenset)
    )

    def __post_init__(self) -> None:
        self.words = WordIndex(self.sources)

    def run(self) -> dict[str, Reach]:
        for path in self.changes:
            self.found[path], self.depth[path] = Reach(0), 0
        for path, change in self.changes.items():
            if change is None:
                self._reach_all(path)
            else:
                self._begin(path, change)
        while True:
            if self.fresh:
                self._follow_fresh()
                continue  # what lies behind namespaces is followed for many names at once
            held = self.spaces.take_fresh()
            if not held:
                break
            for space, names in held.items():
                self._follow_space(space, frozenset(names))
        self._reach_includers()
        return self.carriers.told(self.found)

    def _follow_fresh(self) -> None:
        batch, self.fresh = self.fresh, []
        tops: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
        members: defaultdict[tuple[str, bool], set[str]] = defaultdict(set)
        for path, owner, name, is_unknown in batch:
            (members if owner else tops)[path, is_unknown].add(name)
        for (path, is_unknown), names in tops.items():
            self._follow(path, frozenset(names), is_unknown=is_unknown)
        for (path, is_unknown), names in members.items():
            self._follow_members(path, frozenset(names), is_unknown=is_unknown)

    def _reach_includers(self) -> None:
        """An error in a header is told of every file that includes it, at the include."""
        for path, reach in list(self.found.items()):
            if self.graphs[0].family_of(path) != "native":
                continue
            closure = self._closure(path)
            if is_new_code(self.changes.get(path), self.graphs, self.sources, path, closure):
                for other, distance in closure.items():
                    self._note(other, reach.distance + distance, (), path)

    def _begin(self, path: str, change: OutsideChange) -> None:
        mentioned = self._mentioned(path)
        self.given |= change.given
        for owner, name in change.names:
            for one in mentioned.named(owner, name):
                self._hand_on(path, one)
                if one.listed_by_owner and (owner, name) in change.come:
                    self._hand_on_owner(path, owner, 0)
            if not (owner or mentioned.named(owner, name)):
                self._add(path, "", name)  # it hands the name on
        if change.locals_:
            self._look(path, path, WantedNames(change.locals_), 0)
        if change.moved:
            self._add(path, "", ALL)
            self._add(path, "", WHOLE)

    def _reach_all(self, path: str) -> None:
        """Where nobody can name what has changed, all that depend on the file stay."""
        for other, distance in self._closure(path).items():
            self._note(other, self.depth[path] + distance, (), path)

    def _follow(self, path: str, names: frozenset[str], *, is_unknown: bool) -> None:
        """Who takes names from the top of a file, itself included."""
        here = self.depth[path]
        self._look(path, path, WantedNames(names, is_unknown=is_unknown), here)
        for graph in self.graphs:
            self._follow_unimported(graph, path, names)
            for other, bindings in graph.importers(path).items():
                taken = names
                if graph.family_of(other) == "go":  # no other name leaves its package
                    taken = frozenset(name for name in names if not name[:1].islower())
                self._bind(other, path, taken, bindings, is_unknown=is_unknown)
                if TEXT in bindings:
                    self._follow_included(graph, other, names, here + 1)

    def _follow_included(
        self, graph: BindingGraph, path: str, names: frozenset[str], distance: int
    ) -> None:
        """What is included after a header sees its names, without including it itself."""
        fresh = names - self.in_unit[path]
        self.in_unit[path] |= fresh
        for target, binding in graph.edges(path) if fresh else ():
            if binding == TEXT:
                self._look(target, path, WantedNames(fresh), distance)
                self._follow_included(graph, target, fresh, distance + 1)

    def _follow_unimported(self, graph: BindingGraph, path: str, names: frozenset[str]) -> None:
        """Who sees the names without any import; a global one also behind a dot (`window.x`)."""
        here = self.depth[path]
        is_global = graph.is_global(path)
        wanted = WantedNames(names, names if is_global else frozenset())
        for other in graph.onlookers_of(path):
            if is_global and ALL in names:
                self._note(other, here + 1, (), path)
            else:
                self._look(other, path, wanted, here + 1)

    def _follow_members(self, path: str, names: frozenset[str], *, is_unknown: bool) -> None:
        """Who can have an owner of these members in hand and names one of them."""
        here = self.depth[path]
        wanted = WantedNames(members=names, is_unknown=is_unknown)
        self._look(path, path, wanted, here)
        closure = self._closure(path)
        for other in self.words.having(names, closure.keys()):
            self._look(other, path, wanted, here + closure[other])
        for graph in self.graphs:
            for other in graph.with_protocols():
                self._fit(other, path, names, here + 1)

    def _fit(self, path: str, source: str, names: frozenset[str], distance: int) -> None:
        """Types fit a protocol by its members: one that changes may begin or cease to fit it."""
        there = self.sources.words(path)
        if there is None or not there.isdisjoint(names):
            for one in self._mentioned(path).members(names):
                if one.of_owner:
                    self.carriers.note(path, source, distance)
                    self._hand_on(path, one, distance)

    def _bind(
        self,
        path: str,
        source: str,
        names: frozenset[str],
        bindings: Iterable[Binding],
        *,
        is_unknown: bool,
    ) -> None:
        """What an importer takes of the changed names, and under which of its own."""
        distance = self.depth[source] + 1
        free, behind, spaces, loaded = (set[str]() for _ in range(4))
        for binding in bindings:
            if binding.name == ALL:
                taken = names - {WHOLE}
                free |= taken - {ALL} if binding.local else set()
                on = taken if binding.exported else frozenset[str]()
                came = on if ALL in names else on & self.given
                if came and (ALL in names or not binding.local):
                    self._note(path, distance, came, source)  # two of a name would be an error
            elif binding.name in (WHOLE, LOADED) and WHOLE not in names:
                if binding.local == ALL:  # code takes what it has without naming where from
                    free |= names - {ALL}
                    behind |= names
                else:
                    seen = loaded if binding.name == LOADED else spaces
                    seen |= {binding.local} - {""}
                self._hand_on_space(path, source, binding, names, distance)
                continue
            elif binding.name in names or ALL in names:
                self._note(path, distance, (binding.name,), source)
                free |= {binding.local} - {""}
                on = frozenset({binding.exported} - {""})
            else:
                continue
            for name in on:
                self.carriers.note(path, source, distance)
                self._add(path, "", name, distance, is_unknown=is_unknown)
            self.depth.setdefault(path, distance)
        if free or spaces:
            seen = frozenset(free), frozenset(behind), frozenset(spaces), names
            self._look(path, source, WantedNames(*seen, is_unknown=is_unknown), distance)
        if loaded:
            self._look(path, source, loaded_spaces(frozenset(loaded), names), distance)

    def _hand_on_space(
        self,
        path: str,
        source: str,
        binding: Binding,
        names: frozenset[str],
        distance: int,
        inner: frozenset[str] = frozenset(),
    ) -> None:
        """A namespace that is handed on has what it holds as members."""
        space = binding.exported
        if not space:
            return
        self.carriers.note(path, source, distance)
        if ALL in names:
            self._add(path, "", space, distance)
        if self.graphs[0].family_of(path) in WITH_SPACES and space != WHOLE:
            held = Space(path, space, binding.name == LOADED)
            self._hold(held, names - {ALL}, inner, distance)
            return
        for name in names - {ALL}:
            self._add(path, space, name, distance)

    def _hold(
        self, space: Space, names: frozenset[str], inner: frozenset[str], distance: int
    ) -> None:
        if self.spaces.hold(space, names, inner):
            self.depth[space.path] = min(distance, self.depth.get(space.path, distance))

    def _follow_space(self, space: Space, names: frozenset[str]) -> None:
        """Who takes a namespace from a file that hands it on, and uses these names of it.

        Where code takes it as it is, and not for a name in it, see `_hand_on_alias`.
        """
        path, distance = space.path, self.depth[space.path] + 1
        for other, handed_on, wanted in list(self.spaces.users(self.graphs, space, names)):
            for binding in handed_on:
                self._hand_on_space(other, path, binding, names, distance, self.spaces.inner(space))
            if wanted is not None:
                self._look(other, path, wanted, distance)

    def _look(self, path: str, source: str, wanted: WantedNames, distance: int) -> None:
        """Find what a file declares with the help of names that may have changed."""
        there = self.sources.words(path)
        if there is not None and not wanted.may_be_in(there):
            return
        mentioned = self._mentioned(path)
        is_any = mentioned.hands_on_any(wanted)
        if is_any or not mentioned.is_sound:
            self._note_wanted(path, distance, wanted, source)
            if is_any or path != source:
                self._reach_all(path)
        if mentioned.takes_loosely(wanted):
            self._note_wanted(path, distance, wanted, source)
        noted = self.found.get(path)
        for found in mentioned.mentioning(wanted):
            one = without_result(found) if wanted.is_loaded else found
            if noted is not None and noted.distance <= distance and self._is_handed_on(path, one):
                if source == noted.via and (wanted.is_in(one.shown) or wanted.is_in(one.inner)):
                    self._note_wanted(path, distance, wanted, source)
                continue  # whoever takes it is reached, whatever else it takes
            is_own = not one.owner and one.name in wanted.spaces
            is_used = wanted.uses_space(one.shown) and not (is_own or wanted.may_be_space(one))
            if is_used or wanted.is_in(one.shown):
                self._note_wanted(path, distance, wanted, source)
                if is_used or not wanted.only_calls(one.shown):
                    self._hand_on(path, one, distance)
            elif wanted.uses_space(one.inner) or wanted.is_in(one.inner):
                self._note_wanted(path, distance, wanted, source)
            if wanted.takes_space(one.shown) and not (is_used or is_own):
                self.carriers.note(path, source, distance)
                self._hand_on_alias(path, one, wanted, distance)

    def _note_wanted(self, path: str, distance: int, wanted: WantedNames, source: str) -> None:
        """Note a file with those of the names that stand in it."""
        seen = self.found.get(path)
        if seen is not None and distance >= seen.distance and source != seen.via:
            return
        there = self.sources.words(path)
        names = (wanted.names | wanted.members | wanted.behind) - {ALL, WHOLE}
        self._note(path, distance, names if there is None else names & there, source)

    def _hand_on_alias(
        self, path: str, one: Declaration, wanted: WantedNames, distance: int
    ) -> None:
        """What mentions a namespace may be that namespace: the names are its own members then."""
        names = wanted.behind - {ALL, WHOLE}
        if wanted.uses_space(one.shown) and not one.owner and WHOLE not in one.exported:
            for space in one.exported:
                alias = Space(path, space, wanted.is_loaded)
                self.spaces.may_only_be(alias)
                self._hold(alias, names, wanted.inner_spaces, distance)
            if self.spaces.hold_local(Space(path, one.name, wanted.is_loaded), names):
                again = WantedNames(
                    spaces=frozenset((one.name,)), behind=names, inner_spaces=wanted.inner_spaces,
                    is_called=True, is_loaded=wanted.is_loaded,
                )  # fmt: skip
                self._look(path, path, again, distance)
            return
        for name in names:
            if WHOLE in one.exported:
                self._add(path, "", name, distance)
            self._add(path, one.owner or one.name, name, distance)

    def _is_handed_on(self, path: str, one: Declaration) -> bool:
        return (one.owner, one.name) in self.handed_on[path]

    def _hand_on(self, path: str, one: Declaration, distance: int = 0) -> None:
        """Others may see a declaration changed: by its names, or as part of what it belongs to."""
        if self._is_handed_on(path, one):
            return
        self.handed_on[path].add((one.owner, one.name))
        is_unknown = self._gives_unknown(path, one)
        for name in one.exported if one.owner else (one.name, *one.exported):
            self._add(path, "", name, distance, is_unknown=is_unknown)
        if one.of_owner:
            self._hand_on_owner(path, one.owner, distance)
        if one.owner and (not one.of_owner or any(graph.is_global(path) for graph in self.graphs)):
            # Code has global types in hand without naming them: `[]` is an Array.
            self._add(path, one.owner, one.name, distance, is_unknown=is_unknown)

    def _gives_unknown(self, path: str, one: Declaration) -> bool:
        """Whether it is and was nothing but a function of whose result nobody knows anything."""
        change = self.changes.get(path)
        if change is not None and (change.moved or (one.owner, one.name) in change.come):
            return False
        named = self._mentioned(path).named(one.owner, one.name)
        kinds = {other.unknown_result for other in named}
        return len(kinds) == 1 and "" not in kinds

    def _hand_on_owner(self, path: str, owner: str, distance: int) -> None:
        """A type changes with its member, and the types around it may be what names it."""
        above, _, name = owner.rpartition(".")
        top, _, _ = owner.partition(".")
        mentioned = self._mentioned(path)
        owners = (*mentioned.named(above, name), *mentioned.named("", top))
        for one in owners:
            self._hand_on(path, one, distance)
        if not owners:
            self._add(path, "", top, distance)

    def _mentioned(self, path: str) -> FileMentions:
        if path not in self.mentioned:
            self.mentioned[path] = self.sources.mentions(path)
        return self.mentioned[path]

    def _add(
        self, path: str, owner: str, name: str, distance: int = 0, *, is_unknown: bool = False
    ) -> None:
        item = DeclaredName(path, owner, name, is_unknown)
        if item not in self.known and item._replace(is_unknown=False) not in self.known:
            self.known.add(item)
            self.fresh.append(item)
            self.depth[path] = min(distance, self.depth.get(path, distance))

    def _note(self, path: str, distance: int, names: Iterable[str], via: str) -> None:
        seen = self.found.get(path)
        self.depth[path] = min(distance, self.depth.get(path, distance))
        if seen is None or distance < seen.distance:
            self.found[path] = Reach(distance, frozenset(names), via)
        elif seen.distance and via == seen.via:
            self.found[path] = Reach(seen.distance, seen.names | frozenset(names), via)

    def _closure(self, path: str) -> Mapping[str, int]:
        if path not in self.closures:
            self.closures[path] = dependents(self.graphs, (path,))
        return self.closures[path]
