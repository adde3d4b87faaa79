"""The calls of agents: rehearse edits, run a command on them, look things up.

Every text is deterministic and fits into one answer: what is left out is counted in it.
"""

from __future__ import annotations

import time
from typing import Any, cast

from understudy.app.branch_edits import edit_fresh
from understudy.app.check import check
from understudy.app.check_options import CheckOptions
from understudy.app.context_get import get_part
from understudy.app.map import map_snapshot
from understudy.app.map_conclude import MapWish
from understudy.app.outline_work import Wish
from understudy.app.output_excerpt import output_excerpt
from understudy.app.progress import Audience, Live, Progress, Stream
from understudy.app.revisions import revision_sides
from understudy.app.run import RunOptions
from understudy.app.run import run as run_command
from understudy.app.session import Session
from understudy.app.sides import base_side, branch_side, checkpoint_side
from understudy.app.stored_text import StoredAction, StoredWish, stored_text
from understudy.context.excerpt import Part
from understudy.disk.context_store import FOLDERS, USER
from understudy.faces import call_params as takes
from understudy.faces.agent_text import MAX_BYTES, capped, lint_text, room_for_output, run_text
from understudy.faces.calls import Conversation, Json
from understudy.faces.context_calls import called, searched
from understudy.faces.terminal_calls import terminal_facts, terminals_text
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput

MAX_BUDGET = 1900
"""Tokens of 4 bytes that fit into one answer."""
_LINES = 40
_SAY_SECONDS = 1.0


async def begin(conversation: Conversation, _params: takes.Begin, _: Audience) -> Json:
    """From here on, what changes has changed since this agent came."""
    await conversation.began()
    return {}


async def lint(conversation: Conversation, params: takes.Lint, audience: Audience) -> Json:
    """The verdict on a branch, on new edits of it, or on what changed since the agent came."""
    session = conversation.host.session
    options = CheckOptions(params.scope, params.severity, params.servers, params.timeout)
    edits = _edits(params)
    branch = params.branch
    if edits:
        branch = await _edited(conversation, branch, edits)
    after = base_side if branch is None else branch_side(session.branches, branch)
    before, compared = base_side, "the user's text"
    if params.revision is not None:
        sides = await revision_sides(session, params.revision, audience.progress)
        before, compared = sides.before, sides.revision.text
        after = sides.after if branch is None else after
    elif branch is None:
        before, compared = checkpoint_side(await conversation.began()), "the start of this session"
    judged = None if branch is None else await session.branches.get(branch)
    checked = await check(
        session, before, after, options,
        owner=branch or "base", progress=audience.progress, live_base=conversation.live_base,
    )  # fmt: skip
    if judged is not None and params.revision is None:
        session.verdicts.keep(judged, options, conversation.live_base, checked)
    text = lint_text(checked, branch, compared)
    return {"branch": branch, "verdict": checked.report.verdict, "text": text}


async def run(conversation: Conversation, params: takes.Run, audience: Audience) -> Json:
    """The receipt of a command on a stage."""
    session = conversation.host.session
    options = RunOptions(
        argv=params.command,
        cwd=params.cwd,
        env=params.env,
        network=params.network,
        seconds=params.timeout,
        keep=params.keep,
        adopt=params.adopt,
    )
    live, base = _counted(audience.progress), conversation.live_base
    receipt = await run_command(session, params.branch, options, live, live_base=base)
    room = room_for_output(receipt)
    excerpt = await output_excerpt(session.workers, receipt.output, room) if room else []
    return {"branch": params.branch, "text": run_text(receipt, excerpt)}


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


async def context(conversation: Conversation, params: takes.Context, _: Audience) -> Json:
    """A part of a kept output, an outline, a map, a branch's diff, or another server's answer."""
    session = conversation.host.session
    if params.action == "call":
        return {"text": await called(session, params)}
    if params.action == "search":
        return {"text": await searched(session, params)}
    if params.action in ("terminals", "wait"):
        return {"text": await terminals_text(session, params)}
    if params.action in ("read", "tail", "grep"):
        return {"text": await _kept(session, params)}
    if params.action == "diff":
        return {"text": await _diff(conversation, params.branch)}
    snapshot = await _snapshot(conversation, params.branch)
    budget = MAX_BUDGET if params.budget is None else min(params.budget, MAX_BUDGET)
    if params.action == "map":
        prefix = "" if params.path is None else session.root.relative(params.path) + "/"
        wish = MapWish(budget, prefix=prefix)
        found = await map_snapshot(session.mapper, session.root, snapshot, wish)
        return {"text": capped(found.text.splitlines())}
    form = "outline" if params.action == "outline" else "full"
    asked = Wish(form, budget, params.symbol, _range(params.lines))
    path = session.root.relative(_path(params))
    answer = await session.outliner.outline(snapshot, path, asked)
    return {"text": capped(answer.delivery.text.splitlines())}


async def _kept(session: Session, params: takes.Context) -> str:
    """A part of a run's or a terminal's output, or of what is in the store of contexts."""
    path = _path(params)
    count = _LINES if params.count is None else params.count
    wish = StoredWish(
        cast("StoredAction", params.action),
        _range(params.lines),
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
    part = Part(
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


def _edits(params: takes.Lint) -> list[Any]:
    if params.edits and params.diff is not None:
        raise BadInput("bad-params", "give `edits` or `diff`, not both", "diff")
    return [{"kind": "diff", "text": params.diff}] if params.diff is not None else params.edits


async def _edited(conversation: Conversation, branch: str | None, edits: list[Any]) -> str:
    """Apply the edits to the branch, or to a new one, which stays only if they apply."""
    branches = conversation.host.session.branches
    if branch is not None:
        await edit_fresh(branches, branch, edits, conversation.live_base)
        return branch
    made = (await branches.create(conversation.title)).id
    try:
        await edit_fresh(branches, made, edits, conversation.live_base)
    except BaseException:  # whatever it is: undone, and raised again
        await branches.discard(made)
        raise
    return made


async def _diff(conversation: Conversation, branch: str | None) -> str:
    if branch is None:
        raise BadInput("no-branch", "there are no edits yet; lint some first, or name a branch")
    branches = conversation.host.session.branches
    found = await branches.diff(branch, await conversation.live_base.fresh())
    conflicts = [f"conflict: {path} does not fit the user's text" for path in found.conflicts]
    return capped([f"branch {branch}", *conflicts, *found.text.splitlines()])


async def _snapshot(conversation: Conversation, branch: str | None) -> Snapshot:
    base, branches = await conversation.live_base.fresh(), conversation.host.session.branches
    return Snapshot(base) if branch is None else await branches.snapshot(branch, base)


def _path(params: takes.Context) -> str:
    if params.path is None:
        raise BadInput("bad-params", f"`{params.action}` needs a path", "path")
    return params.path


def _range(lines: tuple[int, ...]) -> tuple[int, int] | None:
    if not lines:
        return None
    if len(lines) != 2 or not 1 <= lines[0] <= lines[1]:
        raise BadInput("bad-params", "expected the first and the last line, from 1", "lines")
    return lines[0], lines[1]
