"""The calls of agents: check edits, run a command on them, look things up.

Every text is deterministic and fits into one answer: what is left out is counted in it.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, cast

from understudy.app.asks import MOST_CHARACTERS, without_secrets
from understudy.app.check.asked import CheckQuestion
from understudy.app.context.get import get_part
from understudy.app.context.stored_text import StoredAction, StoredWish, stored_text
from understudy.app.run.asked import receipt_of
from understudy.app.run.excerpt import output_excerpt
from understudy.app.run.services import StageService, Until
from understudy.context.excerpt import ExcerptPart
from understudy.disk.store.store import FOLDERS, USER
from understudy.edits.model import parse_edits
from understudy.edits.subject import subject_of
from understudy.faces.answers.agent_text import (
    MAX_BYTES,
    capped,
    lint_text,
    room_for_output,
    run_text,
)
from understudy.faces.answers.check import overlap_line, overlaps_json
from understudy.faces.answers.service_text import ended_text, notes_of, old_lines, up_text
from understudy.faces.calls.asks import asked_lines
from understudy.faces.calls.branches import diff_of
from understudy.faces.calls.check import answered, of_branch, options_of
from understudy.faces.calls.code import path_of, range_of, read
from understudy.faces.calls.context import called, noted, searched
from understudy.faces.calls.conversation import RENEWED, Conversation
from understudy.faces.calls.entry import Json, refuse_switched_off
from understudy.faces.calls.run import run_options
from understudy.faces.calls.terminals import terminal_facts, terminals_text
from understudy.faces.params import calls as takes
from understudy.shadow.called import as_title, is_untitled
from understudy.values.errors import BadInput
from understudy.values.printable import printable
from understudy.workspace.branches.edit_fresh import edit_fresh
from understudy.workspace.options import FixWish
from understudy.workspace.progress import Audience, Live, Progress, Stream
from understudy.workspace.session import Session

_LINES = 40
_LONGEST_PATTERN = 10_000
"""Characters; to compile a million takes seconds, and the host's user may be typing."""
_SAY_SECONDS = 1.0
_MOST_OVERLAPS = 3


async def begin(conversation: Conversation, params: takes.BeginParams, _: Audience) -> Json:
    """Set the moment from which on a change counts as made since this agent came."""
    await conversation.began()
    if params.renewed:
        conversation.beginning = RENEWED
    return {}


async def lint(conversation: Conversation, params: takes.Lint, audience: Audience) -> Json:
    """The verdict on a branch, on new edits of it, or on what changed since the agent came."""
    refuse_switched_off(conversation, "lint")
    if conversation.bound is not None:
        return await _lint_branch(conversation, conversation.bound, params, audience)
    if params.candidates:
        from understudy.faces.calls.candidates.rank import ranked_for_agent  # noqa: PLC0415 - few ask for it

        return await ranked_for_agent(conversation, params, audience)
    edits = _edits(params)
    branch = params.branch
    if edits is not None:
        branch = await _edited(conversation, branch, edits, params.title)
    since, compared = None, "the user's text"
    if branch is None and params.revision is None:
        since, compared = await conversation.began(), conversation.beginning
    session, base = conversation.host.session, conversation.live_base
    question = CheckQuestion(
        branch, since=since, revision=params.revision, options=options_of(params)
    )
    wish = FixWish() if params.fix else None
    found = await answered(session, question, wish, base, None, audience, explain=params.explain)
    mended = found.checked.mended
    if branch is None and mended is not None and mended.patch:
        branch = await _edited(conversation, None, [{"kind": "diff", "text": mended.patch}])
    text = lint_text(found.checked, branch, found.revision or compared)
    text += await _overlaps(session, branch)
    return {"branch": branch, "verdict": found.checked.report.verdict, "text": text}


