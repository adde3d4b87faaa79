"""The verbs `rename` and `move_file`: what a server would edit becomes edits of a branch."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

from understudy.app.code.answer import CodePlace, CodeWish, Status, Why
from understudy.app.code.asking import CodeAsking, asking_of, params_at, why_of
from understudy.app.code.hits import HitReader, uris_of
from understudy.app.code.place import placed, text_of
from understudy.app.code.same import as_one
from understudy.app.code.users import MOST_LOOKS, MOST_OPENED, users_at
from understudy.edits.model import edits_nothing
from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp
from understudy.workspace.live_base import LiveBase
from understudy.workspace.session import Session

_LONGEST_NAME = 500
_PAUSES_S = (0.1, 0.4, 1.6)
"""Before a server is asked again that would change none of the files that import a moved one."""


@frozen
class RefactorWish:
    """What is refactored (a place, or a file's path), and its new name or path, or an action.

    Without a branch a new one takes the edits. Raises BadInput `bad-name`, `bad-params`.
    """

    target: str
    to: str | None = None
    branch: str | None = None
    server: str | None = None
    timeout_s: float | None = None

    def __post_init__(self) -> None:
        if not self.target.strip():
            raise BadInput("bad-params", "name what is meant", "target")
        if self.to is None:
            return
        if not self.to.strip() or len(self.to) > _LONGEST_NAME or not self.to.isprintable():
            raise BadInput("bad-name", "this cannot be a name", "to")

    @property
    def named(self) -> str:
        """What `to` says; raises BadInput `bad-params` where it says nothing."""
        if self.to is None:
            raise BadInput("bad-params", "say to what", "to")
        return self.to

    def question(self, name: str) -> CodeWish:
        """The question that finds its place."""
        return CodeWish(
            name, self.target, self.branch, server=self.server, timeout_s=self.timeout_s
        )


@frozen
class Refactored:
    """What became of it; `status` as in `CodeAnswer`, and `hits` the places of an ambiguous name.

    `changed` are the paths that the edits changed in the branch.
    """

    wish: RefactorWish
    status: Status
    place: CodePlace | None = None
    server: str | None = None
    branch: str | None = None
    changed: tuple[str, ...] = ()
    hits: tuple[CodePlace, ...] = ()
    nearest: tuple[str, ...] = ()
    why: Why | None = None
    notes: tuple[str, ...] = field(default=())


async def rename(session: Session, live_base: LiveBase, wish: RefactorWish) -> Refactored:
    """Rename what stands at a place, in every file.

    Raises BadInput as `ask` does, and as editing a branch does, which then is as it was.
    """
    if any(char.isspace() for char in wish.named):
        raise BadInput("bad-name", "a name has no blanks", "to")
    base = await live_base.fresh()
    snapshot, since = await seen_of(session, wish, base)
    question = wish.question("references")
    found = await placed(session, snapshot, wish.target)
    if len(found.places) > 1:
        found = await as_one(session, snapshot, question, found)
    if len(found.places) != 1:
        status = "ambiguous" if found.places else "no-such-name"
        return Refactored(wish, status, hits=found.places, nearest=found.nearest, notes=found.notes)
    (place,) = found.places
    answer = Refactored(wish, "nothing", place=place)
    asking: CodeAsking | None = None
    try:
        asking = asking_of(session, snapshot, question, place.path)
        edit = await _renaming(asking, place, wish.named)
        if edit is None and wish.named != place.name:
            raise await _refusal(asking, place, wish.named)
    except Refused:
        raise
    except OutsideFailure as failure:
        notes = () if asking is None else tuple(asking.notes)
        return replace(answer, status="unknown", why=why_of(failure), notes=notes)
    answer = replace(answer, server=asking.servers[0], notes=tuple(asking.notes))
    if edit is None:
        return answer
    title = f"rename {place.name} to {wish.to}"
    edits = [{"kind": "workspaceEdit", "edit": edit}]
    return await landed(session, base, since, answer, edits, title)


async def _refusal(asking: CodeAsking, place: CodePlace, to: str) -> OutsideFailure:
    """Why a server that answers without an edit has renamed nothing."""
    alone = replace(asking, named=False)  # what another server knows is no matter
    asked, params = "textDocument/prepareRename", params_at(asking.session, place)
    can: object = None
    with suppress(OutsideFailure):  # it does not know that question, or refuses it
        can = (await alone.ask(asked, params, place.path)).result
    text = f"it gives no edit for the name {to}" + ("" if can else ", and may rename nothing here")
    return OutsideFailure("refused", text, asking.servers[0])


async def _renaming(asking: CodeAsking, place: CodePlace, to: str) -> dict[str, Any] | None:
    """The server's edit; None if it would change nothing."""
    reader = HitReader(asking.session, asking.snapshot)
    users = await users_at(asking, place, reader)
    opened = set(users.opened)
    params = {**params_at(asking.session, place), "newName": to}
    edit: dict[str, Any] | None = None
    for _ in range(MOST_LOOKS if users.only_open else 1):
        method = "textDocument/rename"
        result = (await asking.ask(method, params, place.path, sorted(opened))).result
        edit = None if not result or edits_nothing(result) else result
        touched = {asking.session.root.relative_of_uri(uri) for uri in uris_of(edit)}
        missing = {path for path in touched if path is not None} - opened - {place.path}
        if not missing:
            break
        opened |= missing
    left = len(users.can - opened)
    if left:
        asking.notes.append(f"{left} more files may use it and were not opened")
    return edit


async def move_file(session: Session, live_base: LiveBase, wish: RefactorWish) -> Refactored:
    """Move a file, and mend what names it by its path, as far as a server knows that.

    Raises BadInput as editing a branch does (`exists`, ...), which then is as it was.
    """
    base = await live_base.fresh()
    snapshot, since = await seen_of(session, wish, base)
    path, _ = text_of(session, snapshot, wish.target)
    to = session.root.relative(wish.named)
    answer = Refactored(wish, "answered")
    edits: list[dict[str, Any]] = []
    try:
        asking = asking_of(session, snapshot, wish.question("symbols"), path)
        edit = await _moving(asking, path, to)
        answer = replace(answer, server=asking.servers[0])
        if edit is not None:
            edits = [{"kind": "workspaceEdit", "edit": edit}]
    except Refused:
        raise
    except OutsideFailure as failure:
        # The file can be moved all the same: what that breaks, the check says.
        why = why_of(failure)
        note = f"what names the file was not mended: {why.code}: {why.text}"
        answer = replace(answer, notes=(note,))
    edits.append({"kind": "rename", "path": path, "to": to})
    return await landed(session, base, since, answer, edits, f"move {path} to {to}")


async def _moving(asking: CodeAsking, path: str, to: str) -> dict[str, Any] | None:
    """What a server would edit before the move; it is asked again while that seems too little."""
    session, snapshot = asking.session, asking.snapshot
    importers = (await session.bindings.importers_of(snapshot, [path]))[path] - {path}
    root = session.root
    params = {"files": [{"oldUri": root.uri(path), "newUri": root.uri(to)}]}
    opened = [path, *sorted(importers)][:MOST_OPENED]
    for pause in (*_PAUSES_S, None):
        result = (await asking.ask("workspace/willRenameFiles", params, path, opened)).result
        if result and not edits_nothing(result):
            return result
        if not importers or pause is None:
            return None
        await asyncio.sleep(pause)  # it may still read the folder, and tells nobody when
    return None


async def seen_of(
    session: Session, wish: RefactorWish, base: Base
) -> tuple[Snapshot, Stamp | None]:
    """The branch that is named and its stamp, or the base as it is."""
    if wish.branch is None:
        return Snapshot(base), None
    branch = await session.branches.get(wish.branch)
    return await session.branches.fitted_snapshot(branch, base), branch.stamp


async def landed(
    session: Session, base: Base, since: Stamp | None, answer: Refactored,
    edits: Sequence[dict[str, Any]], title: str,
) -> Refactored:  # fmt: skip
    """The edits in the branch, or in a new one, which stays only if they change something.

    Raises BadInput `stale-stamp` where the branch was edited `since`: their places are of before.
    """
    book, branch = session.branches, answer.wish.branch
    made = None if branch is not None else (await book.create(title[:80])).id
    into = branch or made
    assert into is not None
    try:
        edited = await book.edit(into, edits, base, since)
    except BaseException:  # whatever it is: undone, and raised again
        if made is not None:
            await book.discard(made)
        raise
    if not edited.changed:
        if made is not None:
            await book.discard(made)
        return replace(answer, status="nothing")
    return replace(answer, status="answered", branch=into, changed=tuple(edited.changed))
