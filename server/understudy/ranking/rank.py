"""Which declarations matter most: weight flows from each file to what it mentions, and on.

PageRank over files, factored through names: a file's weight goes to the names it mentions, and from
a name in equal parts to the places that declare it. This is the graph with one edge for each
(name, mentioning file, declaring file) without its millions of edges, and needs no array library.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from math import sqrt
from typing import NamedTuple

from understudy.ranking.references import IMPORTS_BY_NAME, MOST
from understudy.values.frozen import frozen

MOST_PLACES = 24
"""A name declared in more places than this (`get`, `main`) says nothing about any of them."""

_DAMPING = 0.85
_ROUNDS = 20
_ENOUGH = 1e-3
_PRIVATE = 0.3
_SAME_PACKAGE, _UNNAMED = 0.3, 0.02
"""How much a mention counts where the file names only the folder of the declaring file, or not even
that."""

_FOCUS_SHARE = 3.0
_ROOTS = [sqrt(count) for count in range(MOST + 1)]
_STANDS_FOR_FOLDER = frozenset({"__init__", "index", "mod", "lib", "main"})


@frozen
class FileNames:
    """What one file declares and mentions.

    `declared` has a name for each entry of its outline: `name` at the top, `.name` for members, ""
    for what is not ranked. `mentioned` are names (`references.telling`), each so often as
    `counts` says. Only files of one `family` mention each other's names.
    """

    path: str
    family: str
    declared: Sequence[str]
    mentioned: Sequence[str]
    counts: Sequence[int]


class Ranked(NamedTuple):
    """An entry of a file by its place in the list of files, and its weight."""

    file: int
    entry: int
    weight: float


def rank(files: Sequence[FileNames]) -> list[Ranked]:
    """All entries that any other file mentions, the most important first, ties by path and place.

    Deterministic: the same files in the same order give the same floating point numbers.
    """
    if not files:
        return []
    names = _Names(files)
    rows = [names.row(place, file) for place, file in enumerate(files)]
    weights = _settle(names, rows)
    handed = [(numbers, [share / whole for share in shares]) for numbers, shares, whole in rows]
    flows = _flow(len(names.places), handed, weights)
    found: dict[tuple[int, int], float] = {}
    for flow, places in zip(flows, names.places, strict=True):
        for at in places:
            found[at] = found.get(at, 0.0) + flow / len(places)
    ranked = [Ranked(*at, weight) for at, weight in found.items() if weight > 0]
    ranked.sort(key=lambda one: (-one.weight, files[one.file].path, one.entry))
    return ranked


def refocus(
    ranked: Sequence[Ranked], files: Sequence[FileNames], task: frozenset[int]
) -> list[Ranked]:
    """The ranking once more for a task: what its files mention themselves comes first.

    Cheap: nothing flows on. `task` are places in the list of files; `mentioned` is read only there.
    """
    total = sum(one.weight for one in ranked)
    extra: dict[tuple[int, int], float] = {}
    names = _Names(files)
    for place in sorted(task):
        numbers, shares, whole = names.row(place, files[place])
        for number, share in zip(numbers, shares, strict=True):
            places = names.places[number]
            more = _FOCUS_SHARE * total * share / (whole * len(task) * len(places))
            for at in places:
                extra[at] = extra.get(at, 0.0) + more
    again = [one._replace(weight=one.weight + extra.get(one[:2], 0.0)) for one in ranked]
    again.sort(key=lambda one: (-one.weight, files[one.file].path, one.entry))
    return again


_Row = tuple[list[int], list[float], float]
"""Numbers of the targets that a file mentions, how strongly, and the sum of that."""

_Places = tuple[tuple[int, int], ...]


class _Names:
    """What a mention may mean: numbered targets, each the (file, entry) of one or more places."""

    def __init__(self, files: Sequence[FileNames]) -> None:
        self.places: list[_Places] = []
        self._numbers: dict[_Places, int] = {}
        self._stems = [_stem(file.path) for file in files]
        self._words = [frozenset(_words(file.path)) for file in files]
        self._folders = [file.path.rpartition("/")[0] for file in files]
        # A bare name means what stands at the top of a file; one behind a dot may mean a member.
        tables: dict[str, dict[str, list[tuple[int, int]]]] = {}
        for place, file in enumerate(files):
            table = tables.setdefault(file.family, {})
            for entry, name in enumerate(file.declared):
                if len(name) <= 2:
                    continue
                meant = (name,) if name[0] == "." else (name, f".{name}")
                for key in meant:
                    known = table.get(key)
                    if known is None:
                        table[key] = [(place, entry)]
                    else:
                        known.append((place, entry))
        self._declared: dict[str, dict[str, _Places]] = {
            family: {
                name: tuple(places) for name, places in table.items() if len(places) <= MOST_PLACES
            }
            for family, table in tables.items()
        }

    def row(self, place: int, file: FileNames) -> _Row:
        """What a file hands its weight to; a name that it declares itself means its own."""
        declared = self._declared[file.family]
        own = {name.lstrip(".") for name in file.declared}
        imported = _imported(file)
        modules = set[str]().union(*imported.values())
        by_name = file.family in IMPORTS_BY_NAME
        # Where imports do not name files, any mention of a file's name has to do.
        named = modules | imported.keys() if by_name else set(file.mentioned)
        numbers: list[int] = []
        shares: list[float] = []
        meant = list(map(declared.get, file.mentioned))  # few mean anything, so in one go
        known = compress(zip(file.mentioned, file.counts, strict=True), meant)
        for (name, count), places in zip(known, filter(None, meant), strict=True):
            is_plain = name[0] != "."
            plain = name if is_plain else name[1:]
            if plain in own or (is_plain and by_name and name not in imported):
                continue
            if is_plain and by_name:
                near, strength = self._imported_from(places, imported[name]), 1.0
            else:
                near, strength = self._near(places, named, modules, None if by_name else place)
            if near:
                numbers.append(self._number(near))
                strength *= _PRIVATE if plain[0] == "_" else 1.0
                shares.append(_ROOTS[count] * strength)
        return numbers, shares, sum(shares)

    def _imported_from(self, places: _Places, words: frozenset[str]) -> _Places:
        """The places in the module that the name was imported from, by the words of its name."""
        if not words:  # from the folder that the file is in
            return places
        return tuple([at for at in places if not self._words[at[0]].isdisjoint(words)])

    def _near(
        self, places: _Places, named: set[str], modules: set[str], beside: int | None
    ) -> tuple[_Places, float]:
        """The places that the mentioning file points to best, and how well.

        `beside` is that file's own place where it sees the files of its folder without an import.
        """
        stems, words, folders = self._stems, self._words, self._folders
        if beside is None and len(places) == 1:  # most
            ((file, _),) = places
            if stems[file] in named:
                return places, 1.0
            return places, _UNNAMED if modules.isdisjoint(words[file]) else _SAME_PACKAGE
        folder = None if beside is None else folders[beside]
        near = [at for at in places if stems[at[0]] in named or folders[at[0]] == folder]
        if near:
            return tuple(near), 1.0
        near = [at for at in places if not modules.isdisjoint(words[at[0]])]
        return (tuple(near), _SAME_PACKAGE) if near else (places, _UNNAMED)

    def _number(self, places: _Places) -> int:
        number = self._numbers.setdefault(places, len(self.places))
        if number == len(self.places):
            self.places.append(places)
        return number


def _imported(file: FileNames) -> dict[str, frozenset[str]]:
    """The names that a file imports, each with the words of the module's name."""
    found: dict[str, frozenset[str]] = {}
    for name in reversed(file.mentioned):
        if name[0] != "+":
            break  # they are the last
        plain, *words = name[1:].split()
        known = found.get(plain)
        found[plain] = frozenset(words) if known is None else known.union(words)
    return found


