"""The last checks of each branch, so that whoever lists branches need not ask again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from understudy.shadow.base import Base
from understudy.shadow.branch import Branch
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.workspace.branches.checked import Checked
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions

MOST = 64


@frozen
class BranchVerdict:
    """A check of a branch at one revision, over one connection's base as it was.

    `live_base` is that of who asks now; with `is_anothers` it was checked over another's.
    """

    revision: int
    live_base: LiveBase
    checked: Checked
    refuted: Callable[[], frozenset[object]]
    is_anothers: bool = False

    def is_of_now(self, branch: Branch) -> bool:
        """Whether neither the branch nor the user's text has changed since.

        Nor may a server have been found to answer wrong, which this check believed.
        """
        if self.refuted() - self.checked.refuted:
            return False
        then, now = self.checked.after.base, self.live_base.now
        if self.revision != branch.revision:
            return False
        # Generations count the changes of one base: those of two say nothing of each other.
        is_one = not self.is_anothers and then.generation == now.generation
        return is_one or _reads_the_same(then, now)


class BranchVerdicts:
    """Keeps them in memory, by branch; the ones that are longest unused go first."""

    def __init__(
        self, on_change: Callable[[], None], refuted: Callable[[], frozenset[object]]
    ) -> None:
        self._kept: OrderedDict[tuple[str, bool, LiveBase], BranchVerdict] = OrderedDict()
        self._on_change = on_change
        self._refuted = refuted

    def keep(
        self, before: Branch, options: CheckOptions, live_base: LiveBase, checked: Checked
    ) -> None:
        """Keep the check of a branch as it was `before` it, apart if only a part was asked.

        A strict one is not kept: what it calls introduced is more than others do.
        """
        if options.strict:
            return
        key = before.id, options == CheckOptions(timeout_s=options.timeout_s), live_base
        self._kept[key] = BranchVerdict(before.revision, live_base, checked, self._refuted)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        self._on_change()

    def of(
        self, branch_id: str, live_base: LiveBase, *, whole: bool = True
    ) -> BranchVerdict | None:
        """The last check of a branch over this connection's base; not `whole`: of a part only."""
        return self._kept.get((branch_id, whole, live_base))

    async def of_others(self, branch_id: str, live_base: LiveBase) -> BranchVerdict | None:
        """The last whole check over another connection's base, for one that has asked for none.

        The window that asks may have been reloaded, or be a second one. It is of now only where
        both read the same texts, so the disk is looked at for that.
        """
        others = (
            kept
            for (branch, whole, _), kept in reversed(self._kept.items())
            if branch == branch_id and whole
        )
        found = next(others, None)
        if found is None:
            return None
        await live_base.fresh()
        return replace(found, live_base=live_base, is_anothers=True)


def _reads_the_same(then: Base, now: Base) -> bool:
    """Whether two bases have the same texts; a document opened as it is on disk is no change."""
    if (
        then.folder.moved_since(now.folder.files)
        or then.folder.environment != now.folder.environment
        or then.folder.links != now.folder.links
        or not then.folder.pins_hold()
    ):
        return False
    return all(
        _digest(then, path) == _digest(now, path)
        for path in then.buffers.keys() | now.buffers.keys()
    )


def _digest(base: Base, path: str) -> str | None:
    try:
        packed = base.packed(path)
    except (BadInput, Moved) as error:
        return repr(error)
    return None if packed is None else packed.digest
