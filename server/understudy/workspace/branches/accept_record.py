"""What an accept is about to do, in the journal before the first byte of it."""

from __future__ import annotations

from understudy.disk.folder.write import WritePlan
from understudy.disk.journal.accepts import AcceptedFile, BegunAccept
from understudy.disk.journal.journal import Journal
from understudy.values.errors import Refused
from understudy.workspace.branches.parts import Taken


class AcceptRecord:
    """The record of one accept; called by the thread that writes."""

    def __init__(self, journal: Journal, taken: Taken) -> None:
        self._journal = journal
        self._taken = taken
        self.branch = taken.branch.id
        self.has_begun = self.is_prepared = False

    def begin(self, plan: WritePlan) -> None:
        """Keep the plan, and both texts of every file in it."""
        taken = self._taken
        texts = {path: (file.user, file.taken) for path, file in taken.files.items()}
        texts |= {path: (user, None) for path, user in taken.gone.items()}
        files = tuple(AcceptedFile(step, *texts[step.path]) for step in plan.steps)
        self.has_begun = True
        try:
            self._journal.begin_accept(BegunAccept(self.branch, files, plan.folders))
        except Refused:
            self.has_begun = False  # the plan that is there is an earlier accept's, and stays
            raise

    def prepared(self) -> None:
        """Keep that every file lies prepared."""
        self.is_prepared = True
        self._journal.set_prepared(self.branch)