def _words(path: str) -> list[str]:
    """The names of a file and the folders above it, without suffix."""
    *folders, name = path.split("/")
    return [*folders, name.partition(".")[0]]


def _stem(path: str) -> str:
    """The name by which other files import this one."""
    folder, _, name = path.rpartition("/")
    stem = name.partition(".")[0]
    return folder.rpartition("/")[2] if stem in _STANDS_FOR_FOLDER and folder else stem


def _settle(names: _Names, rows: Sequence[_Row]) -> list[float]:
    """The files' weights once they change no more."""
    n_files = len(rows)
    weights = [1.0 / n_files] * n_files
    receivers, handed = _by_receivers(names, rows)
    for _ in range(_ROUNDS):
        flows = _flow(len(receivers), handed, weights)
        handed_on = sum(flows)
        rest = (1.0 - _DAMPING * handed_on) / n_files
        settled = [rest] * n_files
        for flow, files in zip(flows, receivers, strict=True):
            if flow:
                part = _DAMPING * flow / len(files)
                for file in files:
                    settled[file] += part
        change = sum(map(abs, map(float.__sub__, settled, weights)))
        weights = settled
        if change < _ENOUGH:
            break
    return weights


_Handed = tuple[list[int], list[float]]
"""Numbers of what a file hands its weight to, names or groups of files, and what part of it."""


def _by_receivers(
    names: _Names, rows: Sequence[_Row]
) -> tuple[list[tuple[int, ...]], list[_Handed]]:
    """Each group of files that names lead to, once, and what each file hands to the groups."""
    groups: dict[tuple[int, ...], int] = {}
    group_of = [
        groups.setdefault(tuple([file for file, _ in places]), len(groups))
        for places in names.places
    ]
    handed: list[_Handed] = []
    for numbers, shares, whole in rows:
        parts: dict[int, float] = {}
        for number, share in zip(numbers, shares, strict=True):
            group = group_of[number]
            parts[group] = parts.get(group, 0.0) + share / whole
        handed.append((list(parts), list(parts.values())))
    return list(groups), handed


def _flow(n_receivers: int, handed: Sequence[_Handed], weights: Sequence[float]) -> list[float]:
    """What arrives at each of the receivers that are numbered."""
    flows = [0.0] * n_receivers
    for (numbers, parts), weight in zip(handed, weights, strict=True):
        for number, part in zip(numbers, parts, strict=True):
            flows[number] += weight * part
    return flows
