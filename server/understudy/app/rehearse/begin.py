"""What a rehearsal begins with: its branch, and every text of it that is not as on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from understudy.disk.folder.scan import FolderReader
from understudy.shadow.folder import FolderView
from understudy.values.errors import Conflict, Refused
from understudy.values.texts import PackedText
from understudy.workspace.live_base import LiveBase
from understudy.workspace.rehearsals.place import place_of
from understudy.workspace.session import Session

Texts = Mapping[str, tuple[bytes | None, bytes | None]]


async def begin(
    session: Session, live_base: LiveBase, branch: str | None, title: str
) -> tuple[str, Texts]:
    """The branch (None: a new one), and path -> the user's text, the text that the stage shows.

    Only what is open or edited is looked at, however large the folder is. What a killed rehearsal
    of the branch has left comes into it first. Raises BadInput `unknown-branch`, Refused
    `branch-in-use`, OutsideFailure `stage-left` where that cannot be read, Conflict where the
    branch does not fit the folder; Moved.
    """
    book = session.branches
    if branch is not None:
        from understudy.app.rehearse.recovery import end_left  # noqa: PLC0415 - most are new

        await book.get(branch)
        place = place_of(session.layout, branch)
        await end_left(session, place)
        if await asyncio.to_thread(place.folder.exists):
            text = "another rehearsal is at work in this branch; end it, or take another branch"
            raise Refused("branch-in-use", text, branch)
    else:
        branch = (await book.create(title)).id
    base = replace(live_base.now, folder=FolderView(FolderReader(session.root), {}))
    _, fitted = await book.fitted(branch, base)
    if fitted.conflicts:
        text = "the branch's edits collide with what the user changed; rebase it first"
        raise Conflict("conflict", text, ", ".join(sorted(fitted.conflicts)))
    snapshot = fitted.snapshot(base)
    texts = {
        path: (_bytes(base.packed(path)), _bytes(snapshot.overlay[path]))
        for path in snapshot.unlike_disk
    }
    return branch, texts


def _bytes(text: PackedText | None) -> bytes | None:
    return None if text is None else text.unpack().encode()
