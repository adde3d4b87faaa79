"""What a batch of edits is applied to: a branch's files over the base, here or in a worker."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from understudy.edits.batch import apply_edits
from understudy.edits.model import DiffEdit, Edit, Rename, WorkspaceEdit
from understudy.shadow.base import Base
from understudy.shadow.branch import BranchFile
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.names import NameRule
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text
from understudy.workspace.branches.rebase import Rebased
from understudy.workspace.pinning import is_large, pin_large
from understudy.workspace.workers import Workers

_DIFF_NAME = re.compile(r"^(?:---|\+\+\+|\*\*\* \w+ File:) (?:[ab]/)?([^\t\r\n]+)", re.MULTILINE)


@frozen
class PackedChange:
    """What a batch makes of one path, at rest; as `edits.draft.Change`."""

    after: PackedText | None
    origin: str | None


class Unread(Exception):
    """A file is needed that is not at hand here; the caller reads it and applies again."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass
class SeenTree:
    """A tree of texts read before; it can travel to a worker. Raises Unread for other paths."""

    root: Root
    names: NameRule
    seen: dict[str, PackedText | None] = field(default_factory=lambda: {})

    def read(self, path: str) -> Text | None:
        """The text at a normalised path, None if there is no file."""
        try:
            packed = self.seen[path]
        except KeyError:
            raise Unread(path) from None
        return None if packed is None else packed.unpack()

    def normalise(self, path: str) -> str:
        """The path as we write it; raises BadInput for one that leaves the root."""
        return self.root.relative(path)

    def refuse_new(self, path: str) -> None:
        """Raise BadInput `reserved-name` for what some system takes for another file."""
        self.root.refuse_new(path, self.names)

    def path_of_uri(self, uri: str) -> str | None:
        """The root-relative path of a URI, None if it is not inside the root."""
        return self.root.relative_of_uri(uri)


class BranchTree(SeenTree):
    """A branch over the base as it is now, read as needed; `touched` are the paths that were read.

    Reading a path where the branch no longer fits the base raises Conflict.
    """

    def __init__(
        self, root: Root, names: NameRule, rebased: Rebased, base: Base, inline_below: int
    ) -> None:
        super().__init__(root, names)
        self._rebased = rebased
        self._base = base
        self._room = inline_below

    def read(self, path: str) -> Text | None:
        """The text at a normalised path; raises Unread where it takes more than is done inline."""
        if path not in self.seen:
            if is_large(self._base, path):
                raise Unread(path)
            self.look(path)
        if self._room < 0:
            raise Unread(path)
        return super().read(path)

    def look(self, path: str) -> None:
        """Take a path's text into `seen`; raises as the base does, and Conflict."""
        conflict = self._rebased.conflicts.get(path)
        if conflict is not None:
            raise conflict.error()
        file = self._rebased.files.get(path)
        packed = file.after if file is not None else self._base.packed(path)
        if packed is None and file is None:
            _refuse_odd(self.root, path)
        self.seen[path] = packed
        self._room -= 0 if packed is None else packed.size

    async def look_ahead(self, path: str) -> None:
        """Take a file's text into `seen` if it fits; who reads it gets the errors."""
        known = path in self._rebased.files or path in self._base.folder.files
        with suppress(BadInput):
            if path not in self._rebased.conflicts and (known or self.normalise(path) == path):
                await self.look_large(path)

    def is_file(self, path: str) -> bool:
        """Whether the base has a file at a path that the branch does not touch."""
        base = self._base
        return path in base.buffers or base.folder.reader.fingerprint(path) is not None

    async def look_large(self, path: str) -> None:
        """As `look`, without reading a big file on the event loop."""
        await pin_large(self._base, [path])
        if path not in self.seen:
            self.look(path)


async def apply_to_branch(
    edits: tuple[Edit, ...], size: int, tree: BranchTree, workers: Workers
) -> Mapping[str, PackedChange]:
    """Apply a batch of `size` characters; big texts are worked on in another process.

    Raises what `apply_edits` raises, and what the tree's reading does.
    """
    if size < workers.inline_below:
        try:
            return await workers.run(apply_packed, edits, tree, size=size)
        except Unread as unread:
            await tree.look_large(unread.path)
    for path in sorted(_named(edits)):
        await tree.look_ahead(path)
    while True:
        seen = SeenTree(tree.root, tree.names, tree.seen)
        try:
            return await workers.run(apply_packed, edits, seen, size=workers.inline_below)
        except Unread as unread:
            await tree.look_large(unread.path)


def apply_packed(edits: tuple[Edit, ...], tree: SeenTree) -> Mapping[str, PackedChange]:
    """Apply a batch to a tree and pack what comes out."""
    return {
        path: PackedChange(
            None if change.after is None else PackedText.pack(change.after), change.origin
        )
        for path, change in apply_edits(edits, tree).items()
    }


def changed_files(
    changes: Mapping[str, PackedChange], rebased: Rebased, tree: BranchTree
) -> dict[str, BranchFile]:
    """The branch's files after a batch: those it changed, and what moves with them."""
    _refuse_files_as_folders(changes, rebased, tree)
    files = {
        member: rebased.files[member] for path in changes for member in rebased.moved.get(path, ())
    }
    for path, change in changes.items():
        known = rebased.files.get(path)
        origin = _origin_in_base(rebased.files, change.origin)
        if change.origin is None and known is not None and known.after is not None:
            origin = known.origin
        base = known.base if known is not None else tree.seen[path]
        files[path] = BranchFile(base, change.after, None if origin == path else origin)
    return files


def _refuse_files_as_folders(
    changes: Mapping[str, PackedChange], rebased: Rebased, tree: BranchTree
) -> None:
    """Raise BadInput `not-a-folder` for a new file below a path that stays a file."""
    for path, change in changes.items():
        if change.after is None:
            continue
        for end in (index for index, char in enumerate(path) if char == "/"):
            parent = path[:end]
            now = changes.get(parent) or rebased.files.get(parent)
            stays = now.after is not None if now is not None else tree.is_file(parent)
            if stays:
                raise BadInput("not-a-folder", f"{parent} is a file, nothing can lie in it", path)


def _origin_in_base(files: Mapping[str, BranchFile], origin: str | None) -> str | None:
    """The base's path that a rename goes back to, None if the branch itself made the file."""
    known = files.get(origin) if origin is not None else None
    if known is None:
        return origin
    if known.origin is not None:
        return known.origin
    return origin if known.base is not None else None


def _named(edits: tuple[Edit, ...]) -> set[str]:
    """Names that look like the paths of a batch: a guess, so that they are read ahead at once."""
    names: set[str] = set()
    for edit in edits:
        if isinstance(edit, DiffEdit):
            names.update(_DIFF_NAME.findall(edit.text))
        elif not isinstance(edit, WorkspaceEdit):
            names.add(edit.path)
            if isinstance(edit, Rename):
                names.add(edit.to)
    return names


def _refuse_odd(root: Root, path: str) -> None:
    """Refuse a folder, pipe or device: no text, and nothing that a text may take the place of."""
    try:
        mode = root.absolute(path).stat().st_mode
    except (OSError, ValueError):
        return  # there is nothing of that name
    if stat.S_ISDIR(mode):
        raise BadInput("is-folder", "a folder, not a file", path)
    if not stat.S_ISREG(mode):
        raise BadInput("not-a-file", "a pipe, socket or device, not a file", path)
