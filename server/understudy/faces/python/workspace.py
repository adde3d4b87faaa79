"""The synchronous Python API: the asynchronous one, on an event loop in a thread of its own.

Calls of several threads run at the same time. An interrupt cancels what is asked, and waits until
it has ended.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import TracebackType

from understudy.faces.python.async_branch import AsyncBranch
from understudy.faces.python.async_workspace import AsyncWorkspace, Opening
from understudy.faces.python.branch_verbs import BranchVerbs
from understudy.faces.python.context_verbs import Context, Terminals
from understudy.faces.python.events import Event
from understudy.faces.python.loop_thread import LoopThread
from understudy.faces.python.workspace_verbs import WorkspaceVerbs


class Branch(BranchVerbs):
    """Edits that are kept beside the user's files: a handle on one branch.

    Leaving `with` closes the handle and keeps the branch; `discard` ends the branch. Every method
    raises BadInput `unknown-branch` where it was ended elsewhere, and `closed`, `branch-ended`
    where the handle was.
    """

    def __repr__(self) -> str:
        """Its id and title."""
        return repr(self._async).replace("Async", "", 1)

    def __enter__(self) -> Branch:
        """The handle itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the handle."""
        self.close()

    def close(self) -> None:
        """Use the handle no more; the branch is kept."""
        self._async.close()

    def fork(self, title: str | None = None) -> Branch:
        """Make another branch with the edits that this one has now."""
        return Branch(self._loop.run(self._async.fork(title)), self._loop)


class Workspace(WorkspaceVerbs):
    """A folder of the user's, and all that may be asked of it.

    Where an editor or another program has the folder open, this attaches to its host, and sees the
    user's unsaved text; else this process is the host until the object is closed. It may be used
    from several threads at the same time, and where an event loop runs.

    `trust` lets what lies in the folder be executed (its interpreter, its tools, commands of `run`)
    for this object alone; without it, the folder must be one that the user trusts.
    """

    def __init__(self, folder: str | os.PathLike[str] = ".", *, trust: bool = False) -> None:
        """Raise BadInput where there is no such folder; no host is asked yet."""
        verbs = AsyncWorkspace(folder, trust=trust)
        super().__init__(verbs, LoopThread(verbs.refuse_unusable, verbs.close))
        self.context = Context(verbs.context, self._loop)
        self.terminals = Terminals(verbs.terminals, self._loop)

    def __enter__(self) -> Workspace:
        """Come to the folder's host, or become it.

        Raises Refused `host-untrusted`, `host-version`, `other-terms`, `host-running`.
        """
        try:
            self._loop.run(self._async.__aenter__())
        except BaseException:  # whatever it is: undone, and raised again
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def close(self) -> None:
        """Leave the host, or end it with its servers; branches are kept."""
        self._loop.end()

    def branch(self, title: str = "") -> Branch:
        """Make a branch over the user's text as it is now; raises BadInput `bad-title`."""
        return self._opened(self._async.branch(title))

    def open(self, branch: str) -> Branch:
        """Take up a kept branch by its id, whoever made it; an expired one comes back.

        Raises BadInput `unknown-branch`, which says whether it was accepted or discarded.
        """
        return self._opened(self._async.open(branch))

    def reopen(self, branch: str) -> Branch:
        """Bring a branch back from the archive; raises BadInput `unknown-branch`."""
        return Branch(self._loop.run(self._async.reopen(branch)), self._loop)

    def events(self) -> Iterator[Event]:
        """What happens from now on, until the object is closed.

        Raises OutsideFailure `host-ended` where a host of another process ends.
        """
        self._async.refuse_unusable()
        events = self._async.events()
        with self._loop.ending(events):
            while (event := self._loop.run_until_end(anext(events, None))) is not None:
                yield event

    def _opened(self, opening: Opening[AsyncBranch]) -> Branch:
        async def opened() -> AsyncBranch:
            return await opening

        return Branch(self._loop.run(opened()), self._loop)
