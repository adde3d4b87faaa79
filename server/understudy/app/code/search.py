"""The question `search`: declarations of the folder by letters of their names.

Our own outlines answer, for every language that has them, with nothing left unread; a server is
asked where one is named.
"""

from __future__ import annotations

import time
from dataclasses import replace

from understudy.app.code.answer import CodeAnswer, CodeWish, Why
from understudy.app.code.hits import HitReader
from understudy.app.code.place import hit_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.workspace.options import time_limit
from understudy.workspace.session import Session
from understudy.workspace.sight.questions import ask_server


async def search(session: Session, snapshot: Snapshot, wish: CodeWish) -> CodeAnswer:
    """The declarations whose names have the letters in them, exact names first."""
    answer = CodeAnswer(wish.question, wish.target, "answered")
    if wish.server is not None:
        return await _by_server(session, snapshot, wish, answer, wish.server)
    found = await session.names.containing(snapshot, wish.target.strip())
    hits = tuple(hit_of(snapshot, one) for one in found.found)
    notes = (f"{found.n_unread} more files have them, and were not read",) if found.n_unread else ()
    return replace(answer, status="answered" if hits else "nothing", hits=hits, notes=notes)


async def _by_server(
    session: Session, snapshot: Snapshot, wish: CodeWish, answer: CodeAnswer, server: str
) -> CodeAnswer:
    paths = sorted(snapshot.paths())
    path = next((one for one in paths if session.servers.choose(one, (server,))), None)
    if path is None:
        if server not in session.servers.names():
            known = ", ".join(session.servers.names())
            raise BadInput("unknown-server", f"there are: {known}", server)
        return replace(answer, status="unknown", why=Why("no-server", f"{server}: no file for it"))
    deadline = time.monotonic() + time_limit(wish.timeout_s, session.settings.timeout_s)
    try:
        found = await ask_server(
            session, snapshot, "workspace/symbol", {"query": wish.target.strip()},
            owner=wish.branch or "code", deadline=deadline, path=path, server=server,
            beside=[path],
        )  # fmt: skip
    except Refused:
        raise
    except OutsideFailure as failure:
        why = Why(failure.code, f"{server}: {failure.text}")
        return replace(answer, status="unknown", why=why)
    hits = HitReader(session, snapshot).named(found.result)
    status = "answered" if hits else "nothing"
    return replace(answer, status=status, hits=hits, server=server, unseen=found.unseen)
