"""What the verbs on branches answer. Times are s since 1970."""

from __future__ import annotations

from typing import TYPE_CHECKING

from understudy.shadow.branch import Branch
from understudy.values.frozen import frozen
from understudy.workspace.branches.rebase import PathConflict

if TYPE_CHECKING:  # a check on the command line has no journal, so it should not load SQLite
    from understudy.disk.journal.journal import Ended


@frozen
class Edited:
    """An acknowledged batch: the branch after it, and the paths it changed, sorted."""

    branch: Branch
    changed: tuple[str, ...]


@frozen
class RebaseReport:
    """What a rebase did: the branch after it, paths that were merged, and those that collide."""

    branch: Branch
    merged: tuple[str, ...]
    conflicts: tuple[PathConflict, ...]


@frozen
class BranchDiff:
    """A branch's edits as one git-style diff.

    A path in `conflicts` is shown against the text it was edited over, since it does not fit the
    user's text of now; the diff of it will not apply there.
    """

    text: str
    conflicts: tuple[str, ...]


@frozen
class BranchSummary:
    """A branch in a list; `archived` and `ended` say when and why it went out of use.

    `called` is what people are shown for it, and "" where there is nothing to say.
    """

    id: str
    title: str
    created: float
    used: float
    revision: int
    n_files: int
    archived: float | None = None
    ended: Ended | None = None
    n_asks: int = 0
    called: str = ""


@frozen
class Parted:
    """A branch that a part has left: what it is now (None: put away), and where the part went.

    `archived` is the branch in the archive that has the part; None without a journal.
    """

    branch: Branch | None
    archived: str | None
