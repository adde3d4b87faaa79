"""The call of agents' hooks: a turn begins, a file was edited, the turn is at its end."""

from __future__ import annotations

from dataclasses import replace

from understudy.app.check.asked import CheckAnswer, CheckQuestion, answer
from understudy.faces.answers.report_hook import LABEL, EndText, edit_text, end_text
from understudy.faces.calls.conversation import Conversation
from understudy.faces.calls.entry import Json, refuse_switched_off
from understudy.faces.inside.bound import BRANCH_BASE
from understudy.faces.params import calls as takes
from understudy.values.errors import UnderstudyError
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import Audience
from understudy.workspace.turns import ToldTurn, Turn

_NO_HEAD = frozenset(("no-git", "no-repository", "unknown-revision"))
THIS_TURN = "the start of this turn"
NO_START = (
    f"{LABEL}UNKNOWN - NOT VERIFIED: nobody has seen this turn begin, and the folder has no "
    "git HEAD"
)


async def turn(conversation: Conversation, params: takes.TellTurn, audience: Audience) -> Json:
    """What the agent is told; nothing where there is nothing to say, or as before."""
    host, live_base, session = conversation.host, conversation.live_base, params.session
    host.refresh()
    if conversation.bound is not None:
        return await _of_branch(conversation, conversation.bound, params, audience)
    if params.moment == "prompt":
        if not host.turns.goes_on(session, params.prompt):
            await host.turns.begin(session, await live_base.fresh())
        return {"text": ""}
    known = await host.turns.get(session, live_base)
    told = ToldTurn() if known is None else host.turns.told(session, params.memory)
    try:
        found = await _judged(conversation, known, params.moment == "edit", audience)
    except UnderstudyError as error:
        if known is not None or error.code not in _NO_HEAD:
            raise
        if params.moment == "edit":
            return {"text": ""}
        end = EndText(NO_START, NO_START)
    else:
        if params.moment == "edit":
            return {"text": edit_text(found.checked, params.path or "")}
        end = end_text(found.checked, found.revision or THIS_TURN, told.marks)
    if known is None:  # from here on there is something to compare with
        await host.turns.begin(session, await live_base.fresh())
    if end.text and end.whole == told.whole:
        return {"text": ""}
    host.turns.say(session, end.text, ToldTurn(end.whole, end.told), params.memory)
    return {"text": end.text}


async def _of_branch(
    conversation: Conversation, branch: str, params: takes.TellTurn, audience: Audience
) -> Json:
    """What an agent is told of the branch that it lives in: whoever keeps its turns counts them."""
    if params.moment == "prompt":
        return {"text": ""}
    refuse_switched_off(conversation, "lint")
    is_edit = params.moment == "edit"
    question = CheckQuestion(branch, options=CheckOptions(scope="edited" if is_edit else None))
    session, base = conversation.host.session, conversation.live_base
    found = await answer(session, question, base, owner="hook", audience=audience)
    if is_edit:
        return {"text": edit_text(found.checked, params.path or "")}
    return {"text": end_text(found.checked, BRANCH_BASE).text}


async def _judged(
    conversation: Conversation, known: Turn | None, is_edit: bool, audience: Audience
) -> CheckAnswer:
    question = CheckQuestion(
        since=known and known.checkpoint,
        revision="HEAD" if known is None else None,
        options=CheckOptions(),
    )
    if is_edit:
        question = replace(question, options=CheckOptions(scope="edited"))
    session, base = conversation.host.session, conversation.live_base
    return await answer(session, question, base, owner="hook", audience=audience)
