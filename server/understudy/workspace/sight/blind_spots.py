"""What a server cannot be shown of a snapshot where it can only read the user's folder itself.

Files that exist only in memory, deletions, and edits of files that the server reads from disk
(configuration, other languages) are invisible to it then; answers that may depend on them are
`unknown: unsupported`.
What nobody can judge, with or without a stage, is here too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import cast

from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.verdicts import Reason
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.servers.taken_files import TakenSet
from understudy.workspace.sight.config_keys import differs_from_disk, parsed
from understudy.workspace.sight.config_programs import leading

_UNKNOWN_THEN = Reason("base-unknown", "the text it had then is not known")
_CONFLICT = Reason(
    "conflict", "the branch's edits conflict with what the user changed: rebase the branch"
)


async def unknowable(
    index: BindingIndex, snapshot: Snapshot, choice: ServerChoice
) -> Mapping[str, Reason]:
    """Path -> why no server can judge it, whatever it is shown; the key `*` means every path."""
    causes = dict.fromkeys(snapshot.forgotten, _UNKNOWN_THEN)
    causes.update(dict.fromkeys(snapshot.conflicts, _CONFLICT))
    for path in sorted(causes):
        if choice.reads_as_configuration(path):
            return {"*": causes[path]}
    for path in sorted(snapshot.unlike_disk):
        wrong = _wrong_with(snapshot, path) if choice.reads_as_configuration(path) else None
        if wrong is not None:
            text = f"{path} {wrong}, and it is configuration of {choice.name}"
            return {"*": Reason("unsupported", text)}
    if choice.sees_project:
        return {**await _dependents(index, snapshot, causes), **causes}
    return causes


async def blind_spots(
    index: BindingIndex, snapshot: Snapshot, choice: ServerChoice,
    configuration: Sequence[str], taken: TakenSet,
) -> Mapping[str, Reason]:  # fmt: skip
    """The same for a server in the user's folder; `configuration` is that of any server.

    `taken` is what its own takes from other files.
    """
    spots = await unknowable(index, snapshot, choice)
    if "*" in spots or choice.profile.client_content:
        return spots
    for path in await settling(index, snapshot, choice, configuration, taken):
        return {"*": _reason(choice, path, "is configuration that it reads from disk")}
    if choice.sees_project:
        causes: dict[str, Reason] = {}
        gone: dict[str, Reason] = {}
        for path in sorted(snapshot.unlike_disk):
            why = _invisible(snapshot, path, choice)
            if why is not None:
                causes[path] = _reason(choice, path, why)
                if not snapshot.exists(path):
                    gone[path] = causes[path]
        return {**await _dependents(index, snapshot, causes), **gone, **spots}
    if choice.profile.looks_up_modules:
        return {**await _misplaced(index, snapshot, choice), **spots}
    return spots


async def settling(
    index: BindingIndex, snapshot: Snapshot, choice: ServerChoice,
    configuration: Sequence[str], taken: TakenSet,
) -> list[str]:  # fmt: skip
    """What is not as on the disk and configures the server: itself, or as what that takes."""
    unlike = snapshot.unlike_disk
    found = {
        path
        for path in unlike
        if choice.reads_as_configuration(path) and differs_from_disk(choice.profile, snapshot, path)
    }
    found.update(path for path in unlike if path in taken)
    own = filter(choice.reads_as_configuration, configuration)
    return sorted({*found, *await leading(index, [snapshot], own, unlike)})


async def _dependents(
    index: BindingIndex, snapshot: Snapshot, causes: Mapping[str, Reason]
) -> dict[str, Reason]:
    """Each file that reaches one of these -> the first one's reason."""
    found: dict[str, Reason] = {}
    for path, reason in causes.items():
        for dependent in await index.dependents_of([snapshot], [path]):
            found.setdefault(dependent, reason)
    return found


async def _misplaced(
    index: BindingIndex, snapshot: Snapshot, choice: ServerChoice
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
        importers = (await index.importers_of(snapshot, (path,)))[path]
        for other in importers | beside - {path}:
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
    if not choice.judges(path) or choice.profile.reads_disk:
        return "is edited, and this server reads it from disk"
    return None


def _wrong_with(snapshot: Snapshot, path: str) -> str | None:
    """What keeps a configuration file from being read: servers use defaults then without a word."""
    try:
        text = snapshot.read(path)
        table = None if text is None else parsed(path, text)
    except (BadInput, ValueError):
        return "cannot be parsed"
    fields = cast("Mapping[str, object] | None", table if isinstance(table, Mapping) else None)
    extended = (fields or {}).get("extends")
    names: list[object] = [extended]
    if isinstance(extended, list):
        names = cast("list[object]", extended)
    for name in names:
        if isinstance(name, str) and name.startswith("."):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if not any(snapshot.exists(place + end) for end in ("", ".json")):
                return f"extends {name}, which is not there"
    return None


def _reason(choice: ServerChoice, path: str, why: str) -> Reason:
    return Reason("unsupported", f"{choice.name} cannot be shown it all: {path} {why}")
