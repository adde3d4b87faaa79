"""The verb that takes what a person types in a branch's file: it becomes the branch's, merged.

A client's text and the branch's move at the same time, as agents edit the branch meanwhile. What
both had last decides what either has changed since.
"""

from __future__ import annotations

from typing import Any

from understudy.shadow.folder import Moved
from understudy.shadow.merge import merge_texts
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.positions import LineIndex
from understudy.values.stamps import Stamp
from understudy.values.texts import Text
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import REPEATS
from understudy.workspace.session import Session


@frozen
class Landed:
    """The branch's text of a file after typing was taken (None: it has no such file).

    `collided`: both sides have changed the same lines, or the file is gone; nothing was taken.
    `stamp` is the branch's.
    """

    text: str | None
    stamp: Stamp
    collided: bool = False


async def take_typed(
    session: Session, branch_id: str, live_base: LiveBase, path: str, seen: str, typed: str
) -> Landed:
    """Have a branch take what was typed since `seen`, the text that it and the client both had.

    Texts are as JSON has them: what is no UTF-8 is U+FFFD, and stays as it is where nobody types.
    Raises BadInput `unknown-branch` and as edits do, Conflict, OutsideFailure `base-moved`.
    """
    for _ in range(REPEATS + 1):
        try:
            landed = await _take(session, branch_id, live_base, path, seen, typed)
        except Moved:
            continue
        if landed is not None:
            return landed
    raise OutsideFailure("base-moved", "the file changes faster than typing can be taken", path)


async def _take(
    session: Session, branch_id: str, live_base: LiveBase, path: str, seen: str, typed: str
) -> Landed | None:
    """None where the branch was edited meanwhile."""
    branch = await session.branches.get(branch_id)
    base = await live_base.fresh()
    text = (await session.branches.snapshot(branch_id, base)).read(path)
    now = None if text is None else text.sendable
    if typed in (seen, now):
        return Landed(now, branch.stamp)
    if now is None:
        if seen:
            return Landed(None, branch.stamp, collided=True)
        edit: dict[str, Any] = {"kind": "write", "path": path, "text": typed}
        wanted = typed
    else:
        merged = merge_texts(Text(seen), Text(typed), Text(now)).text
        if merged is None:
            return Landed(now, branch.stamp, collided=True)
        wanted = merged.content
        if wanted == now:
            return Landed(now, branch.stamp)
        change = {session.root.uri(path): [changed_span(now, wanted)]}
        edit = {"kind": "workspaceEdit", "edit": {"changes": change}}
    try:
        edited = await session.branches.edit(branch_id, [edit], base, branch.stamp)
    except BadInput as error:
        if error.code == "stale-stamp":
            return None
        raise
    return Landed(wanted, edited.branch.stamp)


def changed_span(before: str, after: str) -> dict[str, Any]:
    """The smallest text edit (LSP, UTF-16) that makes one text of the other."""
    shorter = min(len(before), len(after))
    head = _common(before, after, shorter)
    tail = _common(before[::-1], after[::-1], shorter - head)
    while head and before[head - 1] == "\r":  # a place between the halves of a line end is none
        head -= 1
    while tail and before[-tail] == "\n" and before[-tail - 1 : -tail] == "\r":
        tail -= 1
    index = LineIndex(before)
    return {
        "range": {"start": _place(index, head), "end": _place(index, len(before) - tail)},
        "newText": after[head : len(after) - tail],
    }


def _common(one: str, other: str, most: int) -> int:
    """How many characters two texts begin with in common, at most so many."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _place(index: LineIndex, offset: int) -> dict[str, int]:
    position = index.position(offset)
    return {"line": position.line, "character": index.character(position)}
