"""Branches whose edits are in the user's folder already, whatever way they came there.

A commit, the agent's own write, the user's hand: how is never asked. A branch is one of these while
its edits, fitted to the files as they lie on disk and to what editors have open of them, change no
text. Nothing is done to it: its agent can go on in it, and it is an ordinary branch again as soon
as one of its lines is another in the folder, whether it went back or the user has gone on from it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from understudy.disk.folder.scan import FolderReader
from understudy.shadow.base import Base, Buffer
from understudy.shadow.folder import Fingerprint, FolderView, Moved
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace.branches.rebase import rename_source
from understudy.workspace.tasks import Tasks

if TYPE_CHECKING:
    from understudy.shadow.branch import Branch, BranchFile
    from understudy.values.texts import PackedText
    from understudy.workspace.branches.book import BranchBook

LOOK_SECONDS = 1.0
_REST = 20
"""After a look at the disk comes at least so many times what it took of a processor."""

_YOUNG_NS = 2_000_000_000
"""A file that was written so shortly ago may be written again without another fingerprint."""

_NO_TEXT = "no text"
"""Instead of a digest, for what is on disk but cannot be read as a text."""

Documents = Callable[[Collection[str]], Iterable[Mapping[str, Buffer]]]
_Key = tuple[tuple[str | None, ...], ...]


class _Mark(NamedTuple):
    """A file's digest, and the fingerprint that it had then."""

    fingerprint: Fingerprint | None
    digest: str | None


@frozen
class _Group:
    """Files whose edits only make sense together: a renamed one by both names, else one."""

    files: Mapping[str, BranchFile]

    def key(self, theirs: Mapping[str, str | None]) -> _Key:
        """Names the texts that a merge of it is about; `theirs` are digests by path."""
        return tuple(
            (path, file.origin, _digest(file.base), _digest(file.after), theirs[path])
            for path, file in self.files.items()
        )

    def at_once(self, theirs: Mapping[str, str | None]) -> bool | None:
        """Whether these texts have its edits, by digests alone; None: they have to be merged."""
        if any(theirs[path] == _NO_TEXT for path in self.files):
            return False
        if all(theirs[path] == _digest(file.after) for path, file in self.files.items()):
            return True
        if any(theirs[path] == _digest(file.base) for path, file in self.files.items()):
            return False
        return None


@dataclass
class _Seen:
    """What is known of a branch while it has these `files`.

    `groups` are in the order in which they are looked at: first the one that told most of late.
    """

    files: Mapping[str, BranchFile]
    groups: list[_Group]
    is_there: bool | None = None


@dataclass
class _Look:
    """One look at the disk: the digests of the files, and the branches that they lack edits of.

    `to_merge` has, by branch, the groups whose texts have to be merged, with a view of the disk
    that has read them. `seconds` of a processor is what it took.
    """

    digests: dict[str, str | None] = field(default_factory=lambda: {})
    marks: dict[str, _Mark] = field(default_factory=lambda: {})
    lacking: set[str] = field(default_factory=set[str])
    to_merge: dict[str, list[tuple[_Group, FolderView]]] = field(default_factory=lambda: {})
    seconds: float = 0.0


