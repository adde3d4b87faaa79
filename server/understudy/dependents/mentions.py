"""Which dependents an edit can reach: those that mention a name whose meaning may have changed.

In a big project most files reach most others through imports. What an edit changes travels by
name: whoever is affected mentions a changed definition, or one that mentions it where others can
see it (a signature, an inferred type, a base class), and so on until no new name is found.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from understudy.dependents import python_imports, python_units, script_imports, script_units
from understudy.dependents.onlookers import names_in
from understudy.dependents.script_units import heads
from understudy.dependents.units import Unit, words

_DEFINED = re.compile(r"^[ \t]*(?:(?:async[ \t]+)?def[ \t]+|class[ \t]+)?(\w+)[ \t]*[(:=,]", re.M)


def units_of(path: str, content: str) -> list[Unit]:
    """The units of a file; what cannot be taken apart is one unit that shows everything."""
    found: list[Unit] | None = None
    if path.endswith(python_imports.SUFFIXES):
        found = python_units.read(content)
    elif path.endswith(script_imports.SUFFIXES):
        found = script_units.read(content)
    if found is None:
        defined = frozenset(match.group(1) for match in _DEFINED.finditer(content))
        return [Unit(content, defined, words(content) | names_in(content))]
    return found


def changed_names(path: str, before: str, after: str) -> frozenset[str] | None:
    """The names whose definition differs between two texts of a file; None: it may be any."""
    moved = _moved(path, before, after)
    if moved is None:
        return None
    names = frozenset(name for owners, own in moved for name in (own, *owners))
    # What a wildcard passes on is written elsewhere.
    return None if "*" in names else names - {""}


def changed_globals(path: str, before: str, after: str) -> frozenset[str] | None:
    """Of those, the names that a file can know without anything in between: no members."""
    moved = _moved(path, before, after)
    if moved is None:
        return None
    if not path.endswith(script_imports.SUFFIXES):
        return frozenset(name for owners, own in moved for name in owners or (own,)) - {"", "*"}
    return frozenset(
        own for (_, own), sources in moved.items() if any(own in heads(text) for text in sources)
    )


def _moved(
    path: str, before: str, after: str
) -> dict[tuple[frozenset[str], str], list[str]] | None:
    """The definitions that differ, with their texts; None where the two cannot be compared."""
    if path.endswith(python_imports.SUFFIXES):
        left, right = python_units.read(before), python_units.read(after)
        if left is not None and right is not None:
            raising = python_units.ends_by_raising(before), python_units.ends_by_raising(after)
            # Whether a call returns is inferred through functions that show nothing else.
            left = left if raising[0] == raising[1] else None
    elif path.endswith(script_imports.SUFFIXES):
        balanced = script_units.marks(before) == script_units.marks(after)
        left = script_units.read(before) if balanced else None
        right = script_units.read(after)
    else:
        return None
    if left is None or right is None:
        return None  # half-written: anything below the mistake may have lost its meaning
    former, latter = _definitions(left), _definitions(right)
    return {
        key: former.get(key, []) + latter.get(key, [])
        for key in former.keys() | latter.keys()
        if former.get(key) != latter.get(key)
    }


def _definitions(units: Iterable[Unit]) -> dict[tuple[frozenset[str], str], list[str]]:
    """Each name's definitions in their order: of several, the last or the first holds."""
    found: defaultdict[tuple[frozenset[str], str], list[str]] = defaultdict(list)
    for unit in units:
        for name in unit.defines or ("",):
            found[unit.owners, name].append(unit.source)
    return found


def affected(names: Iterable[str], texts: Mapping[str, Sequence[str]]) -> set[str]:
    """The paths whose text mentions one of the names, or a name that depends on one.

    `texts` has the text of each dependent, and both texts of a changed file. Only a file that has
    a word in question is taken apart.
    """
    known, fresh = set(names), set(names)
    units: dict[str, list[Unit]] = {}
    found: set[str] = set()
    while fresh:
        either = "|".join(map(re.escape, sorted(fresh)))
        pattern = re.compile(rf"(?<![\w$])(?:{either})(?![\w$])")
        fresh = set[str]()
        for path, versions in texts.items():
            # A default import names what it takes as it likes.
            if "default" not in known and not any(pattern.search(text) for text in versions):
                continue
            if path not in units:
                units[path] = [unit for text in versions for unit in units_of(path, text)]
            kept: list[Unit] = []
            for unit in units[path]:
                if not unit.mentions(known):
                    kept.append(unit)
                    continue
                found.add(path)
                if unit.shown.isdisjoint(known):
                    kept.append(unit)  # only its body mentions one so far: others see no change
                    continue
                fresh |= unit.defines | (unit.owners if _is_special(unit) else frozenset())
            units[path] = kept
        fresh -= known
        known |= fresh
    return found


def _is_special(unit: Unit) -> bool:
    """Whether others reach the unit through its class alone, as `__init__` or `__add__`."""
    return any(name.startswith("__") and name.endswith("__") for name in unit.defines)
