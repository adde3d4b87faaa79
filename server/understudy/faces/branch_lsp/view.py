"""What the client sees: the branch over the user's text, or the user's own text alone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure
from understudy.values.stamps import Stamp
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session

Json = dict[str, Any]


@dataclass(frozen=True)
class Sighting:
    """One snapshot of the branch, and the branch's stamp then; `deadline` is loop time."""

    snapshot: Snapshot
    stamp: Stamp
    deadline: float


class BranchView:
    """One branch of a session, as it is when it is looked at."""

    def __init__(self, session: Session, branch_id: str) -> None:
        self.session = session
        self.branch_id = branch_id

    @property
    def live_base(self) -> LiveBase:
        """What the branch is over: the text of the editor that was typed in last."""
        return self.session.bases.of_user

    async def look(self) -> Sighting:
        """The branch as it is now; raises BadInput `unknown-branch`, Moved."""
        stamp = (await self.session.branches.get(self.branch_id)).stamp
        snapshot = await self.session.branches.snapshot(
            self.branch_id, await self.live_base.fresh()
        )
        return Sighting(snapshot, stamp, time.monotonic() + self.session.settings.timeout_s)

    async def edit(self, edit: Json, since: Stamp) -> Stamp:
        """Make a workspace edit the branch's, unless it was edited `since`; its stamp then.

        Raises as `BranchBook.edit` does, and OutsideFailure `text-moved`.
        """
        if since != (await self.session.branches.get(self.branch_id)).stamp:
            text = "the branch was edited meanwhile; ask again"
            raise OutsideFailure("text-moved", text, self.branch_id)
        edits = [{"kind": "workspaceEdit", "edit": edit}]
        base = await self.live_base.fresh()
        edited = await self.session.branches.edit(self.branch_id, edits, base, since)
        return edited.branch.stamp
