"""What becomes of what a command changed: a patch, edits of a branch, or files of our own.

Everything is compared with what the stage began with, and merged with what the user has by now;
what neither the patch nor a branch can hold is kept as a file beside the run's output.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from understudy.app.run.question import RunQuestion
from understudy.disk.atomic import write_private
from understudy.disk.folder.scan import FolderReader
from understudy.disk.layout import make_private_folder
from understudy.disk.named_file import write_named
from understudy.edits.render_binary import BinaryContent, FileMode, any_diff
from understudy.shadow.folder import Moved
from understudy.shadow.merge import merge_texts
from understudy.shadow.snapshot import Snapshot
from understudy.stage.model import Changed, StageChange
from understudy.values.errors import BadInput, Conflict, OutsideFailure, Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.texts import Text
from understudy.workspace.branches.reports import Edited
from understudy.workspace.pinned_base import Forgotten
from understudy.workspace.runs.changes import (
    MAX_HELD,
    LeftOut,
    Patch,
    RunChanges,
    edit_of,
    run_changes,
)
from understudy.workspace.runs.stages import digest_of

PatchPlace = Path | Literal["beside"]
_COLLIDES = "the user has changed it meanwhile, in the same lines"
_UNKNOWN = "base-unknown: the user has changed it meanwhile, and its text of before is not known"


@frozen
class Adopted:
    """The branch's changed paths after an adoption, and what a branch cannot hold, with reasons.

    The branch is a new one where that of the run was edited meanwhile, or put away.
    """

    branch: str
    paths: tuple[str, ...]
    refused: tuple[LeftOut, ...]


@frozen
class Outcome:
    """What a command changed, and where it is now."""

    changes: RunChanges
    patch: Patch | None = None
    patch_file: Path | None = None
    adopted: Adopted | None = None
    failure: UnderstudyError | None = None
    """The patch could not be written where it was wanted; `patch_file` is beside the output."""

    @property
    def is_lossy(self) -> bool:
        """Whether a file of the command's is nowhere but on its stage."""
        refused = self.adopted.refused if self.adopted is not None else ()
        files = {c.path for c in self.changes.items if c.kind != "deleted" and c.type == "file"}
        return any(one.path in files and one.file is None for one in refused)

    def lines(self) -> Iterator[str]:
        """Where it is, a fact a line."""
        if self.patch is not None:
            yield f"patch: {len(self.patch.data)} bytes in {self.patch_file}"
            yield from (f"  not in it: {one}" for one in self.patch.left_out)
        if self.adopted is not None:
            yield f"adopted by branch {self.adopted.branch}: {len(self.adopted.paths)} files"
            yield from (f"  not adopted: {one}" for one in self.adopted.refused)


