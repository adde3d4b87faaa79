"""The verb `check` as it is asked: which two sides are compared, and whose verdict is kept.

What judges them is loaded once it is needed: servers start meanwhile, and a patch needs no git.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from understudy.langserver.folder_follower import concerns
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.last_checks import EDITS, FOLDER
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import NOBODY, Audience, Progress
from understudy.workspace.session import Session

if TYPE_CHECKING:
    from understudy.app.check.sides import ComparedSides
    from understudy.values.traces import CheckTrace
    from understudy.workspace.branches.checked import Checked
    from understudy.workspace.checkpoints import Checkpoint


@frozen
class CheckQuestion:
    """What is compared: a branch, `edits` that no branch keeps, or the user's text itself.

    With the user's text as it is now, as it was at a checkpoint (`since`), or with a git revision;
    edits with the text that they are over: a branch's where there is one.
    Raises BadInput `bad-params` where that makes no comparison.
    """

    branch: str | None = None
    edits: Sequence[Any] | None = None
    since: Checkpoint | None = None
    revision: str | None = None
    options: CheckOptions = field(default_factory=CheckOptions)

    def __post_init__(self) -> None:
        others = (self.branch, self.since, self.revision)
        if self.edits is None and others == (None, None, None):
            text = "name a branch, a checkpoint as `before`, or a `revision`"
            raise BadInput("bad-params", text, "branch")
        if self.edits is not None and others[1:] != (None, None):
            text = "edits that no branch keeps are compared with the text that they are over"
            raise BadInput("bad-params", text, "edits")

    @property
    def subject(self) -> str:
        """What is checked: a branch's id, or a word; edits that none keeps, whatever is below."""
        return (self.branch or FOLDER) if self.edits is None else EDITS


@frozen
class CheckAnswer:
    """What a check found; `revision` is the one that was compared with, in words.

    `trace` is how it was judged, where that was asked for.
    """

    checked: Checked
    revision: str | None
    trace: CheckTrace | None = None


async def answer(
    session: Session,
    question: CheckQuestion,
    live_base: LiveBase,
    *,
    owner: str | None = None,
    audience: Audience = NOBODY,
) -> CheckAnswer:
    """Judge the difference; `owner` names who asks, for the fair queue (None: the branch).

    The verdict on a branch as it is now is kept for whoever lists branches. Raises as `check` does,
    as `edit_fresh` and `revision_sides` do, and BadInput `unknown-branch`.
    """
    if question.edits is None:
        return await judged(session, session.branches, question, live_base, owner, audience)
    book = session.unlisted
    over = None if question.branch is None else await session.branches.get(question.branch)
    async with passing_branch(book, question.edits, live_base, "check", over) as branch:
        await start_servers(session, book, branch, question.options, live_base)
        own = replace(question, branch=branch, edits=None)
        return await judged(session, book, own, live_base, owner, audience, over=question.branch)


async def judged(
    session: Session,
    book: BranchBook,
    question: CheckQuestion,
    live_base: LiveBase,
    owner: str | None,
    audience: Audience,
    *,
    over: str | None = None,
) -> CheckAnswer:
    """Judge a question whose edits, if any, are on a branch of `book`; `over` is a kept branch that
    these are compared with."""
    from understudy.app.check.check import check  # noqa: PLC0415 - see above

    sides = await sides_of(session, book, question, audience.progress, over)
    branch, options = question.branch, question.options
    kept = None
    if branch is not None and book is session.branches and sides.from_base:
        kept = await book.get(branch)
    checked = await check(
        session, sides.before, sides.after, options,
        owner=owner or branch or "base", progress=audience.progress, first=audience.first,
        live_base=live_base,
    )  # fmt: skip
    if kept is not None:
        session.verdicts.keep(kept, options, live_base, checked)
    named = branch is None or book is session.branches
    session.last_checks.keep(question.subject if named else EDITS, checked)
    return CheckAnswer(checked, sides.revision)


async def sides_of(
    session: Session,
    book: BranchBook,
    question: CheckQuestion,
    progress: Progress,
    over: str | None = None,
) -> ComparedSides:
    """The two sides of a question; as `judged` takes it."""
    from understudy.app.check.sides import (  # noqa: PLC0415 - see above
        ComparedSides,
        base_side,
        branch_side,
        checkpoint_side,
    )

    before = base_side if question.since is None else checkpoint_side(question.since)
    if over is not None:
        before = branch_side(session.branches, over)
    after = base_side if question.branch is None else branch_side(book, question.branch)
    if question.revision is None:
        return ComparedSides(before, after, None, from_base=before is base_side)
    from understudy.workspace.revisions.sides import revision_sides  # noqa: PLC0415 - see above

    sides = await revision_sides(session, question.revision, progress)
    after = sides.after if question.branch is None else after
    return ComparedSides(sides.before, after, sides.revision.text, from_base=False)


async def start_servers(
    session: Session, book: BranchBook, branch_id: str, options: CheckOptions, live_base: LiveBase
) -> None:
    """Launch the servers that will surely be asked, now that nothing can be refused any more.

    Where files come, go or configure a server, the check itself finds out how to show them.
    """
    snapshot = await book.snapshot(branch_id, live_base.now)
    texts = [path for path in sorted(snapshot.unlike_disk) if snapshot.exists(path)]
    chosen = (choice for path in texts for choice in session.servers.choose(path, options.servers))
    for choice in dict.fromkeys(chosen):
        if choice.is_command or choice.spec is None:
            continue
        if all(
            choice.judges(path) and path in texts and path in snapshot.base.folder.files
            for path in snapshot.unlike_disk
            if concerns(choice.profile, path)
        ):
            with contextlib.suppress(Moved):  # the check itself will look once more
                spec = await session.taken_files.fitted(choice.spec, snapshot)
                session.pool.start(spec, snapshot.base.folder)
    await asyncio.sleep(0)  # one turn of the loop: their processes are there after it
