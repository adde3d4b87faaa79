"""The verb `check` for requests: the question that their params are, and the answer's texts."""

from __future__ import annotations

from understudy.app.check.asked import CheckAnswer, CheckQuestion, answer
from understudy.faces.answers.check import check_json
from understudy.faces.answers.sound_json import json_line
from understudy.faces.calls.entry import Json, Side, refuse_switched_off
from understudy.faces.inside.bound import BRANCH_BASE, BRANCH_NOW
from understudy.faces.params import calls as takes
from understudy.faces.params import requests
from understudy.values.errors import BadInput
from understudy.workspace.checkpoints import Checkpoint
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions, FixWish
from understudy.workspace.progress import Audience
from understudy.workspace.session import Session


async def check(side: Side, params: requests.CheckBranch, audience: Audience) -> Json:
    """The report on a branch, or on what the user's text has become."""
    refuse_switched_off(side, "lint")
    session, base = side.host.session, side.live_base
    question, wish = _question(side, params), wish_of(params)
    found = await answered(session, question, wish, base, None, audience, explain=params.explain)
    return check_json(found.checked)


async def report(side: Side, params: takes.Report, audience: Audience) -> Json:
    """The report with columns in code points, what was compared with, and all of it as text."""
    from understudy.faces.answers.agent_text import lint_text  # noqa: PLC0415 - few ask for it

    refuse_switched_off(side, "lint")
    question, wish = _question(side, params, params.edits), wish_of(params)
    session, base = side.host.session, side.live_base
    found = await answered(session, question, wish, base, None, audience, explain=params.explain)
    branch = params.branch if params.edits is None else None
    compared = found.revision or of_branch(side, question) or "the user's text"
    return {
        **check_json(found.checked, "utf-32"),
        "compared": found.revision,
        "text": lint_text(found.checked, branch, compared),
        **_traced_json(side, params, question, found),
    }


async def check_as_text(side: Side, params: takes.Check, audience: Audience) -> Json:
    """The command line's check: the verdict, and all that it prints."""
    refuse_switched_off(side, "lint")
    session, base = side.host.session, side.live_base
    question, wish = _question(side, params, params.edits), wish_of(params)
    found = await answered(
        session, question, wish, base, "command", audience, explain=params.explain
    )
    checked, revision = found.checked, found.revision
    if params.format == "json":
        text = json_line(check_json(checked), indent=1) + "\n"
    elif params.format == "hook":  # each is loaded when the servers have answered
        from understudy.faces.answers.report_hook import check_hook  # noqa: PLC0415 - see above

        text = check_hook(checked, revision or of_branch(side, question))
    else:
        from understudy.faces.answers.report_text import check_text  # noqa: PLC0415 - see above

        text = check_text(checked)
    patch = None if checked.mended is None else checked.mended.patch
    return {
        "verdict": checked.report.verdict,
        "compared": revision,
        "text": text,
        "patch": patch,
        **_traced_json(side, params, question, found),
    }


async def traces(side: Side, params: requests.TraceChecks, _: Audience) -> Json:
    """How the last checks have judged, the latest first, each as JSON with its text."""
    from understudy.app.check.traced import last_traces  # noqa: PLC0415 - few ask for it
    from understudy.faces.answers.report_trace import trace_json, trace_text  # noqa: PLC0415 - as above

    told = [trace_json(one) for one in last_traces(side.host.session, params.branch)]
    return {"traces": [{**one, "text": trace_text(one)} for one in told]}


async def affected_files(side: Side, params: requests.ListAffected, audience: Audience) -> Json:
    """The files that a branch, edits or the user's changes can reach."""
    from understudy.app.check.affected import affected  # noqa: PLC0415 - few ask for it
    from understudy.faces.answers.affected import affected_json  # noqa: PLC0415 - as above

    question = CheckQuestion(
        params.branch, params.edits, _checkpoint(side, params), params.revision
    )
    session, base = side.host.session, side.live_base
    return affected_json(
        await affected(session, question, base, tests=params.tests, progress=audience.progress)
    )


def options_of(params: requests.CheckBranch | takes.Lint, *, strict: bool = False) -> CheckOptions:
    """What a check is asked besides its sides."""
    return CheckOptions(params.scope, params.severity, params.servers, params.timeout, strict)


def of_branch(side: Side, question: CheckQuestion) -> str | None:
    """What edits over a branch, or those of the branch that the asker lives in, are compared with,
    in words; None for all others."""
    is_inside = side.asker == "rehearsal"
    if question.edits is None:
        return BRANCH_BASE if is_inside else None
    return BRANCH_NOW if is_inside else question.branch and f"{question.branch} as it is"


def wish_of(params: requests.Mending) -> FixWish | None:
    """What is to be mended, if anything; raises BadInput `bad-params` for a part of a wish."""
    wish = FixWish(params.only, params.untilClean, params.unsafe)
    if params.fix:
        return wish
    if wish != FixWish():
        raise BadInput("bad-params", "`only`, `untilClean` and `unsafe` go with `fix`", "fix")
    return None


async def answered(
    session: Session,
    question: CheckQuestion,
    wish: FixWish | None,
    base: LiveBase,
    owner: str | None,
    audience: Audience,
    *,
    explain: bool = False,
) -> CheckAnswer:
    """What a check found, mended first and explained where that is wished."""
    if wish is None and not explain:
        return await answer(session, question, base, owner=owner, audience=audience)
    if question.branch is not None and question.edits is not None:
        text = "edits over a branch are checked as they are"
        raise BadInput("bad-params", text, "explain" if wish is None else "fix")
    from understudy.app.check.fixes.asked import mended_answer  # noqa: PLC0415 - few ask for it

    return await mended_answer(
        session, question, wish, base, explain=explain, owner=owner, audience=audience
    )


def _question(
    side: Side, params: requests.CheckBranch, edits: list[object] | None = None
) -> CheckQuestion:
    options = options_of(params, strict=params.strict)
    return CheckQuestion(params.branch, edits, _checkpoint(side, params), params.revision, options)


def _checkpoint(
    side: Side, params: requests.CheckBranch | requests.ListAffected
) -> Checkpoint | None:
    if params.before is not None and params.revision is not None:
        raise BadInput("bad-params", "name a checkpoint or a revision, not both", "revision")
    return None if params.before is None else side.host.checkpoints.get(params.before)


def _traced_json(
    side: Side, params: takes.Report, question: CheckQuestion, found: CheckAnswer
) -> Json:
    """How it was judged, where that is wanted."""
    if not params.trace:
        return {}
    from understudy.app.check.traced import traced  # noqa: PLC0415 - few ask for it
    from understudy.faces.answers.report_trace import trace_json  # noqa: PLC0415 - as above

    return {"trace": trace_json(traced(side.host.session, question.subject, found.checked))}
