"""The question `search`: declarations of the folder by letters of their names.

Our own outlines answer, for every language that has them, with nothing left unread; a server is
asked where one is named.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from understudy.app.code.answer import CodeAnswer, CodeWish, Why
from understudy.app.code.asking import asking_of, why_of
from understudy.app.code.hits import HitReader
from understudy.app.code.place import hit_of
from understudy.app.code.users import MOST_OPENED
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.workspace.session import Session

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 2.0


async def search(session: Session, snapshot: Snapshot, wish: CodeWish) -> CodeAnswer:
    """The declarations whose names have the letters in them, exact names first."""
    answer = CodeAnswer(wish.question, wish.target, "answered")
    if wish.server is not None:
        return await _by_server(session, snapshot, wish, answer, wish.server)
    found = await session.names.containing(snapshot, wish.target.strip())
    hits = tuple(hit_of(snapshot, one) for one in found.found)
    notes = (f"{found.n_unread} more files have them, and were not read",) if found.n_unread else ()
    if hits:
        return replace(answer, hits=hits, notes=notes)
    nearest = tuple(await session.names.alike(snapshot, wish.target))
    return replace(answer, status="nothing", nearest=nearest, notes=notes)


async def _by_server(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer, server: str
) -> CodeAnswer:
    """What a server finds; its silence where we have declarations of the name is no answer."""
    if server not in session.servers.names():
        known = ", ".join(session.servers.names())
        raise BadInput("unknown-server", f"there are: {known}", server)
    # What it has not read yet it does not find, so what may declare the name is opened.
    letters = wish.target.strip()
    may = await session.names.with_letters(snapshot, letters)
    judged = [path for path in may if session.servers.choose(path, (server,))]
    if not judged:
        return replace(answer, status="nothing", server=server)
    ours = await session.names.containing(snapshot, letters)
    expects = any(hit.path in judged for hit in ours.found)
    asking = asking_of(session, snapshot, wish, judged[0])
    answer = replace(answer, server=server, unopened=len(judged[MOST_OPENED:]))
    reader, pause = HitReader(session, snapshot), _FIRST_PAUSE_S
    try:
        while True:
            params = {"query": letters}
            found = await asking.ask("workspace/symbol", params, judged[0], judged[:MOST_OPENED])
            hits = reader.named(found.result)
            if hits or not expects:
                status = "answered" if hits else "nothing"
                return replace(answer, status=status, hits=hits, unseen=found.unseen)
            if pause > _LONGEST_PAUSE_S:
                text = f"{server} found none, and the folder declares some: it may still read it"
                return replace(answer, status="unknown", why=Why("unproven", text))
            await asyncio.sleep(pause)  # it reads the folder meanwhile, and tells nobody when
            pause *= 2
    except Refused:
        raise
    except OutsideFailure as failure:
        return replace(answer, status="unknown", why=why_of(failure))
