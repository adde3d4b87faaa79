"""The sides of a comparison: the base, a branch, a checkpoint."""

from __future__ import annotations

from dataclasses import replace

from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.checked import SnapshotSource
from understudy.workspace.checkpoints import Checkpoint
from understudy.workspace.pinned_base import Forgotten


@frozen
class ComparedSides:
    """What a question compares; `revision` is a git revision in words, where that is one side.

    `from_base` says that the side before is the user's text as it is.
    """

    before: SnapshotSource
    after: SnapshotSource
    revision: str | None
    from_base: bool


async def base_side(base: Base) -> Snapshot:
    """The user's text as it is now."""
    return Snapshot(base)


def branch_side(book: BranchBook, branch_id: str) -> SnapshotSource:
    """A branch over the base as it is now."""

    async def side(base: Base) -> Snapshot:
        return await book.snapshot(branch_id, base)

    return side


def checkpoint_side(checkpoint: Checkpoint) -> SnapshotSource:
    """The user's text as it was at a checkpoint, laid over the folder as servers find it now."""

    async def side(base: Base) -> Snapshot:
        then = checkpoint.base
        moved = then.folder.moved_since(base.folder.files)
        edits: dict[str, PackedText | None] = {}
        forgotten: set[str] = set()
        for path in moved | then.buffers.keys():
            try:
                edits[base.folder.links.real_place(path)] = then.packed(path)
            except (Forgotten, BadInput):  # the latter: it was no text then
                forgotten.add(path)
        bare = replace(base, buffers={})
        return Snapshot(bare, edits, forgotten=frozenset(forgotten))

    return side
