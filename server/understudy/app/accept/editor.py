"""The verb `accept` of an editor: the user takes a branch into the open documents, as one edit.

plan over the present buffers -> one edit for the editor -> its answer, and what its documents show
     -> what was accepted leaves the branch; a refusal because the user typed meanwhile: once more
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from understudy.app.accept.apart import set_apart
from understudy.app.accept.evidence import EditorEvidence
from understudy.app.accept.steps import AcceptPlan, FileOperations, Step, plan_of
from understudy.shadow.base import Base, Buffer
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, Conflict, Refused
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp
from understudy.workspace.branches.parts import Wanted
from understudy.workspace.branches.rebase import PathConflict
from understudy.workspace.branches.reports import Parted
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import REPEATS, time_limit
from understudy.workspace.session import Session

ANSWER_SECONDS = 30.0
"""How long an editor may take to answer, unless the request says another limit."""
SHOW_SECONDS = 5.0
"""How long its documents may take to show what it says that it has applied."""

Outcome = Literal["applied", "unconfirmed", "conflict", "refused", "unknown"]
log = logging.getLogger(__name__)


class AcceptEditor(Protocol):
    """The editor of one connection, as far as an accept needs it."""

    def refuse_unable(self, operations: FileOperations) -> None:
        """Raise Refused `no-apply-edit` if the editor cannot take such an edit."""
        ...

    def apply(self, label: str, steps: Sequence[Step]) -> asyncio.Task[str | None]:
        """Send the steps as one edit; the task gives None, or why it was not applied."""
        ...


@frozen
class AcceptWish:
    """What is accepted. `confirmed`: the user has seen which files are made, moved and removed."""

    branch: str
    wanted: Wanted
    confirmed: bool = False
    if_stamp: Stamp | None = None
    timeout_s: float | None = None


@frozen
class Accepted:
    """What became of an accept; only `applied` has changed the branch.

    `merged` are paths that the user had changed too; `unseen` are those whose new text the editor
    has not shown us: it does not tell of documents that are not open. `left` are those that run
    something and were not named, each with what it runs.
    """

    outcome: Outcome
    text: str
    paths: tuple[str, ...] = ()
    operations: FileOperations = field(default_factory=FileOperations)
    merged: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    conflicts: tuple[PathConflict, ...] = ()
    parted: Parted | None = None
    left: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(eq=False)
class PendingAccepts:
    """The edits of one connection that its editor has not answered, by the paths they touch."""

    paths: list[frozenset[str]] = field(default_factory=list[frozenset[str]])

    def refuse_overlap(self, paths: frozenset[str]) -> None:
        """Raise Conflict `accept-pending`: a second edit could be put over the first one."""
        for pending in self.paths:
            for path in sorted(pending & paths):
                text = "the editor has not answered an earlier accept of this file"
                raise Conflict("accept-pending", text, path)


async def accept_in_editor(
    session: Session,
    live_base: LiveBase,
    editor: AcceptEditor,
    pending: PendingAccepts,
    wish: AcceptWish,
) -> Accepted:
    """Give the editor what is wanted, and take it out of the branch once it is there.

    Raises BadInput as `BranchBook.taken` does, `bad-timeout`, `not-text`; Refused `no-apply-edit`,
    `unsaved-buffers`; Conflict `accept-pending`; Moved; and as `set_apart` does. Nothing is changed
    then.
    """
    left: dict[str, str] = {}
    accepted = await _accepted(session, live_base, editor, pending, wish, left)
    return replace(accepted, left=left)


async def _accepted(
    session: Session,
    live_base: LiveBase,
    editor: AcceptEditor,
    pending: PendingAccepts,
    wish: AcceptWish,
    left: dict[str, str],
) -> Accepted:
    seconds = time_limit(wish.timeout_s, ANSWER_SECONDS)
    attempt = 0
    while True:
        attempt += 1
        is_last = attempt > REPEATS
        base = await live_base.fresh()
        try:
            taken = await session.branches.taken(wish.branch, base, wish.wanted, wish.if_stamp)
        except Moved:
            if is_last:
                raise
            continue
        if taken.conflicts:
            text = "the user and the branch changed the same lines; nothing was changed"
            return Accepted("conflict", text, conflicts=taken.conflicts)
        chosen = set_apart(taken, wish.wanted, base.folder.links, left)
        plan = plan_of(chosen, base)
        if plan.operations.kinds and not wish.confirmed:
            text = "the editor writes these to disk at once: accept again with `confirmed`"
            return Accepted("unconfirmed", text, tuple(sorted(plan.expected)), plan.operations)
        editor.refuse_unable(plan.operations)
        _refuse_open_elsewhere(session, live_base, plan.operations)
        pending.refuse_overlap(frozenset(plan.expected))
        if not _typed_since(base, live_base, plan) or is_last:
            accepted = await _Attempt(session, live_base, pending, plan, base).send(editor, seconds)
            if accepted.outcome != "refused" or is_last or not _typed_since(base, live_base, plan):
                return accepted


@dataclass
class _Attempt:
    """One edit that is sent to the editor."""

    session: Session
    live_base: LiveBase
    pending: PendingAccepts
    plan: AcceptPlan
    base: Base
    accepted: Accepted | None = None
    settling: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def send(self, editor: AcceptEditor, seconds: float) -> Accepted:
        """Send it and wait for the answer; a later one is still heeded."""
        if not self.plan.steps:
            return await self._settled("the user has all of it already")
        branch = self.plan.taken.branch
        label = f"Understudy: accept {branch.id}" + (f" ({branch.title})" if branch.title else "")
        evidence = EditorEvidence(self.plan, self.base, self.live_base)
        paths = frozenset(self.plan.expected)
        self.pending.paths.append(paths)
        evidence.open()
        answering = editor.apply(label, self.plan.steps)
        concluding = self.session.tasks.spawn(
            self._conclude(answering, evidence, paths), f"accept {branch.id}"
        )
        await asyncio.wait([answering], timeout=seconds)
        if answering.done():
            return await asyncio.shield(concluding)
        if evidence.is_proof:
            return await self._settled("the editor has not answered, but shows all of it")
        text = f"the editor has not answered within {seconds:g} s: it may apply the edit later"
        return self._unknown(text, evidence)

    async def _conclude(
        self, answering: asyncio.Task[str | None], evidence: EditorEvidence, paths: frozenset[str]
    ) -> Accepted:
        """What the answer means, whenever it comes."""
        try:
            refusal = await answering
            if self.accepted is not None:
                return self.accepted
            if refusal is None and await evidence.wait(SHOW_SECONDS):
                return await self._settled("", evidence.unseen)
            if refusal is None:
                text = "the editor says that it has applied the edit, but does not show it"
                return self._unknown(text, evidence)
            if evidence.seen:
                return self._unknown(f"applied only in part: {refusal}", evidence)
            return Accepted("refused", refusal, tuple(sorted(paths)))
        finally:
            evidence.close()
            self.pending.paths.remove(paths)

    async def _settled(self, text: str, unseen: frozenset[str] = frozenset()) -> Accepted:
        async with self.settling:  # the answer may come in the midst of it
            if self.accepted is None:
                self.accepted = await self._settle(text, unseen)
            return self.accepted

    async def _settle(self, text: str, unseen: frozenset[str]) -> Accepted:
        taken, branches = self.plan.taken, self.session.branches
        parted = None
        try:
            parted = await branches.settle(taken)
            left = parted.branch
            if left is not None and left.revision != taken.branch.revision + 1:
                # It was edited meanwhile: fit it to what the user has by now.
                report = await branches.rebase(left.id, await self.live_base.fresh())
                parted = replace(parted, branch=report.branch)
        except (BadInput, Moved) as error:  # put away meanwhile: the user has the text all the same
            log.warning("the accepted branch %s was not settled: %s", taken.branch.id, error)
        return Accepted(
            "applied", text, tuple(sorted(taken.part)), self.plan.operations,
            taken.merged, tuple(sorted(unseen)), parted=parted,
        )  # fmt: skip

    def _unknown(self, text: str, evidence: EditorEvidence) -> Accepted:
        """Not known; the branch stays as it is, and its next rebase finds what was applied."""
        seen = ", ".join(sorted(evidence.seen))
        shown = f"; these documents show it: {seen}" if seen else "; no open document shows it"
        return Accepted(
            "unknown", text + shown, tuple(sorted(self.plan.expected)), self.plan.operations,
            self.plan.taken.merged, tuple(sorted(evidence.unseen)),
        )  # fmt: skip


def _typed_since(base: Base, live_base: LiveBase, plan: AcceptPlan) -> bool:
    """Whether a document of the plan was opened, changed or closed since."""
    now = live_base.now.buffers
    return any(_digest(base.buffers.get(path)) != _digest(now.get(path)) for path in plan.expected)


def _digest(buffer: Buffer | None) -> str | None:
    return None if buffer is None else buffer.text.digest


def _refuse_open_elsewhere(
    session: Session, live_base: LiveBase, operations: FileOperations
) -> None:
    """Writing below another window's unsaved text would set it against the disk's."""
    for path in sorted(session.bases.elsewhere(live_base) & operations.written_over):
        raise Refused("unsaved-buffers", "another window has unsaved text of this file", path)
