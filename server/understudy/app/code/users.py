"""Uses of a name that no server may leave out: which files can have one, and whether it looked.

Servers read a folder as they please: some look only at what is open, some are still reading. So an
answer is held against the index of imports and the words of the texts.
"""

from __future__ import annotations

from collections.abc import Collection

from understudy.app.code.answer import CodePlace
from understudy.app.code.asking import CodeAsking, params_at
from understudy.app.code.hits import HitReader, name_at
from understudy.dependents.families import family_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.frozen import frozen
from understudy.workspace.session import Session
from understudy.workspace.sight.questions import server_for

_DEFINITION = "textDocument/definition"
MOST_OPENED = 200
"""Files that are opened in a server for one question."""


_FEW, _QUICKLY_READ = 20, 2000
"""Files with a name's word that are opened without knowing more; files of a folder in all."""

MOST_LOOKS = 4
"""How often a server that only knows what was open is asked, while its answers lead elsewhere."""


@frozen
class Users:
    """The files to be open while a server is asked about all uses of a name.

    `can` are those that can see it and have its word; `only_open`: the server knows no file that
    was never open, and remembers others as they were then.
    """

    can: frozenset[str]
    opened: tuple[str, ...]
    only_open: bool


async def likely_users(asking: CodeAsking, place: CodePlace) -> Users | None:
    """All files that have the name's word, where those are so few that all can be open.

    So no server need be asked first what stands at the place. None: they are many, or the folder
    is so big that looking for the word takes longer than asking.
    """
    session, snapshot = asking.session, asking.snapshot
    if not place.name or len(snapshot.base.folder.files) > _QUICKLY_READ:
        return None
    family = family_of(place.path)
    found = await session.names.mentioning(snapshot, place.name)
    can = [path for path in found if family_of(path) == family]
    profile = server_for(session, place.path, asking.servers[0]).profile
    if len(can) > _FEW:
        return None
    return Users(frozenset(can), tuple(can), profile.finds_uses_in == "open")


async def users_at(asking: CodeAsking, place: CodePlace, reader: HitReader) -> Users:
    """Who may use what stands at a place; raises OutsideFailure where no server can say what."""
    params = params_at(asking.session, place)
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
