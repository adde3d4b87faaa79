"""The last checks of each branch, so that whoever lists branches need not ask again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from understudy.shadow.base import Base
from understudy.shadow.branch import Branch
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput
from understudy.workspace.branches.checked import Checked
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions

MOST = 64


@dataclass(frozen=True)
class BranchVerdict:
    """A check of a branch at one revision, over one connection's base as it was."""

    revision: int
    live_base: LiveBase
    checked: Checked
    refuted: Callable[[], frozenset[object]]

    def is_of_now(self, branch: Branch) -> bool:
        """Whether neither the branch nor the user's text has changed since.

        Nor may a server have been found to answer wrong, which this check believed.
        """
        if self.refuted() - self.checked.refuted:
            return False
        then, now = self.checked.after.base, self.live_base.now
        return self.revision == branch.revision and _reads_the_same(then, now)


class BranchVerdicts:
    """Keeps them in memory, by branch; the ones that are longest unused go first."""

    def __init__(
        self, on_change: Callable[[], None], refuted: Callable[[], frozenset[object]]
    ) -> None:
        self._kept: OrderedDict[tuple[str, bool], BranchVerdict] = OrderedDict()
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
        key = before.id, options == CheckOptions(timeout_s=options.timeout_s)
        self._kept[key] = BranchVerdict(before.revision, live_base, checked, self._refuted)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
        self._on_change()

    def of(
        self, branch_id: str, live_base: LiveBase, *, whole: bool = True
    ) -> BranchVerdict | None:
        """The last check of a branch over this connection's base; not `whole`: of a part only."""
        kept = self._kept.get((branch_id, whole))
        return kept if kept is not None and kept.live_base is live_base else None


def _reads_the_same(then: Base, now: Base) -> bool:
    """Whether two bases have the same texts; a document opened as it is on disk is no change."""
    if then.generation == now.generation:
        return True
    if (
        then.folder.moved_since(now.folder.files)
        or then.folder.environment != now.folder.environment
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
