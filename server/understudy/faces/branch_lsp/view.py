"""What the client sees: the branch over the user's text, or the user's own text alone."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from understudy.faces.branch_lsp.wish import Wish
from understudy.langserver.json_values import fields_of, items_of
from understudy.shadow.base import Buffer
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp
from understudy.values.texts import PackedText, Text
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session

Json = dict[str, Any]


@frozen
class Sighting:
    """One snapshot, and who is asked about it: `only` these servers (none: all of a file).

    `stamp` is the branch's (None: it is the user's own text); `deadline` is loop time.
    """

    snapshot: Snapshot
    stamp: Stamp | None
    deadline: float
    only: tuple[str, ...] = ()


class BranchView:
    """One branch of a session as it is when it is looked at; `close` it at the end.

    A client that shares has documents of the user's, too: its buffers are a base of their own then.
    One that is inside has its buffers over the branch, whose text is that of its files: what it
    saves there becomes the branch's, and nothing else does.
    """

    def __init__(self, session: Session, wish: Wish) -> None:
        self.session = session
        self.branch_id = wish.branch
        self._through = wish.through
        self._is_inside = wish.is_inside
        self._of_agent = wish.of_agent
        self._own = session.bases.open() if wish.shares and not wish.is_inside else None
        self._buffers: dict[str, PackedText] = {}
        self._touched: frozenset[str] = frozenset()

    @property
    def live_base(self) -> LiveBase:
        """What the branch is over: this client's own documents, or the text that was typed last."""
        return self._own or self.session.bases.of_user

    @property
    def decides(self) -> bool:
        """Whether the client may say what becomes of the branch's changes: a user's alone may."""
        return not (self._is_inside or self._of_agent)

    def refuse_deciding(self, command: str) -> None:
        """Raise Refused `not-in-a-rehearsal` or `not-for-agents` for a client that may not."""
        if self._is_inside:
            raise Refused(
                "not-in-a-rehearsal", "from inside a branch nobody may ask for this", command
            )
        if self._of_agent:
            text = f"{self._of_agent}; only the user's editor or command line may"
            raise Refused("not-for-agents", text, command)

    def close(self) -> None:
        """The client has gone, and its documents with it."""
        if self._own is not None:
            self.session.bases.close(self._own)

    def path_of(self, uri: str) -> str | None:
        """The path of a document in the folder; None for one elsewhere, and behind links there."""
        path = self.session.root.relative_of_uri(uri)
        try:
            return None if path is None else self.session.root.relative(path)
        except BadInput:
            return None

    def is_own(self, path: str) -> bool:
        """Whether a file that is opened now is the client's own: the branch has no edit in it."""
        return self._is_inside or (self._own is not None and path not in self._touched)

    def show_own(self, path: str, text: str | None, language: str, version: int) -> None:
        """The client has a document of its own open with this text, or (None) no more."""
        base = self.live_base
        if self._is_inside:
            if text is None:
                self._buffers.pop(path, None)
            else:
                self._buffers[path] = PackedText.hold(Text(text, *base.form_on_disk(path)))
        elif text is None:
            base.set_buffer(path, None)
        else:
            packed = PackedText.hold(Text(text, *base.form_on_disk(path)))
            base.set_buffer(path, Buffer(packed, language, version))

    def text_on_disk(self, path: str) -> str | None:
        """The user's file as it is now; None where there is no such text."""
        try:
            data = self.live_base.now.folder.reader.read(path)
            return None if data is None else Text.decode(data, path).sendable
        except BadInput:
            return None

    def has_written(self, path: str, text: str) -> bool:
        """Whether a file of the user's has the text that the branch has given it."""
        return not self._is_inside and path in self._touched and self.text_on_disk(path) == text

    def of_user(self, edit: Json) -> Json:
        """A workspace edit of the user's own files; raises Refused `of-the-branch` for others.

        The branch has another text of those than the edit was made for.
        """
        if self._is_inside:
            return edit
        named = [str(uri) for uri in fields_of(edit.get("changes"))]
        for change in items_of(edit.get("documentChanges")):
            document = fields_of(fields_of(change).get("textDocument"))
            named += [str(one["uri"]) for one in (document, change) if "uri" in one]
            named += [str(change[key]) for key in ("oldUri", "newUri") if key in change]
        for path in filter(None, map(self.path_of, named)):
            if path in self._touched:
                text = "the branch has edits in this file: ask for it there"
                raise Refused("of-the-branch", text, path)
        return edit

    async def stamp(self) -> Stamp:
        """The branch's stamp now; raises BadInput `unknown-branch`."""
        branch = await self.session.branches.get(self.branch_id)
        self._touched = frozenset(branch.files)
        return branch.stamp

    async def look(self, *, own: bool = False) -> Sighting:
        """The branch, or the user's `own` text, as it is now.

        Raises BadInput `unknown-branch`, Moved.
        """
        deadline = time.monotonic() + self.session.settings.timeout_s
        stamp = await self.stamp()
        base = await self.live_base.fresh()
        if own and self._is_inside:
            branch = await self.session.branches.snapshot(self.branch_id, base)
            over = {base.folder.links.real(path): text for path, text in self._buffers.items()}
            return Sighting(replace(branch, edits={**branch.edits, **over}), None, deadline)
        if own:
            return Sighting(Snapshot(base), None, deadline, self._through)
        snapshot = await self.session.branches.snapshot(self.branch_id, base)
        return Sighting(snapshot, stamp, deadline)

    async def edit(self, edit: Json, since: Stamp) -> Stamp:
        """Make a workspace edit the branch's, unless it was edited `since`; its stamp then.

        Raises as `BranchBook.edit` does, and OutsideFailure `text-moved`.
        """
        if since != await self.stamp():
            text = "the branch was edited meanwhile; ask again"
            raise OutsideFailure("text-moved", text, self.branch_id)
        edits = [{"kind": "workspaceEdit", "edit": edit}]
        base = await self.live_base.fresh()
        edited = await self.session.branches.edit(self.branch_id, edits, base, since)
        return edited.branch.stamp
