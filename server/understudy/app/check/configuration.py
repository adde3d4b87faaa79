"""Which servers an edit of their configuration reaches: those may judge any file otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from understudy.app.check.blast_radius import Radius
from understudy.dependents.families import family_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.verdicts import Reason
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.sight.config_keys import differ_for
from understudy.workspace.sight.config_programs import leading, unnamed_reads

if TYPE_CHECKING:
    from understudy.workspace.session import Session

_Choices = dict[str, tuple[ServerChoice, ...]]


async def configured(
    session: Session, before: Snapshot, after: Snapshot, radius: Radius, only: tuple[str, ...]
) -> Mapping[str, tuple[ServerChoice, ...]]:
    """Each file that edited configuration may let a server judge otherwise -> those servers.

    The nearest to the configuration come first. Where there are no stages, such a server is asked
    about the configuration file alone: that it cannot be shown it, and so says nothing about all
    others, is its answer.
    """
    readers: _Choices = {}
    # What a configuration extends, imports or takes its schema from leads to it like any import;
    # what it runs leads to it whatever can be seen of it from outside.
    files = session.configuration_files.of(after)
    led = await leading(session.bindings, [before, after], files, radius.changed)
    also = {path for paths in led.values() for path in paths}
    for path in sorted({*radius.changed, *radius.distance, *also}):
        choices = {
            choice.name: choice
            for choice in _readers(session, after, path, only)
            if path not in radius.changed or _differ(choice, path, before, after)
        }
        if choices:
            readers[path] = tuple(choices.values())
    for path, taking in (await _taking(session, before, after, radius.changed, only)).items():
        readers[path] = tuple(dict.fromkeys((*readers.get(path, ()), *taking)))
    if not readers or await session.server_stages.refusal() is not None:
        return readers
    return _governed(session, after, readers, only)


async def unproven_reads(
    session: Session, before: Snapshot, after: Snapshot, radius: Radius, only: tuple[str, ...]
) -> Mapping[str, Reason]:
    """The edited files that a server's configuration, a program, may read by a computed name."""
    files = (p for p in session.configuration_files.of(after) if family_of(p) == "script")
    programs = {
        path: choice.name
        for path in files
        for choice in _readers(session, after, path, only)
        if choice.is_installed
    }
    return await unnamed_reads(session.bindings, [before, after], programs, radius.changed)


async def _taking(
    session: Session, before: Snapshot, after: Snapshot, paths: Iterable[str], only: tuple[str, ...]
) -> _Choices:
    """Those of `paths` that the configuration of servers takes, with these servers."""
    able = {path: family_of(path) for path in sorted(paths)}
    able = {path: family for path, family in able.items() if family in (None, "json", "script")}
    found: _Choices = {}
    for profile in session.catalogue.profiles if able else ():
        if not profile.config_files or (only and profile.name not in only):
            continue
        if set(able.values()) == {"script"} and not any(map(_may_be_program, profile.config_files)):
            continue
        taken = [await session.taken_files.of(profile, side) for side in (before, after)]
        led = [path for path in able if any(path in one for one in taken)]
        judged = next((p for p in sorted(after.paths()) if profile.language_of(p)), None)
        if led and judged is not None:
            chosen = session.servers.choose(judged, only)
            for choice in (one for one in chosen if one.name == profile.name):
                found.update({path: (*found.get(path, ()), choice) for path in led})
    return found


def _may_be_program(glob: str) -> bool:
    return glob.endswith(".*") or family_of(glob) == "script"


def _governed(
    session: Session, after: Snapshot, readers: _Choices, only: tuple[str, ...]
) -> Mapping[str, tuple[ServerChoice, ...]]:
    names = {choice.name for choices in readers.values() for choice in choices}
    folders = {path.rpartition("/")[0] for path in readers}
    found: _Choices = {}
    for path in sorted(after.paths()):
        if any(choice.judges(path) for choices in readers.values() for choice in choices):
            chosen = session.servers.choose(path, only)
            if asked := tuple(choice for choice in chosen if choice.name in names):
                found[path] = asked

    def far(path: str) -> int:
        inside = [len(folder) for folder in folders if f"/{path}".startswith(f"/{folder}/")]
        return -max(inside, default=-1) if any(folders) else 0

    return {path: found[path] for path in sorted(found, key=lambda path: (far(path), path))}


def _differ(choice: ServerChoice, path: str, before: Snapshot, after: Snapshot) -> bool:
    try:
        return differ_for(choice.profile, path, before.read(path), after.read(path))
    except BadInput:  # no text on one side
        return True


def _readers(
    session: Session, after: Snapshot, path: str, only: tuple[str, ...]
) -> Iterable[ServerChoice]:
    for profile in session.catalogue.profiles:
        if not profile.is_config(path):
            continue
        judged = next((p for p in sorted(after.paths()) if profile.language_of(p)), None)
        if judged is not None:
            for choice in session.servers.choose(judged, only):
                if choice.reads_as_configuration(path):
                    yield choice
