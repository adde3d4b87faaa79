"""The calls of the command line: its commands over a host that runs already."""

from __future__ import annotations

from typing import Any

from understudy.app.accept import accept as accept_branch
from understudy.app.branch_edits import edit_fresh
from understudy.app.check import Checked, SnapshotSource
from understudy.app.check import check as check_sides
from understudy.app.check_options import CheckOptions
from understudy.app.progress import Audience, Progress
from understudy.app.revisions import revision_sides
from understudy.app.run import Receipt, RunOptions, run
from understudy.app.session import Session
from understudy.app.sides import base_side, branch_side
from understudy.faces import call_params as takes
from understudy.faces.calls import Conversation, Json
from understudy.faces.receipt import told
from understudy.faces.report_hook import check_hook
from understudy.faces.report_text import check_text
from understudy.faces.run_options import run_options
from understudy.faces.sound_json import json_line
from understudy.faces.wire import check_json, summary_json


async def check(conversation: Conversation, params: takes.Check, audience: Audience) -> Json:
    """Check edits, or the working tree, over the user's unsaved text; no branch stays behind."""
    session, progress = conversation.host.session, audience.progress
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
    if form == "json":
        text = json_line(check_json(checked), indent=1) + "\n"
    else:
        text = check_hook(checked, compared) if form == "hook" else check_text(checked)
    return {"verdict": checked.report.verdict, "compared": compared, "text": text}


async def execute(conversation: Conversation, params: takes.Execute, audience: Audience) -> Json:
    """Run a command; the answer is its receipt, as JSON and as text, and its exit code."""
    session = conversation.host.session
    options = run_options(params)
    if params.branch is None and params.edits and not params.adopt:
        receipt = await _run_edits(session, params.edits, options, audience)
    else:
        receipt = await _run_kept(session, params, options, audience)
    return told(receipt)


async def _run_edits(
    session: Session, edits: list[Any], options: RunOptions, audience: Audience
) -> Receipt:
    """Run with edits that leave no branch behind."""
    book, base = session.unlisted, session.bases.of_user
    branch = (await book.create("run")).id
    try:
        await edit_fresh(book, branch, edits, base)
        return await run(
            session, branch, options, audience.live,
            placed=audience.placed, owner="patch", live_base=base, book=book,
        )  # fmt: skip
    finally:
        await book.discard(branch)


async def _run_kept(
    session: Session, params: takes.Execute, options: RunOptions, audience: Audience
) -> Receipt:
    """Run with a kept branch, the base, or a new branch, which stays if the run gets to its end."""
    base, branch, made = session.bases.of_user, params.branch, None
    if branch is None and params.adopt:
        made = branch = (await session.branches.create("run")).id
    try:
        if made is not None and params.edits:
            await edit_fresh(session.branches, made, params.edits, base)
        return await run(
            session, branch, options, audience.live, placed=audience.placed, live_base=base
        )
    except BaseException:  # whatever it is: undone, and raised again
        if made is not None:
            await session.branches.discard(made)
        raise


async def branches(conversation: Conversation, params: takes.Branches, _: Audience) -> Json:
    """The branches, oldest first."""
    found = conversation.host.session.branches.summaries(params.archived)
    return {"branches": [summary_json(summary) for summary in found]}


async def diff(conversation: Conversation, params: takes.Branch, _: Audience) -> Json:
    """A branch's edits against the user's text."""
    session = conversation.host.session
    found = await session.branches.diff(params.branch, await session.bases.of_user.fresh())
    return {"diff": found.text, "conflicts": list(found.conflicts)}


async def accept(conversation: Conversation, params: takes.Branch, _: Audience) -> Json:
    """Write a branch into the folder; refused where an editor has one of its files open."""
    session = conversation.host.session
    touched = (await session.branches.get(params.branch)).files
    report = await accept_branch(session.branches, params.branch, await session.bases.disk(touched))
    return {
        "written": list(report.written),
        "deleted": list(report.deleted),
        "merged": list(report.merged),
    }


async def discard(conversation: Conversation, params: takes.Branch, _: Audience) -> Json:
    """Put a branch away."""
    await conversation.host.session.branches.discard(params.branch)
    return {"discarded": params.branch}
