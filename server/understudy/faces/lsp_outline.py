"""The requests `understudy/outline` and `understudy/map`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

# Loaded with the server: loading them at the first request would make the user's typing wait.
from understudy.app.map import DEFAULT_BUDGET as MAP_BUDGET
from understudy.app.map import map_snapshot
from understudy.app.map_conclude import MapWish
from understudy.app.outline_work import Wish
from understudy.faces import params as wire
from understudy.faces.lsp_progress import client_progress
from understudy.faces.outline_json import map_json, outline_json
from understudy.outline.render import DEFAULT_BUDGET as OUTLINE_BUDGET
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput

if TYPE_CHECKING:
    from understudy.faces.lsp_server import UnderstudyServer


async def outline_file(server: UnderstudyServer, params: wire.OutlineFile) -> dict[str, Any]:
    """The outline or the text of a file, as the user or a branch has it."""
    session = server.host.session
    budget = OUTLINE_BUDGET if params.budget is None else params.budget
    wish = Wish(params.form, budget, params.symbol, _lines(params.range), params.docs)
    path = session.root.relative(params.path)
    snapshot = await _snapshot(server, params.branch)
    return outline_json(await session.outliner.outline(snapshot, path, wish, params.ifSha))


async def map_files(server: UnderstudyServer, params: wire.MapFolder) -> dict[str, Any]:
    """The map of a folder, unsaved buffers and the branch's edits included."""
    session = server.host.session
    prefix = "" if params.folder is None else session.root.relative(params.folder) + "/"
    budget = MAP_BUDGET if params.budget is None else params.budget
    wish = MapWish(budget, params.task, prefix=prefix)
    snapshot = await _snapshot(server, params.branch)
    async with client_progress(server, params.workDoneToken, "map") as progress:
        found = await map_snapshot(session.mapper, session.root, snapshot, wish, progress)
    return map_json(found)


async def _snapshot(server: UnderstudyServer, branch: str | None) -> Snapshot:
    base, book = await server.live_base.fresh(), server.host.session.branches
    return Snapshot(base) if branch is None else await book.snapshot(branch, base)


def _lines(given: tuple[int, ...] | None) -> tuple[int, int] | None:
    if given is None:
        return None
    if len(given) != 2:
        raise BadInput("bad-params", "expected the first and the last line, from 1", "range")
    return given[0], given[1]
