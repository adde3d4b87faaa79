"""The verb `rank` for requests: the question that their params are, and the order as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from understudy.app.rank.candidate import GivenCandidate
from understudy.app.rank.rank import RankQuestion, rank
from understudy.faces.answers.agent_text import capped
from understudy.faces.answers.rank import ranking_json, ranking_text
from understudy.faces.calls.check import options_of
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params.calls import Lint, Rank
from understudy.values.errors import BadInput
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import Audience


async def rank_candidates(side: Side, params: Rank, audience: Audience) -> Json:
    """The candidates, best first."""
    question = rank_question(params)
    session, base = side.host.session, side.live_base
    return ranking_json(await rank(session, question, base, audience.progress))


async def ranked_for_agent(side: Side, params: Lint, audience: Audience) -> Json:
    """The candidates of an agent as a table; a diff is called by its number, from 1.

    Raises BadInput `bad-params` beside edits, a branch or a revision.
    """
    if params.edits or params.diff or params.branch or params.revision:
        text = "candidates are compared with the user's text as it is, and with nothing else"
        raise BadInput("bad-params", text, "candidates")
    known = {summary.id for summary in side.host.session.branches.summaries()}
    given = [
        GivenCandidate(one, branch=one)
        if one in known
        else GivenCandidate(f"candidate {number}", [{"kind": "diff", "text": one}])
        for number, one in enumerate(params.candidates, 1)
    ]
    question = RankQuestion(given, options_of(params))
    session, base = side.host.session, side.live_base
    found = ranking_json(await rank(session, question, base, audience.progress))
    best = found["candidates"][0]
    lines = [f"best: {best['id']} ({best['verdict']})", *ranking_text(found).splitlines()]
    return {"branch": None, "verdict": best["verdict"], "text": capped(lines)}


def rank_question(params: Rank) -> RankQuestion:
    """What is asked; raises BadInput `bad-params`, and as `RankQuestion` does."""
    return RankQuestion(
        [_given(raw, number) for number, raw in enumerate(params.candidates)],
        CheckOptions(params.scope, params.severity, params.servers, params.timeout),
        params.command,
        params.test_timeout,
        by_user=params.by_user,
        environ=params.environ or None,
    )


def _given(raw: object, number: int) -> GivenCandidate:
    """One candidate of a request: `{"id", "edits"}`, `{"branch"}` or `{"id", "refused"}`."""
    where = f"candidates[{number}]"
    if not isinstance(raw, Mapping):
        raise BadInput("bad-params", "expected an object", where)
    one = cast("Mapping[str, Any]", raw)
    branch, edits, refused = (one.get(name) for name in ("branch", "edits", "refused"))
    name = one.get("id", branch)
    if not isinstance(name, str) or not name:
        raise BadInput("bad-params", "name it, by `id` or `branch`", where)
    if isinstance(branch, str):
        return GivenCandidate(name, branch=branch)
    if isinstance(refused, Mapping):
        told = cast("Mapping[str, str]", refused)
        return GivenCandidate(
            name, unreadable=BadInput(told["code"], told["text"], told.get("where"))
        )
    if not isinstance(edits, Sequence) or isinstance(edits, str):
        raise BadInput("bad-params", "expected a list of edits, or a branch", where)
    return GivenCandidate(name, cast("Sequence[object]", edits))
