"""Which files an edit may break that no server judges: onlookers that name what it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Container, Iterable, Mapping
from dataclasses import field

from understudy.app.check.blast_radius import Radius
from understudy.dependents.families import family_of
from understudy.dependents.onlookers import cells_with, kind_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.verdicts import Reason
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.snapshot_sources import SnapshotSources

_MOST_CELLS = 10
"""Of a notebook, in a reason that is one line."""


@frozen
class Onlookers:
    """What an edit means to onlookers: path -> why one is unknown, and how many it leaves alone."""

    unknown: Mapping[str, Reason] = field(default_factory=dict[str, Reason])
    passed_over: int = 0


@frozen
class _Why:
    """Why an onlooker may break, and the name or the file that its code has."""

    text: str
    of: str = ""


async def onlookers(
    index: BindingIndex,
    before: Snapshot,
    after: Snapshot,
    radius: Radius,
    judged: Container[str],
) -> Onlookers:
    """Sort the onlookers that may import what has changed; `judged` are those with a server.

    Unknown is what imports a changed file, mentions a changed name, or is in the radius: it
    depends on something that hands the change on.
    """
    changed = sorted(path for path in radius.changed if family_of(path) is not None)
    families = {family_of(path) for path in changed}
    near = {
        path
        for path in after.paths()
        if kind_of(path) is not None
        and path not in judged
        and path not in radius.changed
        and not families.isdisjoint(_families(path))
    }
    if not near:
        return Onlookers()
    why: dict[str, _Why] = {}
    importers = [await index.importers_of(side, changed) for side in (before, after)]
    for target in changed:
        for path in sorted(near & frozenset().union(*(side[target] for side in importers))):
            why.setdefault(path, _Why(f"it imports {target}, which the edit changes", target))
    named = await asyncio.to_thread(_naming, index.sources(before, after), changed, near)
    why = {**named, **why}
    for path in sorted(near & radius.onlookers):
        why.setdefault(path, _Why("it depends on files that hand on what the edit changes"))
    unknown = await asyncio.to_thread(_reasons, after, why)
    return Onlookers(unknown, len(near) - len(unknown))


def _naming(
    sources: SnapshotSources, changed: Iterable[str], near: Iterable[str]
) -> dict[str, _Why]:
    """The onlookers that mention a changed name, with why that matters."""
    why: dict[str, _Why] = {}
    for target in changed:
        names = sources.names_known_before(target) | _module_names(target)
        for path in sorted(near) if names else ():
            if family_of(target) not in _families(path):
                continue
            for reading in sources.declarations(path):
                if mentioned := names & reading.loose.names:
                    name = min(mentioned)
                    text = f"it mentions {name}, which the edit changes in {target}"
                    why.setdefault(path, _Why(text, name))
    return why


def _module_names(path: str) -> frozenset[str]:
    """What Python code writes behind a dot for a module that it imports by its package alone."""
    stem = path.rpartition("/")[2].rpartition(".")[0]
    return frozenset((stem,)) if family_of(path) == "python" and "/" in path else frozenset()


def _families(path: str) -> tuple[str, ...]:
    kind = kind_of(path)
    return () if kind is None else kind.families


def _reasons(after: Snapshot, why: Mapping[str, _Why]) -> dict[str, Reason]:
    return {path: _reason(path, one, _cells(after, path, one)) for path, one in why.items()}


def _cells(after: Snapshot, path: str, why: _Why) -> str:
    """Which cells of a notebook it is about, in words; "" of all else."""
    if not (path.endswith(".ipynb") and why.of):
        return ""
    try:
        text = after.read(path)
    except BadInput:  # too large for a text of ours: its names are known by the index
        return ""
    if text is None:
        return ""
    path = why.of.removesuffix("/__init__.py").removesuffix("/__init__.pyi")
    numbers = cells_with(text.content, path.rpartition("/")[2].partition(".")[0])
    shown = ", ".join(map(str, numbers[:_MOST_CELLS]))
    more = len(numbers) - _MOST_CELLS
    told = shown if more <= 0 else f"{shown} and {more} more"
    return f" (cell{'s' * (len(numbers) > 1)} {told})" if numbers else ""


def _reason(path: str, why: _Why, cells: str) -> Reason:
    kind = kind_of(path)
    assert kind is not None
    suffix = path[path.rfind(".") :]
    text = (
        f"{why.text}{cells}, and no server judges {suffix} files: let {kind.judge} judge the edit "
        "(`understudy run PATCH -- ...`), or add a profile for them"
    )
    return Reason("no-server", text)