class InFolder:
    """Looks at the files that branches touch; `has_moved` hears when branches come or go back.

    `documents` is what each editor has open of some paths.
    """

    def __init__(
        self, root: Root, tasks: Tasks, book: BranchBook, documents: Documents,
        has_moved: Callable[[], None],
    ) -> None:  # fmt: skip
        self._root = root
        self._reader = FolderReader(root)
        self._tasks = tasks
        self._book = book
        self._documents = documents
        self._has_moved = has_moved
        self._seen: dict[str, _Seen] = {}
        self._marks: Mapping[str, _Mark] = {}
        self._known: dict[_Key, bool] = {}
        self._used: dict[_Key, bool] = {}
        self._looking = asyncio.Lock()
        self._shown: frozenset[str] = frozenset()
        self._is_followed = False
        self._took = 0.0

    async def known(self, is_heard: Callable[[], bool]) -> dict[str, bool]:
        """By branch, whether it is in the folder; one that nobody has looked at yet is missing.

        While somebody hears of `has_moved`, nobody waits for a look; else it is as of now.
        """
        if not is_heard():
            await self.look()
        elif not self._is_followed:
            self._is_followed = True
            try:
                self._tasks.spawn(self._follow(is_heard), "look for edits that are in the folder")
                for seen in self._seen.values():  # that was long ago
                    seen.is_there = None
            except Refused:  # the host ends
                self._is_followed = False
        return self.now()

    def now(self) -> dict[str, bool]:
        """What the last look has found; a branch that was edited since is not in the folder."""
        found: dict[str, bool] = {}
        for branch in self._book.all():
            seen = self._seen.get(branch.id)
            if seen is not None and seen.is_there is not None:
                found[branch.id] = seen.is_there and seen.files is branch.files
        return found

    async def look(self) -> frozenset[str]:
        """The branches that are in the folder now."""
        async with self._looking:
            self._shown, branches = self._there(), self._book.all()
            self._seen = {branch.id: self._seen_as(branch) for branch in branches}
            try:
                await self._look_for(branches)
            except Exception:  # whatever it is, raised again: no older look hides a branch for ever
                for seen in self._seen.values():
                    seen.is_there = False
                raise
            finally:
                self._tell()
            return self._shown

    def _tell(self) -> None:
        if (there := self._there()) != self._shown:
            self._shown = there
            self._has_moved()

    async def _look_for(self, branches: Collection[Branch]) -> None:
        look = _Look()
        if any(branch.files for branch in branches):
            await asyncio.to_thread(self._look_at_disk, look)
        for name in look.lacking:
            self._seen[name].is_there = False
        self._tell()  # before others are merged, which may take long
        for branch in branches:
            seen = self._seen[branch.id]
            seen.is_there = await self._is_there(branch, seen, look)
        self._marks, self._took = look.marks, look.seconds
        self._known, self._used = self._used, {}

    def _there(self) -> frozenset[str]:
        """What is told of as there: one that was edited since then is not."""
        return frozenset(name for name, is_there in self.now().items() if is_there)

    def _seen_as(self, branch: Branch) -> _Seen:
        known = self._seen.get(branch.id)
        if known is not None and known.files is branch.files:
            return known
        is_there = None if known is None or known.is_there is None else False
        return _Seen(branch.files, _groups(branch.files), is_there)

    async def _follow(self, is_heard: Callable[[], bool]) -> None:
        """Look now and then while somebody hears: nobody tells of what is written to the folder."""
        try:
            while is_heard():
                await self.look()
                await asyncio.sleep(max(LOOK_SECONDS, _REST * self._took))
        finally:
            self._is_followed = False

    def _look_at_disk(self, look: _Look) -> None:
        """Read what has another fingerprint; most branches lack something at their first file."""
        start = time.thread_time()
        for name, seen in self._seen.items():
            look.marks.update(
                (path, self._marks[path]) for path in seen.files if path in self._marks
            )
            for group in tuple(seen.groups):
                theirs = {path: self._digest(path, look) for path in group.files}
                has_it = self._told(group, theirs)
                if has_it is None:
                    view = FolderView(self._reader, {})
                    for path in group.files:
                        _pin(view, path)
                    look.to_merge.setdefault(name, []).append((group, view))
                elif not has_it:
                    look.lacking.add(name)
                    seen.groups = [group, *(one for one in seen.groups if one is not group)]
                    break
        look.seconds = time.thread_time() - start

    def _digest(self, path: str, look: _Look) -> str | None:
        """The digest of a file on disk, which is read at most once a look."""
        if path in look.digests:
            return look.digests[path]
        mark = self._reader.fingerprint(path)
        known = self._marks.get(path)
        if mark is None or known is None or known.fingerprint != mark:
            view = FolderView(self._reader, {})
            _pin(view, path)
            found = _pinned(view, path)
            known = _Mark(mark, _NO_TEXT if found is None and self._is_barred(path) else found)
        if not _is_young(mark):
            look.marks[path] = known
        look.digests[path] = known.digest
        return known.digest

    def _is_barred(self, path: str) -> bool:
        """Whether what seems to be no file may be one that cannot be reached just now."""
        try:
            (self._root.path / path).stat()
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return False
        except OSError:
            return True
        return False

    def _told(self, group: _Group, theirs: Mapping[str, str | None]) -> bool | None:
        """What can be said without a merge; None: nothing."""
        has_it = group.at_once(theirs)
        if has_it is not None:
            return has_it
        key = group.key(theirs)
        if key in self._known:
            self._used[key] = self._known[key]
        return self._used.get(key)

    async def _is_there(self, branch: Branch, seen: _Seen, look: _Look) -> bool:
        if not branch.files or branch.id in look.lacking:
            return False
        for group, view in look.to_merge.get(branch.id, ()):
            if not await self._merged(branch, group, Base(view)):
                return False
        for buffers in self._documents(branch.files):
            for group in seen.groups:
                is_open = not buffers.keys().isdisjoint(group.files)
                if is_open and not await self._in_documents(branch, group, buffers, look):
                    return False
        return True

    async def _in_documents(
        self, branch: Branch, group: _Group, buffers: Mapping[str, Buffer], look: _Look
    ) -> bool:
        """The same where an editor has files open, saved or not."""
        open_ = {path: _digest(buffers[path].text) for path in group.files if path in buffers}
        has_it = self._told(group, {**look.digests, **open_})
        if has_it is not None:
            return has_it
        view = FolderView(self._reader, {})
        for path in group.files:
            if path not in open_:
                await asyncio.to_thread(_pin, view, path)
        return await self._merged(branch, group, Base(view, buffers))

    async def _merged(self, branch: Branch, group: _Group, base: Base) -> bool:
        """What a merge tells; one that takes too much is not tried again with these texts."""
        theirs = {
            path: _digest(base.buffers[path].text)
            if path in base.buffers
            else _pinned(base.folder, path)
            for path in group.files
        }
        has_it = self._told(group, theirs)
        if has_it is not None:
            return has_it
        try:
            snapshot = await self._book.fitted_snapshot(replace(branch, files=group.files), base)
            has_it = not snapshot.conflicts and not snapshot.edits
        except OutsideFailure:
            has_it = False
        except (Moved, UnderstudyError):
            return False
        self._used[group.key(theirs)] = has_it
        return has_it


def _groups(files: Mapping[str, BranchFile]) -> list[_Group]:
    grouped: dict[str, dict[str, BranchFile]] = {}
    for path, file in files.items():
        source = rename_source(files, path)
        grouped.setdefault(path if source is None else source, {})[path] = file
    return [_Group(group) for group in grouped.values()]


def _pin(view: FolderView, path: str) -> None:
    with suppress(BadInput, Moved):
        view.packed(path)


def _pinned(view: FolderView, path: str) -> str | None:
    """The digest of a text that was read; it counts as none if it could not be."""
    pinned = view.pinned().get(path)
    return _NO_TEXT if pinned is None else _digest(pinned[1])


def _digest(text: PackedText | None) -> str | None:
    return None if text is None else text.digest


def _is_young(mark: Fingerprint | None) -> bool:
    when = 0 if mark is None else mark.changed_ns or mark.mtime_ns
    return when > time.time_ns() - _YOUNG_NS
