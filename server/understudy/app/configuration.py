"""Which servers an edit of their configuration reaches: those may judge any file otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from understudy.app.blast_radius import Radius
from understudy.app.server_choice import ServerChoice
from understudy.app.session import Session
from understudy.dependents.imports import family_of
from understudy.shadow.snapshot import Snapshot


def configured(
    session: Session, after: Snapshot, radius: Radius, only: tuple[str, ...]
) -> Mapping[str, tuple[ServerChoice, ...]]:
    """Each configuration file in the radius -> the servers of this project that read it.

    Such a server is asked about the file itself: that it cannot be shown it, and so says nothing
    about all others, is its answer.
    """
    found: dict[str, tuple[ServerChoice, ...]] = {}
    # What a configuration extends is JSON too; nothing else leads to one.
    extending = (path for path in radius.distance if family_of(path) == "json")
    for path in sorted({*radius.changed, *extending}):
        choices = {choice.name: choice for choice in _readers(session, after, path, only)}
        if choices:
            found[path] = tuple(choices.values())
    return found


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
