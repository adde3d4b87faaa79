"""Several places of a name that are one symbol: a prototype and its definition, types and code."""

from __future__ import annotations

from dataclasses import replace

from understudy.app.code.answer import CodePlace, CodeWish
from understudy.app.code.asking import asking_of, params_at
from understudy.app.code.hits import HitReader
from understudy.app.code.place import Placed
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.workspace.session import Session

_MOST = 6
"""Places of which it is found out whether they are one symbol."""


async def as_one(session: Session, snapshot: Snapshot, wish: CodeWish, found: Placed) -> Placed:
    """One place in place of several where a server leads from each to all the others.

    The one that is no prototype then; nothing changes where a server cannot say.
    """
    places = found.places
    if len(places) > _MOST:
        return found
    at = {(hit.path, hit.range.start.line): number for number, hit in enumerate(places)}
    group = list(range(len(places)))
    try:
        for number, place in enumerate(places):
            for there in await _definitions(session, snapshot, wish, place):
                other = at.get(there)
                if other is not None:
                    joined, into = group[other], group[number]
                    group = [into if one == joined else one for one in group]
    except (OutsideFailure, BadInput):
        return found
    if len(set(group)) > 1:
        return found
    return replace(found, places=(min(places, key=lambda hit: hit.kind == "prototype"),))


async def _definitions(
    session: Session, snapshot: Snapshot, wish: CodeWish, place: CodePlace
) -> list[tuple[str, int]]:
    asking = asking_of(session, snapshot, wish, place.path)
    found = await asking.ask(
        "textDocument/definition", params_at(asking.session, place), place.path
    )
    hits = HitReader(session, snapshot).locations(found.result)
    return [(hit.path, hit.range.start.line) for hit in hits]
