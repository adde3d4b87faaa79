"""The calls of the command line: its commands over a host that runs already."""

from __future__ import annotations

from understudy.app.accept import accept as accept_branch
from understudy.app.branch_edits import edit_fresh
from understudy.app.check import Checked, SnapshotSource
from understudy.app.check import check as check_sides
from understudy.app.check_options import CheckOptions
from understudy.app.progress import Progress
from understudy.app.revisions import revision_sides
from understudy.app.session import Session
from understudy.app.sides import base_side, branch_side
from understudy.faces import call_params as takes
from understudy.faces.calls import Conversation, Json
from understudy.faces.report_text import check_text
from understudy.faces.sound_json import json_line
from understudy.faces.wire import check_json, summary_json


async def check(conversation: Conversation, params: takes.Check, progress: Progress) -> Json:
    """Check edits, or the working tree, over the user's unsaved text; no branch stays behind."""
    session = conversation.host.session
    options = CheckOptions(
        params.scope, params.severity, params.servers, params.timeout, params.strict
    )
    if params.worktree:
        sides = await revision_sides(session, params.revision, progress)
        checked = await _judged(session, sides.before, sides.after, options, progress)
        return _report(checked, params.format, sides.revision.text)
    book = session.unlisted
    branch = (await book.create("check")).id
    try:
        await edit_fresh(book, branch, params.edits, session.bases.of_user)
        after = branch_side(book, branch)
        checked = await _judged(session, base_side, after, options, progress)
    finally:
        await book.discard(branch)
    return _report(checked, params.format, None)


async def _judged(
    session: Session,
    before: SnapshotSource,
    after: SnapshotSource,
    options: CheckOptions,
    progress: Progress,
) -> Checked:
    live_base = session.bases.of_user
    return await check_sides(
        session, before, after, options, owner="command", progress=progress, live_base=live_base
    )


def _report(checked: Checked, form: str, compared: str | None) -> Json:
    as_json = form == "json"
    text = json_line(check_json(checked), indent=1) + "\n" if as_json else check_text(checked)
    return {"verdict": checked.report.verdict, "compared": compared, "text": text}


async def branches(conversation: Conversation, params: takes.Branches, _: Progress) -> Json:
    """The branches, oldest first."""
    found = conversation.host.session.branches.summaries(params.archived)
    return {"branches": [summary_json(summary) for summary in found]}


async def diff(conversation: Conversation, params: takes.Branch, _: Progress) -> Json:
    """A branch's edits against the user's text."""
    session = conversation.host.session
    found = await session.branches.diff(params.branch, await session.bases.of_user.fresh())
    return {"diff": found.text, "conflicts": list(found.conflicts)}


async def accept(conversation: Conversation, params: takes.Branch, _: Progress) -> Json:
    """Write a branch into the folder; refused where an editor has one of its files open."""
    session = conversation.host.session
    touched = (await session.branches.get(params.branch)).files
    report = await accept_branch(session.branches, params.branch, await session.bases.disk(touched))
    return {
        "written": list(report.written),
        "deleted": list(report.deleted),
        "merged": list(report.merged),
    }


async def discard(conversation: Conversation, params: takes.Branch, _: Progress) -> Json:
    """Put a branch away."""
    await conversation.host.session.branches.discard(params.branch)
    return {"discarded": params.branch}
