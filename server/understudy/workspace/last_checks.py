"""The last checks of a session, so that somebody can ask how they judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from understudy.workspace.branches.checked import Checked

EDITS, FOLDER = "edits", "folder"
"""What was checked, where it was no branch: edits that none keeps, or the user's own text."""
_MOST = 8


class LastChecks:
    """Keeps in memory the last check of each of the last subjects: a branch's id, or a word."""

    def __init__(self) -> None:
        self._kept: dict[str, Checked] = {}

    def keep(self, subject: str, checked: Checked) -> None:
        """Keep one, in place of the subject's before; the oldest goes."""
        self._kept.pop(subject, None)
        self._kept[subject] = checked
        if len(self._kept) > _MOST:
            del self._kept[next(iter(self._kept))]

    def all(self) -> list[tuple[str, Checked]]:
        """All that are kept, the latest first."""
        return list(reversed(self._kept.items()))
