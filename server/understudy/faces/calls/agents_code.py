"""What agents ask of language servers about code, and the refactorings that they have made."""

from __future__ import annotations

from understudy.app.code.answer import CodeWish
from understudy.app.code.ask import ask
from understudy.app.code.refactor import RefactorWish
from understudy.faces.answers.agent_text import capped, lint_text
from understudy.faces.answers.code import code_json, code_text
from understudy.faces.answers.refactored import refactored_json, refactored_lines
from understudy.faces.calls.code import MAX_BUDGET, read
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import Json, refuse_switched_off
from understudy.faces.calls.refactorings import VERBS, refactored
from understudy.faces.params import calls as takes
from understudy.values.errors import BadInput
from understudy.workspace.progress import Audience

_OF_FILES = ("format", "imports")


async def answer(conversation: Conversation, params: takes.Code, audience: Audience) -> Json:
    """What a file declares, what servers know of a name, or what a refactoring came to."""
    if params.action in ("outline", "source", "map", "affected"):
        return await read(conversation, params, audience)
    refuse_switched_off(conversation, "navigation")
    if params.action in VERBS:
        return await _refactored(conversation, params, audience)
    budget = MAX_BUDGET if params.budget is None else min(params.budget, MAX_BUDGET)
    # Where a revision is asked about, the session's own branch is not meant.
    branch = None if params.revision is not None else params.branch
    wish = CodeWish(
        params.action, target_of(params), branch, params.revision, budget=max(budget, 1)
    )
    session = conversation.host.session
    with session.watching_servers(audience.progress):
        found = await ask(session, conversation.live_base, wish)
    return {"text": capped(code_text(code_json(found), budget).splitlines())}


async def _refactored(conversation: Conversation, params: takes.Code, audience: Audience) -> Json:
    if params.to is None and params.action not in _OF_FILES:
        raise BadInput("bad-params", f"`{params.action}` needs `to`", "to")
    wish = RefactorWish(target_of(params), params.to, params.branch)
    judged = await refactored(conversation, VERBS[params.action], wish, audience)
    lines = list(refactored_lines(refactored_json(judged.refactored, params.action)))
    branch = judged.refactored.branch
    if judged.check is not None:
        compared = judged.check.revision or "the user's text"
        lines += lint_text(judged.check.checked, branch, compared).splitlines()
    return {"branch": branch or params.branch, "text": capped(lines)}


def target_of(params: takes.Code) -> str:
    """What is asked about: a symbol, in a file or on a line of it where these are given."""
    path, symbol = params.path, params.symbol
    if params.action in ("symbols", "move", *_OF_FILES):
        named = path or symbol
    elif path is None or symbol is None:
        named = symbol if path is None else f"{path}:{params.lines[0]}" if params.lines else None
    elif params.lines:
        named = f"{path}:{params.lines[0]}:{symbol}"
    else:
        named = f"{path}::{symbol}"
    if named is None:
        needed = "path" if params.action in ("symbols", "move", *_OF_FILES) else "symbol"
        raise BadInput("bad-params", f"`{params.action}` needs a {needed}", needed)
    return named
