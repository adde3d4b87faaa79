"""The verb `check` with fixes: what was asked about, mended, and handed over."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import replace

from understudy.app.check.asked import CheckAnswer, CheckQuestion, judged, sides_of, start_servers
from understudy.app.check.blast_radius import changed_paths
from understudy.app.check.fixes.mend import Mender
from understudy.app.check.sides import base_side
from understudy.shadow.branch import Branch
from understudy.values.stamps import Stamp
from understudy.workspace.branches.checked import Checked, Mended
from understudy.workspace.branches.diff import diff_packed
from understudy.workspace.branches.edit_fresh import edit_fresh
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import FixWish
from understudy.workspace.progress import NOBODY, Audience
from understudy.workspace.session import Session


async def mended_answer(
    session: Session,
    question: CheckQuestion,
    wish: FixWish | None,
    live_base: LiveBase,
    *,
    explain: bool = False,
    owner: str | None = None,
    audience: Audience = NOBODY,
) -> CheckAnswer:
    """Judge the difference with the servers' own fixes in it, as far as that is wished and helps.

    The user's files stay as they are: fixes of a branch become edits of the branch, all others are
    in the answer alone. `explain` says more of each finding that is left. Raises as `answer` does,
    and BadInput `stale-stamp` where the branch was edited meanwhile.
    """
    book = session.unlisted
    async with _origin(session, question, live_base) as (origin, stamp):
        asked = replace(question, edits=None, branch=origin.id)
        sides = await sides_of(session, book, asked, audience.progress)
        renamed = base_side
        if question.revision is not None and question.branch is None:
            unedited = replace(question, edits=None)
            renamed = (await sides_of(session, book, unedited, audience.progress)).after
        mender = Mender(
            session, book, origin, sides.before, renamed, question.options, wish or FixWish(),
            live_base, owner or question.branch or "base", audience,
        )  # fmt: skip
        try:
            checked = await (mender.check() if wish is None else mender.mend())
            mended = None if wish is None else await _mended(mender, origin, checked)
            explained = await mender.explained(checked) if explain else None
        finally:
            if mender.kept is not origin:
                await book.discard(mender.kept.id)
    if question.branch is None:
        session.last_checks.keep(question.subject, checked)
        found = CheckAnswer(checked, sides.revision)
    else:
        if mended is not None and mended.fixes_patch:
            edits = [{"kind": "diff", "text": mended.fixes_patch}]
            await edit_fresh(session.branches, question.branch, edits, live_base, stamp)
        found = await judged(session, session.branches, question, live_base, owner, audience)
    return replace(found, checked=replace(found.checked, mended=mended, explained=explained))


@asynccontextmanager
async def _origin(
    session: Session, question: CheckQuestion, live_base: LiveBase
) -> AsyncGenerator[tuple[Branch, Stamp | None], None]:
    """A passing branch with what is asked about, and the stamp of the branch that this is from."""
    book = session.unlisted
    if question.edits is not None:
        async with passing_branch(book, question.edits, live_base, "check") as made:
            await start_servers(session, book, made, question.options, live_base)
            yield await book.get(made), None
        return
    stamp = None
    if question.branch is None:
        origin = await book.create("check")
    else:
        branch = await session.branches.get(question.branch)
        stamp, origin = branch.stamp, await book.copy(branch, "check")
    try:
        yield origin, stamp
    finally:
        await book.discard(origin.id)


async def _mended(mender: Mender, origin: Branch, checked: Checked) -> Mended:
    """The account of what was done, with the difference that it makes."""
    book, after = mender.book, checked.after
    before = await book.snapshot(origin.id, after.base)
    workers = mender.session.workers
    parts: list[str] = []
    for path in sorted(changed_paths(before, after)):
        texts = (before.packed(path), after.packed(path))
        size = sum(text.size for text in texts if text is not None)
        parts.append(await workers.run(diff_packed, *texts, path, None, size=size))
    accounts, without_fix = mender.told(checked)
    patch = (await book.diff(mender.kept.id, after.base)).text
    return Mended(accounts, without_fix, mender.rounds, mender.ended, patch, "".join(parts))
