"""What the user asks to be changed in a branch: taken in, and found again in texts of later."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from understudy.shadow.asks import SETTLE, Ask
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch, BranchFile
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.lines import split_lines
from understudy.workspace.branches.rebase import Rebased
from understudy.workspace.pinning import pin_large


def with_wish(branch: Branch, snapshot: Snapshot, wish: Ask) -> Branch:
    """The branch with one more ask, its last, under a number that none of it has had.

    Raises BadInput `no-lines` where the text that the user looks at has no such lines.
    """
    text = snapshot.packed(wish.path)
    n_lines = 0 if text is None else len(split_lines(text.unpack().content)) + 1
    if not 0 <= wish.start < wish.end <= n_lines:
        span = f"lines {wish.start} to {wish.end}"
        raise BadInput("no-lines", f"{span} are none of {n_lines}", wish.path)
    number = branch.n_asked + 1
    seen = None if wish.path in branch.files else text
    made = replace(wish, number=number, revision=branch.revision, seen=seen)
    return replace(branch, asks=(*branch.asks, made), n_asked=number)


async def open_wishes(
    branch: Branch, rebased: Rebased, base: Base, to_settle: Collection[str]
) -> tuple[Ask, ...]:
    """What is open, with its lines in the branch over the base of now; raises Moved.

    `to_settle` are the paths whose conflict the user leaves to the agent.
    """
    reached = {ask.path for ask in branch.asks if ask.seen is not None}
    await pin_large(base, reached)
    snapshot = rebased.snapshot(base)
    unedited = {path: file for path in reached if (file := _unedited(snapshot, path)) is not None}
    asks = branch.fitted({**unedited, **rebased.files}).asks
    return tuple(ask for ask in asks if ask.text != SETTLE or ask.path in to_settle)


def _unedited(snapshot: Snapshot, path: str) -> BranchFile | None:
    """A file that the branch has no text of, as it is by now; None while it is no text."""
    try:
        text = snapshot.packed(path)
    except BadInput:
        return None
    return BranchFile(text, text)