@frozen
class Settling:
    """A run whose command has ended: its stage, what it began with, and where its output lies.

    `earlier` are digests of what lay on the stage before, by path: what is still so does not count.
    """

    root: Root
    stage: Changed
    earlier: Mapping[str, bytes]
    question: RunQuestion
    output: Path

    async def settle(self, patch: PatchPlace | None, *, adopt: bool) -> Outcome:
        """Make what is wanted of the changes; raises OutsideFailure `stage-lost`.

        What the user alone has changed meanwhile is no change of the command's.
        """
        found = await self._new_changes()
        own = [change for change in found.items if not await self._is_users(change)]
        found = replace(found, items=tuple(own))
        # Looked at first: once it has adopted the changes, the branch has them already.
        now = await self._now() if patch is not None else None
        adopted = await self._adopt(found) if adopt else None
        if patch is None:
            return Outcome(found, adopted=adopted)
        made = await self._patch(found, now)
        beside = self.output.with_suffix(".patch")
        failure = None
        if patch != "beside":
            try:
                await asyncio.to_thread(write_named, patch, made.data, self.root.path)
                return Outcome(found, made, patch, adopted)
            except OSError as error:
                failure = cannot_write(patch, f"{error.strerror}; it is kept as {beside}")
            except Refused as refusal:  # a link that the command's own run has seen come
                failure = cannot_write(patch, f"{refusal.text}; it is kept as {beside}")
        try:
            await asyncio.to_thread(write_private, beside, made.data)
        except OSError as error:
            failure = cannot_write(beside, error.strerror)
        return Outcome(found, made, beside, adopted, failure)

    async def _new_changes(self) -> RunChanges:
        """What this run changed, without what former ones have left on a kept stage."""
        found = await run_changes(self.stage, self.root)
        earlier = self.earlier
        items = [
            change
            for change in found.items
            if change.path not in earlier
            or earlier[change.path] != await digest_of(self.stage, change.path)
        ]
        return replace(found, items=tuple(items))

    async def _is_users(self, change: StageChange) -> bool:
        """Whether the command left the file as it was, and the user has changed it."""
        if change.type == "symlink" or not self._has_moved(change.path):
            return False
        try:
            before = await asyncio.to_thread(self._before, change)
        except Moved:
            return False
        after = await self._after(change)
        return (before and before.data) == (after and after.data)

    def _has_moved(self, path: str) -> bool:
        """Whether the file on disk is not the one that the stage began with."""
        return FolderReader(self.root).fingerprint(path) != self.question.state.files.get(path)

    async def _patch(self, found: RunChanges, now: Snapshot | None) -> Patch:
        """From what the user has now, with the branch's edits, to that with the changes."""
        parts: list[bytes] = []
        left_out: list[LeftOut] = []
        held = 0
        for change in found.items:
            held += change.size
            if held > MAX_HELD:
                left_out.append(await self._kept(change, "the patch is too large"))
                continue
            try:
                parts.append(await self._diff(change, now))
            except (BadInput, Conflict) as error:
                left_out.append(await self._kept(change, error.text))
        return Patch(b"".join(parts), tuple(left_out))

    async def _now(self) -> Snapshot | None:
        """What the user has by now; None where it cannot be told: then nothing is merged."""
        try:
            return await self.question.now()
        except (Moved, BadInput):
            return None

    async def _diff(self, change: StageChange, now: Snapshot | None) -> bytes:
        """The diff of one file; raises Conflict, BadInput for what is in no patch."""
        path = change.path
        after = await self._after(change)
        if after is None and change.kind != "deleted":
            raise BadInput("unsupported", "a symbolic link", path)
        try:
            before = await asyncio.to_thread(self._before, change)
        except Moved as moved:
            raise Conflict("conflict", _UNKNOWN, path) from moved
        if self._has_moved(path) or path in self.question.snapshot.overlay:
            before, after = await self._merged(path, before, after, now)
        return await asyncio.to_thread(any_diff, before, after, path)

    async def _merged(
        self,
        path: str,
        before: BinaryContent | None,
        after: BinaryContent | None,
        now: Snapshot | None,
    ) -> tuple[BinaryContent | None, BinaryContent | None]:
        """What the user has now, and that with the command's change; raises Conflict."""
        collides = Conflict("conflict", _COLLIDES, path)
        mine = [content and Text.decode(content.data, path) for content in (before, after)]
        try:
            if now is None or path in now.conflicts:
                raise collides
            theirs = now.read(path)
        except (Moved, BadInput):
            raise collides from None
        if theirs == mine[0]:
            return before, after
        merged = merge_texts(mine[0], mine[1], theirs)
        if merged.conflicts:
            raise collides
        mode: FileMode = after.mode if after is not None else before.mode if before else "file"
        old_mode: FileMode = before.mode if before is not None else mode
        return (
            None if theirs is None else BinaryContent(theirs.encode(), old_mode),
            None if merged.text is None else BinaryContent(merged.text.encode(), mode),
        )

    async def _adopt(self, found: RunChanges) -> Adopted:
        """Make the changes edits of the branch; what it cannot hold is kept as files.

        They are made over the base of the run, so that what the user has changed since is merged
        like any other move of the base.
        """
        edits: dict[str, dict[str, Any]] = {}
        refused: dict[str, str] = {}
        book = self.question.book
        for change in found.items:
            try:
                book.root.relative(change.path)
                if change.kind == "added":
                    book.root.refuse_new(change.path, book.names)
                edit = await edit_of(self.stage, self.question.snapshot, change)
            except Forgotten:
                refused[change.path] = _UNKNOWN
            except BadInput as error:
                refused[change.path] = error.code
            else:
                edits |= {} if edit is None else {change.path: edit}
        branch, paths = await self._edit(edits, refused)
        named = {change.path: change for change in found.items}
        left = [await self._kept(named[path], why) for path, why in sorted(refused.items())]
        return Adopted(branch, paths, tuple(left))

    async def _edit(
        self, edits: dict[str, dict[str, Any]], refused: dict[str, str]
    ) -> tuple[str, tuple[str, ...]]:
        """Apply the edits, without those that the branch refuses; the branch that has them."""
        branch, stamp = self.question.branch, self.question.branch_stamp
        assert branch is not None
        while edits:
            try:
                edited = await self._apply(branch, list(edits.values()), stamp)
            except (UnderstudyError, Moved) as error:  # a full disk, too: then it is kept as files
                if isinstance(error, BadInput) and error.code in ("stale-stamp", "unknown-branch"):
                    title = f"what a run with {branch} changed"
                    branch, stamp = (await self.question.book.create(title)).id, None
                    continue
                where = error.path if isinstance(error, Moved) else error.where
                why = _UNKNOWN if isinstance(error, Moved) else f"{error.code}: {error.text}"
                for path in [where] if where in edits else [*edits]:
                    refused[str(path)] = why
                    del edits[str(path)]
            else:
                return branch, edited.changed
        return branch, ()

    async def _apply(self, branch: str, edits: list[dict[str, Any]], stamp: str | None) -> Edited:
        return await self.question.book.edit(branch, edits, self.question.base, stamp)

    async def _kept(self, change: StageChange, why: str) -> LeftOut:
        """What the command made of a file that is in no branch and no patch, as a file of ours."""
        after = await self._after(change)
        if after is None:
            return LeftOut(change.path, why)
        file = self.output.with_suffix(".kept") / change.path
        try:
            await asyncio.to_thread(_keep, file, after.data)
        except (OSError, UnderstudyError) as error:
            return LeftOut(change.path, f"{why}; and it cannot be kept: {error}")
        return LeftOut(change.path, why, file)

    async def _after(self, change: StageChange) -> BinaryContent | None:
        """What the command made of it, None where it is no file now."""
        data = None if change.kind == "deleted" else await self.stage.read(change.path)
        return None if data is None else BinaryContent(data, _mode(change.executable))

    def _before(self, change: StageChange) -> BinaryContent | None:
        """What the stage began with; raises Forgotten."""
        path, snapshot = change.path, self.question.snapshot
        mode = _mode(change.was_executable)
        if path in snapshot.overlay or path in snapshot.base.folder.pinned():
            try:
                text = snapshot.read(path)
                return None if text is None else BinaryContent(text.encode(), mode)
            except BadInput:
                pass  # no text: its bytes are read below
        if change.type == "symlink" and change.kind == "added":
            return None
        return _on_disk(self.root, self.question, path, mode)


def _on_disk(root: Root, question: RunQuestion, path: str, mode: FileMode) -> BinaryContent | None:
    """The bytes of a file that is as it was; raises Forgotten where it is not."""
    absolute = root.absolute(path)
    if absolute.is_symlink():
        return BinaryContent(bytes(absolute.readlink()), "symlink")
    reader = question.base.folder.reader
    if reader.fingerprint(path) is None:
        return None
    data = absolute.read_bytes()
    reader.fingerprint(path)  # raises where it has changed while it was read
    return BinaryContent(data, mode)


def _mode(executable: bool) -> FileMode:
    return "executable" if executable else "file"


def _keep(file: Path, data: bytes) -> None:
    make_private_folder(file.parent)
    write_private(file, data)


def cannot_write(file: Path, why: str | None) -> OutsideFailure:
    """The error of a patch that has no place."""
    return OutsideFailure("cannot-write", f"the patch cannot be written: {why}", str(file))
