"""Questions about code that language servers answer, for every face."""

from __future__ import annotations

from understudy.app.code.answer import DEFAULT_BUDGET, CodeWish
from understudy.app.code.ask import ask
from understudy.faces.answers.code import code_json
from understudy.faces.calls.entry import Json, Side, refuse_switched_off
from understudy.faces.params import code as of_code
from understudy.workspace.progress import Audience


async def ask_code(side: Side, params: of_code.AskCode, audience: Audience) -> Json:
    """The places, or the words, that answer a question."""
    refuse_switched_off(side, "navigation")
    session = side.host.session
    with session.watching_servers(audience.progress):
        return code_json(await ask(session, side.live_base, wish_of(params)))


def wish_of(params: of_code.AskCode) -> CodeWish:
    """The question that the params are; raises as `CodeWish` does."""
    budget = DEFAULT_BUDGET if params.budget is None else params.budget
    return CodeWish(
        params.question, params.target, params.branch, params.revision, params.server,
        params.timeout, budget,
    )  # fmt: skip
