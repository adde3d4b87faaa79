"""Outlines and maps of a session's snapshots: the user's text, or a branch's."""

from __future__ import annotations

from typing import Any

from understudy.app.live_base import LiveBase

# Loaded with the server: loading them at the first request would make the user's typing wait.
from understudy.app.map import DEFAULT_BUDGET as MAP_BUDGET
from understudy.app.map import map_snapshot
from understudy.app.map_conclude import MapWish
from understudy.app.outline_work import Wish
from understudy.app.progress import Audience, Progress
from understudy.app.session import Session
from understudy.faces import params as wire
from understudy.faces.calls import Conversation, Json
from understudy.faces.outline_json import map_json, outline_json
from understudy.outline.render import DEFAULT_BUDGET as OUTLINE_BUDGET
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput


async def outline(conversation: Conversation, params: wire.OutlineFile, _: Audience) -> Json:
    """The command line's question for the outline of a file."""
    return await outline_of(conversation.host.session, conversation.live_base, params)


async def map_call(conversation: Conversation, params: wire.MapFolder, audience: Audience) -> Json:
    """The command line's question for the map of a folder."""
    session = conversation.host.session
    return await map_of(session, conversation.live_base, params, audience.progress)


async def outline_of(
    session: Session, live_base: LiveBase, params: wire.OutlineFile
) -> dict[str, Any]:
    """The outline or the text of a file, as the user or a branch has it."""
    budget = OUTLINE_BUDGET if params.budget is None else params.budget
    wish = Wish(params.form, budget, params.symbol, _lines(params.range), params.docs)
    path = session.root.relative(params.path)
    snapshot = await _snapshot(session, live_base, params.branch)
    return outline_json(await session.outliner.outline(snapshot, path, wish, params.ifSha))


async def map_of(
    session: Session, live_base: LiveBase, params: wire.MapFolder, progress: Progress
) -> dict[str, Any]:
    """The map of a folder, unsaved buffers and the branch's edits included."""
    prefix = "" if params.folder is None else session.root.relative(params.folder) + "/"
    budget = MAP_BUDGET if params.budget is None else params.budget
    wish = MapWish(budget, params.task, prefix=prefix)
    snapshot = await _snapshot(session, live_base, params.branch)
    return map_json(await map_snapshot(session.mapper, session.root, snapshot, wish, progress))


async def _snapshot(session: Session, live_base: LiveBase, branch: str | None) -> Snapshot:
    base, book = await live_base.fresh(), session.branches
    return Snapshot(base) if branch is None else await book.snapshot(branch, base)


def _lines(given: tuple[int, ...] | None) -> tuple[int, int] | None:
    if given is None:
        return None
    if len(given) != 2:
        raise BadInput("bad-params", "expected the first and the last line, from 1", "range")
    return given[0], given[1]
