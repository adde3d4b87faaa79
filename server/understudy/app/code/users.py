"""Uses of a name that no server may leave out: which files can have one, and whether it looked.

Servers read a folder as they please: some look only at what is open, some are still reading. So an
answer is held against the index of imports and the words of the texts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from understudy.app.code.answer import Hit
from understudy.app.code.asking import Asking, params_at
from understudy.app.code.hits import HitReader, name_at
from understudy.dependents.families import family_of
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.session import Session
from understudy.workspace.sight.questions import server_for

_DEFINITION = "textDocument/definition"
MOST_OPENED = 200
"""Files that are opened in a server for one question."""


MOST_LOOKS = 4
"""How often a server that only knows what was open is asked, while its answers lead elsewhere."""


@dataclass(frozen=True)
class Users:
    """The files to be open while a server is asked about all uses of a name.

    `can` are those that can see it and have its word; `only_open`: the server knows no file that
    was never open, and remembers others as they were then.
    """

    can: frozenset[str]
    opened: tuple[str, ...]
    only_open: bool


async def users_at(asking: Asking, place: Hit, reader: HitReader) -> Users:
    """Who may use what stands at a place; raises OutsideFailure where no server can say what."""
    params = params_at(asking, place)
    at = reader.locations((await asking.ask(_DEFINITION, params, place.path)).result)
    declared = {hit.path for hit in at if hit.inside} or (set() if at else {place.path})
    # A keyword may stand at the place, or another name that an import gives it.
    names = {name_at(hit) for hit in at} - {""} or {place.name} - {""}
    session, snapshot = asking.session, asking.snapshot
    can = await may_use(session, snapshot, names, declared, place.path)
    others = {place.name} - names - {""}
    may = can | await may_use(session, snapshot, others, declared, place.path)
    opened = sorted(may, key=lambda path: (path not in can, path))[:MOST_OPENED]
    profile = server_for(session, place.path, asking.servers[0]).profile
    return Users(can, tuple(opened), profile.finds_uses_in == "open")


async def may_use(
    session: Session,
    snapshot: Snapshot,
    words: Collection[str],
    declared: Collection[str],
    asked: str,
) -> frozenset[str]:
    """The files that can see a name and have one of the words for it in them.

    `declared` are the files that declare it, as the server says; where none of them is in the
    folder, any file of the family counts, and for C and C++ always: a prototype can be written
    anywhere.
    """
    if not words:
        return frozenset()
    family = family_of(asked)
    related = [path for path in snapshot.paths() if family_of(path) == family]
    if family not in (None, "native") and declared:
        seen = await session.bindings.dependents_of([snapshot], declared)
        related = [path for path in related if path in seen or path in declared]
    found = [await session.names.mentioning(snapshot, word, related) for word in sorted(words)]
    return frozenset(path for paths in found for path in paths)
