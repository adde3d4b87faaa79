"""What every face may ask about outlines and maps."""

from __future__ import annotations

from understudy.app.outlines import map_folder, outline
from understudy.faces.answers.outline import map_json, outline_json
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import requests
from understudy.outline.show.render import DEFAULT_BUDGET as OUTLINE_BUDGET
from understudy.values.errors import BadInput
from understudy.workspace.outlines.conclude import MapWish
from understudy.workspace.outlines.mapper import DEFAULT_BUDGET as MAP_BUDGET
from understudy.workspace.outlines.work import OutlineWish
from understudy.workspace.progress import Audience


async def outline_file(side: Side, params: requests.OutlineFile, _: Audience) -> Json:
    """The outline or the text of a file, as the user or a branch has it."""
    budget = OUTLINE_BUDGET if params.budget is None else params.budget
    wish = OutlineWish(params.form, budget, params.symbol, _lines(params.range), params.docs)
    session, base = side.host.session, side.live_base
    return outline_json(
        await outline(session, base, params.branch, params.path, wish, params.ifSha)
    )


async def map_files(side: Side, params: requests.MapFolder, audience: Audience) -> Json:
    """The map of a folder, unsaved buffers and the branch's edits included."""
    session, base = side.host.session, side.live_base
    prefix = "" if params.folder is None else session.root.relative(params.folder) + "/"
    budget = MAP_BUDGET if params.budget is None else params.budget
    wish = MapWish(budget, params.task, prefix=prefix)
    return map_json(await map_folder(session, base, params.branch, wish, audience.progress))


def _lines(given: tuple[int, ...] | None) -> tuple[int, int] | None:
    if given is None:
        return None
    if len(given) != 2:
        raise BadInput("bad-params", "expected the first and the last line, from 1", "range")
    return given[0], given[1]
