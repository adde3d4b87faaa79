"""What a workspace tells while it is open."""

from __future__ import annotations

from understudy.values.frozen import frozen


@frozen
class BranchesChanged:
    """Branches were made, edited, judged or ended, by whomever."""


@frozen
class ServersChanged:
    """A language server has started, ended, or changed its state."""


@frozen
class Progress:
    """How far a question of this object is; `total` is 0 where that is not known.

    `branch` is None where it is about no branch; `verb` is what was asked.
    """

    branch: str | None
    verb: str
    message: str
    done: int
    total: int


Event = BranchesChanged | ServersChanged | Progress
