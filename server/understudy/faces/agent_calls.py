"""The calls of agents: rehearse edits, run a command on them, look things up.

Every text is deterministic and fits into one answer: what is left out is counted in it.
"""

from __future__ import annotations

from typing import Any, cast

from understudy.app.branch_edits import edit_fresh
from understudy.app.check import check
from understudy.app.check_options import CheckOptions
from understudy.app.context_get import get_part
from understudy.app.map import map_snapshot
from understudy.app.map_conclude import MapWish
from understudy.app.outline_work import Wish
from understudy.app.progress import Progress
from understudy.app.revisions import revision_sides
from understudy.app.run import RunOptions
from understudy.app.run import run as run_command
from understudy.app.session import Session
from understudy.app.sides import base_side, branch_side, checkpoint_side
from understudy.app.stored_text import StoredAction, StoredWish, stored_text
from understudy.context.excerpt import Part
from understudy.disk.context_store import FOLDERS
from understudy.faces import call_params as takes
from understudy.faces.agent_text import MAX_BYTES, capped, lint_text, run_text
from understudy.faces.calls import Conversation, Json
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput

BRANCH_TITLE = "an agent's edits"
MAX_BUDGET = 1900
"""Tokens of 4 bytes that fit into one answer."""
_LINES = 40


async def lint(conversation: Conversation, params: takes.Lint, progress: Progress) -> Json:
    """The verdict on a branch, on new edits of it, or on what changed since the agent came."""
    session = conversation.host.session
    options = CheckOptions(params.scope, params.severity, params.servers, params.timeout)
    edits = _edits(params)
    branch = params.branch
    if edits:
        branch = await _edited(session, branch, edits)
    after = base_side if branch is None else branch_side(session.branches, branch)
    before, compared = base_side, "the user's text"
    if params.revision is not None:
        sides = await revision_sides(session, params.revision, progress)
        before, compared = sides.before, sides.revision.text
        after = sides.after if branch is None else after
    elif branch is None:
        before, compared = checkpoint_side(await conversation.began()), "the start of this session"
    checked = await check(
        session, before, after, options,
        owner=branch or "base", progress=progress, live_base=session.bases.of_user,
    )  # fmt: skip
    text = lint_text(checked, branch, compared)
    return {"branch": branch, "verdict": checked.report.verdict, "text": text}


async def run(conversation: Conversation, params: takes.Run, _: Progress) -> Json:
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
    receipt = await run_command(session, params.branch, options, live_base=session.bases.of_user)
    return {"branch": params.branch, "text": run_text(receipt)}


async def context(conversation: Conversation, params: takes.Context, _: Progress) -> Json:
    """A part of a kept output, an outline, a map, or a branch's diff."""
    session = conversation.host.session
    if params.action in ("read", "tail", "grep"):
        return {"text": await _kept(session, params)}
    if params.action == "diff":
        return {"text": await _diff(session, params.branch)}
    snapshot = await _snapshot(session, params.branch)
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
        cast("StoredAction", params.action), _range(params.lines), count, params.pattern
    )
    if path.partition("/")[0] not in FOLDERS:
        return capped(await stored_text(session, path, wish))
    part = Part(
        lines=wish.lines if wish.action == "read" else None,
        tail=count if wish.action == "tail" else None,
        grep=params.pattern if wish.action == "grep" else None,
        regex=True,
        budget=MAX_BYTES - 400,
    )
    found = await get_part(session.context, session.workers, path, part)
    head = f"{path}: {found.size} bytes in {found.lines} lines; {found.matched} asked for"
    left = f", {found.left_out} of them left out here" if found.left_out else ""
    return capped([head + left, *found.text.splitlines()])


def _edits(params: takes.Lint) -> list[Any]:
    if params.edits and params.diff is not None:
        raise BadInput("bad-params", "give `edits` or `diff`, not both", "diff")
    return [{"kind": "diff", "text": params.diff}] if params.diff is not None else params.edits


async def _edited(session: Session, branch: str | None, edits: list[Any]) -> str:
    """Apply the edits to the branch, or to a new one, which stays only if they apply."""
    if branch is not None:
        await edit_fresh(session.branches, branch, edits, session.bases.of_user)
        return branch
    made = (await session.branches.create(BRANCH_TITLE)).id
    try:
        await edit_fresh(session.branches, made, edits, session.bases.of_user)
    except BaseException:  # whatever it is: undone, and raised again
        await session.branches.discard(made)
        raise
    return made


async def _diff(session: Session, branch: str | None) -> str:
    if branch is None:
        raise BadInput("no-branch", "there are no edits yet; lint some first, or name a branch")
    found = await session.branches.diff(branch, await session.bases.of_user.fresh())
    conflicts = [f"conflict: {path} does not fit the user's text" for path in found.conflicts]
    return capped([f"branch {branch}", *conflicts, *found.text.splitlines()])


async def _snapshot(session: Session, branch: str | None) -> Snapshot:
    base = await session.bases.of_user.fresh()
    return Snapshot(base) if branch is None else await session.branches.snapshot(branch, base)


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
