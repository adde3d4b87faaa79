"""Which files an edit may break that no server judges: onlookers that name what it changes."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field

from understudy.app.check.blast_radius import Radius
from understudy.dependents.imports import family_of
from understudy.dependents.mentions import changed_globals
from understudy.dependents.onlookers import kind_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.verdicts import Reason
from understudy.workspace.import_index import ImportIndex


@dataclass(frozen=True)
class Onlookers:
    """What an edit means to onlookers: path -> why one is unknown, and how many it leaves alone."""

    unknown: Mapping[str, Reason] = field(default_factory=dict[str, Reason])
    passed_over: int = 0


async def onlookers(
    imports: ImportIndex,
    before: Snapshot,
    after: Snapshot,
    radius: Radius,
    judged: Container[str],
) -> Onlookers:
    """Sort the onlookers that may import what has changed; `judged` are those with a server.

    Unknown is what imports a changed file, mentions a changed name, or is in the radius: it
    depends on something that hands the change on.
    """
    found = await imports.onlookers(after)
    changed = sorted(path for path in radius.changed if family_of(path) is not None)
    families = {family_of(path) for path in changed}
    near = {
        path: what
        for path, what in found.items()
        if path not in judged
        and path not in radius.changed
        and not families.isdisjoint(_families(path))
    }
    if not near:
        return Onlookers()
    why: dict[str, str] = {}
    for target in changed:
        for snapshot in (before, after):
            for path in sorted(near.keys() & await imports.importers_of(snapshot, target)):
                why.setdefault(path, f"it imports {target}, which the edit changes")
        names = _names(before, after, target)
        for path in sorted(near):
            mentioned = names & near[path].mentions if family_of(target) in _families(path) else ()
            if mentioned:
                text = f"it mentions {min(mentioned)}, which the edit changes in {target}"
                why.setdefault(path, text)
    for path in sorted(near.keys() & radius.onlookers):
        why.setdefault(path, "it depends on files that hand on what the edit changes")
    unknown = {path: _reason(path, text) for path, text in why.items()}
    return Onlookers(unknown, len(near) - len(unknown))


def _names(before: Snapshot, after: Snapshot, path: str) -> frozenset[str]:
    """The changed names of a file that others may know; none of a new one, which nobody knew."""
    try:
        old, new = before.read(path), after.read(path)
    except BadInput:  # no text: those who import it are known all the same
        return frozenset()
    if old is None or path in before.forgotten:
        return frozenset()
    return changed_globals(path, old.content, "" if new is None else new.content) or frozenset()


def _families(path: str) -> tuple[str, ...]:
    kind = kind_of(path)
    return () if kind is None else kind.families


def _reason(path: str, why: str) -> Reason:
    kind = kind_of(path)
    assert kind is not None
    suffix = path[path.rfind(".") :]
    text = (
        f"{why}, and no server judges {suffix} files: let {kind.judge} judge the edit "
        "(`understudy run PATCH -- ...`), or add a profile for them"
    )
    return Reason("no-server", text)
