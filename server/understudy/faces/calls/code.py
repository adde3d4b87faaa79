"""What agents ask of code by its structure: outlines, symbols, maps, and what a change reaches."""

from __future__ import annotations

from understudy.app.check.asked import CheckQuestion
from understudy.app.outlines import map_folder, outline
from understudy.faces.answers.agent_text import capped
from understudy.faces.calls.check import of_branch
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import Json
from understudy.faces.params import calls as takes
from understudy.values.errors import BadInput
from understudy.values.paths import refuse_long
from understudy.workspace.outlines.conclude import MapWish
from understudy.workspace.outlines.work import OutlineWish
from understudy.workspace.progress import Audience

MAX_BUDGET = 1900
"""Tokens of 4 bytes that fit into one answer."""


async def read(conversation: Conversation, params: takes.Code, audience: Audience) -> Json:
    """An outline, a symbol's text, a map of a folder, or the files that a change can reach."""
    if params.action == "affected":
        return {"text": await _affected(conversation, params, audience)}
    session, base = conversation.host.session, conversation.live_base
    budget = MAX_BUDGET if params.budget is None else min(params.budget, MAX_BUDGET)
    if params.action == "map":
        prefix = "" if params.path is None else session.root.relative(params.path) + "/"
        found = await map_folder(session, base, params.branch, MapWish(budget, prefix=prefix))
        return {"text": capped(found.text.splitlines())}
    form = "outline" if params.action == "outline" else "full"
    wish = OutlineWish(form, budget, params.symbol, range_of(params.lines))
    shown = await outline(session, base, params.branch, path_of(params), wish)
    return {"text": capped(shown.delivery.text.splitlines())}


async def _affected(conversation: Conversation, params: takes.Code, audience: Audience) -> str:
    """The files that a patch, a branch, or what changed since the agent came can reach."""
    from understudy.app.check.affected import affected  # noqa: PLC0415 - few ask for it
    from understudy.faces.answers.affected import affected_json, affected_text  # noqa: PLC0415

    if params.diff is not None:
        question = CheckQuestion(conversation.bound, [{"kind": "diff", "text": params.diff}])
        compared = of_branch(conversation, question) or "the user's text"
    elif params.branch is not None:
        question = CheckQuestion(params.branch)
        without = f"the user's text without {params.branch}"
        compared = of_branch(conversation, question) or without
    else:
        since = await conversation.began()
        compared, question = conversation.beginning, CheckQuestion(since=since)
    found = await affected(
        conversation.host.session, question, conversation.live_base,
        tests=params.tests, progress=audience.progress,
    )  # fmt: skip
    *files, counts = affected_text(affected_json(found)).splitlines()
    return capped([counts, f"compared with {compared}", *files])


def path_of(params: takes.Code | takes.Context) -> str:
    """The path that the action needs; raises BadInput `bad-params`."""
    if params.path is None:
        raise BadInput("bad-params", f"`{params.action}` needs a path", "path")
    refuse_long(params.path)
    return params.path


def range_of(lines: tuple[int, ...]) -> tuple[int, int] | None:
    """First and last line; None for all of them. Raises BadInput `bad-params`."""
    if not lines:
        return None
    if len(lines) != 2 or not 1 <= lines[0] <= lines[1]:
        raise BadInput("bad-params", "expected the first and the last line, from 1", "lines")
    return lines[0], lines[1]