async def _overlaps(session: Session, branch: str | None) -> str:
    """Who changes the same lines, in a few words; nothing where nobody does."""
    if branch is None:
        return ""
    found = overlaps_json(await session.overlaps.of(await session.branches.get(branch)))
    lines = [printable(overlap_line(one)) for one in found]
    more = [f"{len(lines) - _MOST_OVERLAPS} more"] if len(lines) > _MOST_OVERLAPS else []
    return "".join(f"{line}\n" for line in (*lines[:_MOST_OVERLAPS], *more))


async def _lint_branch(
    conversation: Conversation, branch: str, params: takes.Lint, audience: Audience
) -> Json:
    """The verdict on the branch that the asker lives in, or on edits over it, not kept."""
    session, base, edits = conversation.host.session, conversation.live_base, _edits(params)
    question = CheckQuestion(branch, edits, options=options_of(params))
    found = await answered(session, question, None, base, None, audience, explain=params.explain)
    compared = of_branch(conversation, question) or "the user's text"
    text = lint_text(found.checked, None, compared) + await _overlaps(session, branch)
    return {"branch": None, "verdict": found.checked.report.verdict, "text": text}


async def run(conversation: Conversation, params: takes.Run, audience: Audience) -> Json:
    """The receipt of a command on a stage."""
    session, base = conversation.host.session, conversation.live_base
    services, stage = conversation.services, params.stage
    if params.until is not None or (stage is not None and not params.command):
        return {"branch": params.branch, "text": await _service(conversation, params)}
    options = run_options(params, conversation.network)
    counting = replace(audience, live=_counted(audience.progress))
    owner = None if stage is None else services.owner
    receipt = await receipt_of(
        session, options, base, branch=params.branch, audience=counting, owner=owner
    )
    notes: list[str] = []
    if stage is not None:
        notes = notes_of(receipt, services.running(stage), services.ended(stage))
    room = room_for_output(receipt, notes)
    excerpt = await output_excerpt(session.workers, receipt.output, room) if room else []
    return {"branch": params.branch, "text": run_text(receipt, excerpt, notes)}


async def _service(conversation: Conversation, params: takes.Run) -> str:
    """Start a service and wait until it is ready, or end those of a stage."""
    services, stage = conversation.services, params.stage
    if params.until is None and stage is not None:
        return ended_text(stage, await services.stop(stage))
    options = run_options(params, conversation.network)
    until = Until.parse(params.until or "")
    started = await services.start(options, until, conversation.live_base, params.branch)
    if isinstance(started, StageService):
        return up_text(started)
    first, receipt = f"NOT UP: {started.why}", started.receipt
    old = old_lines(receipt.moved, stage, ends=bool(services.running(stage)))
    room = room_for_output(receipt, [first, *old])
    workers = conversation.host.session.workers
    excerpt = await output_excerpt(workers, receipt.output, room) if room else []
    return capped([first, *run_text(receipt, excerpt, old).splitlines()])


def _counted(progress: Progress) -> Live:
    """Say now and then how much a command has written: it may run for minutes."""
    size, said = 0, time.monotonic()

    def live(_: Stream, data: bytes) -> None:
        nonlocal size, said
        size += len(data)
        if time.monotonic() - said >= _SAY_SECONDS:
            said = time.monotonic()
            progress(f"the command runs; {size} bytes of output", 0, 0)

    return live


async def context(conversation: Conversation, params: takes.Context, audience: Audience) -> Json:
    """A part of a kept output, a branch's diff, or another server's answer."""
    session = conversation.host.session
    if params.pattern is not None and len(params.pattern) > _LONGEST_PATTERN:
        text = f"a pattern has at most {_LONGEST_PATTERN} characters"
        raise BadInput("bad-pattern", text, "pattern")
    if params.action == "call":
        return {"text": await called(session, params)}
    if params.action == "search":
        return {"text": await searched(session, params)}
    if params.action in ("terminals", "wait"):
        return {"text": await terminals_text(session, params)}
    if params.action in ("read", "tail", "grep"):
        return {"text": await _kept(session, params)}
    if params.action in ("note", "notes"):
        return {"text": await noted(session, params)}
    if params.action == "diff":
        return {"text": await _diff(conversation, params.branch)}
    moved = takes.Code(
        params.action, params.path, params.lines, params.symbol,
        budget=params.budget, branch=params.branch,
    )  # fmt: skip
    return await read(conversation, moved, audience)


