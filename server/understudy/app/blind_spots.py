"""What a server cannot be shown of a snapshot as long as it reads the user's folder itself.

Files that exist only in memory, deletions, and edits of files that the server reads from disk
(configuration, other languages) are invisible to it; answers that may depend on them are
`unknown: unsupported`. (`research/servers.md`, "Cross-file and memory-only files".)
"""

from __future__ import annotations

from collections.abc import Mapping

from understudy.app.import_index import ImportIndex
from understudy.app.server_choice import ServerChoice
from understudy.dependents.imports import family_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Reason

_UNKNOWN_THEN = Reason("base-unknown", "the text it had at the checkpoint is not known")
_CONFLICT = Reason(
    "conflict", "the branch's edits conflict with what the user changed: rebase the branch"
)


async def blind_spots(
    imports: ImportIndex, snapshot: Snapshot, choice: ServerChoice
) -> Mapping[str, Reason]:
    """Path -> why this server cannot judge it in this snapshot; the key `*` means every path."""
    unlike = snapshot.unlike_disk
    extended = [path for path in unlike if family_of(path) == "json"]
    settled = unlike | await imports.dependents_of([snapshot], extended)
    configuration = sorted(path for path in settled if choice.reads_as_configuration(path))
    if configuration:
        return {"*": _reason(choice, configuration[0], "is configuration that it reads from disk")}
    spots = dict.fromkeys(snapshot.forgotten, _UNKNOWN_THEN)
    spots.update(dict.fromkeys(snapshot.conflicts, _CONFLICT))
    if not choice.sees_project:
        if choice.profile.looks_up_modules:
            spots.update(await _misplaced(imports, snapshot, choice))
        return spots
    causes = dict(spots)
    for path in sorted(unlike):
        why = _invisible(snapshot, path, choice)
        if why is not None:
            causes[path] = _reason(choice, path, why)
            if not snapshot.exists(path):
                spots[path] = causes[path]
    for path, reason in causes.items():
        for dependent in await imports.dependents_of([snapshot], [path]):
            spots.setdefault(dependent, reason)
    return spots


async def _misplaced(
    imports: ImportIndex, snapshot: Snapshot, choice: ServerChoice
) -> Mapping[str, Reason]:
    """Files whose imports this server takes for another project's, or the other way round.

    It looks on disk for modules that a file names: for one that is new or gone, and is not inside
    a package that stays, the importers cannot be judged; for an `__init__`, its whole folder.
    """
    found: dict[str, Reason] = {}
    for path in sorted(snapshot.unlike_disk):
        why = _invisible(snapshot, path, choice)
        if why is None or not choice.judges(path):
            continue
        folder, _, name = path.rpartition("/")
        package = name.startswith("__init__.")
        if not package and f"{folder}/__init__.py" in snapshot.base.folder.files:
            continue
        reason = _reason(choice, path, why)
        beside = {p for p in snapshot.paths() if package and p.rpartition("/")[0] == folder}
        for other in await imports.importers_of(snapshot, path) | beside - {path}:
            found[other] = reason
    return found


def unseen(snapshot: Snapshot, choice: ServerChoice) -> tuple[str, ...]:
    """The paths of the snapshot that this server sees otherwise than they are."""
    return tuple(
        path for path in sorted(snapshot.unlike_disk) if _invisible(snapshot, path, choice)
    )


def _invisible(snapshot: Snapshot, path: str, choice: ServerChoice) -> str | None:
    on_disk = snapshot.base.folder.reader.fingerprint(path) is not None
    if not on_disk:
        return "is new and not on disk"
    if not snapshot.exists(path):
        return "is deleted or renamed, but still on disk"
    if not choice.judges(path):
        return "is edited, and this server reads it from disk"
    return None


def _reason(choice: ServerChoice, path: str, why: str) -> Reason:
    return Reason("unsupported", f"{choice.name} cannot be shown it all: {path} {why}")