async def _kept(session: Session, params: takes.Context) -> str:
    """A part of a run's or a terminal's output, or of what is in the store of contexts."""
    path = path_of(params)
    count = _LINES if params.count is None else params.count
    wish = StoredWish(
        cast("StoredAction", params.action),
        range_of(params.lines),
        count,
        params.pattern,
        params.column,
    )
    if count < 1:
        raise BadInput("bad-params", "at least 1", "count")
    if path.partition("/")[0] not in (*FOLDERS, USER):
        head, *lines = await stored_text(session, path, wish)
        facts = await terminal_facts(session, head.partition(": ")[0])
        return _fitting([head, *facts, *lines])
    part = ExcerptPart(
        lines=wish.lines if wish.action == "read" else None,
        tail=count if wish.action == "tail" else None,
        grep=params.pattern if wish.action == "grep" else None,
        regex=True,
        budget=MAX_BYTES - 400,
        column=params.column,
    )
    found = await get_part(session.context, session.workers, path, part)
    head = f"{path}: {found.size} bytes in {found.lines} lines; {found.matched} asked for"
    left = f", {found.left_out} of them left out here" if found.left_out else ""
    return _fitting([head + left, *found.text.split("\n")[:-1]])


def _fitting(lines: list[str]) -> str:
    """The lines as they are if they fit; else the long ones are cut first."""
    text = "\n".join(lines) + "\n"
    return text if len(text.encode("utf-8", "replace")) <= MAX_BYTES else capped(lines)


def _edits(params: takes.Lint) -> list[Any] | None:
    """The edits that are to be checked; None where the call asks about something else."""
    if params.edits and params.diff is not None:
        raise BadInput("bad-params", "give `edits` or `diff`, not both", "diff")
    if params.diff is not None:
        return [{"kind": "diff", "text": params.diff}]
    if params.edits is not None and not params.edits:
        text = "the list is empty; leave it out to ask what has changed in the folder"
        raise BadInput("no-edits", text, "edits")
    return params.edits


async def _edited(
    conversation: Conversation, branch: str | None, edits: list[Any], title: str | None = None
) -> str:
    """Apply the edits to the branch, or to a new one, which stays only if they apply.

    It is called by what the agent says that they are for, else by what their patch says.
    """
    session = conversation.host.session
    branches, named = session.branches, _title(session, title or "")
    if branch is not None:
        await edit_fresh(branches, branch, edits, conversation.live_base)
        if named and is_untitled((await branches.get(branch)).title):
            await branches.rename(branch, named)
        return branch
    named = named or _title(session, subject_of(parse_edits(edits)))
    made = (await branches.create(named)).id
    try:
        await edit_fresh(branches, made, edits, conversation.live_base)
    except BaseException:  # whatever it is: undone, and raised again
        await branches.discard(made)
        raise
    return made


def _title(session: Session, words: str) -> str:
    """What is said of a branch as its title, without secrets; "" without any words."""
    return as_title(without_secrets(session, words[:MOST_CHARACTERS]))


async def _diff(conversation: Conversation, branch: str | None) -> str:
    if branch is None:
        raise BadInput("no-branch", "there are no edits yet; lint some first, or name a branch")
    found = await diff_of(conversation, branch)
    conflicts = [f"conflict: {path} does not fit the user's text" for path in found.conflicts]
    session, base = conversation.host.session, conversation.live_base
    asks = await asked_lines(session, base, branch, conversation.bound)
    return capped([f"branch {branch}", *asks, *conflicts, *found.text.splitlines()])
