"""Which of a branch's edits are meant: all, whole files, or single hunks of a file."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Generic, TypeVar

from understudy.edits.parts import EditPart, parts_of, with_parts
from understudy.shadow.branch import Branch, BranchFile
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText
from understudy.workspace.branches.rebase import PathConflict, Rebased, rename_source, unpacked
from understudy.workspace.workers import Workers

if TYPE_CHECKING:  # a check writes nothing
    from understudy.disk.folder.write import PlanRecord

T = TypeVar("T")


@frozen
class Wanted:
    """Whole files by their paths, and hunks of others by path and id; nothing named means all."""

    paths: tuple[str, ...] = ()
    hunks: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def is_all(self) -> bool:
        """Whether no file and no hunk is named."""
        return not self.paths and not self.hunks

    def hunks_of(self, path: str, source: str | None) -> tuple[str, ...] | None:
        """The hunks that are meant of a file, by either of its names; None: all of it."""
        names = [path] if source is None else [path, source]
        if self.is_all or any(name in self.paths for name in names):
            return None
        return tuple(one for name in names for one in self.hunks.get(name, ()))


EVERYTHING = Wanted()


@frozen
class TakenFile:
    """One path of what is meant: the user's text, and that text with what is meant of the branch.

    `full` is the branch's own text, `others` the user's text with all that is not meant. `parts`
    are the hunks that are meant; empty for a whole file that is new, deleted or renamed, and where
    nobody has asked for hunks. `source` is the path that it is renamed from.
    """

    user: PackedText | None
    taken: PackedText | None
    full: PackedText | None
    others: PackedText | None
    parts: tuple[EditPart, ...]
    source: str | None = None


@frozen
class Taken:
    """What is meant of a branch at one revision, fitted to the base.

    It is empty if there are `conflicts` among what is meant. `merged` are paths that the user
    changed too. `gone` are the sources of renames.
    """

    branch: Branch
    files: Mapping[str, TakenFile]
    gone: Mapping[str, PackedText | None]
    merged: tuple[str, ...]
    conflicts: tuple[PathConflict, ...]

    def without(self, paths: Collection[str]) -> Taken:
        """The same without these files, each rename by its new name."""
        files = {path: file for path, file in self.files.items() if path not in paths}
        sources = {file.source for file in files.values()}
        gone = {path: user for path, user in self.gone.items() if path in sources}
        return replace(
            self, files=files, gone=gone, merged=tuple(p for p in self.merged if p not in paths)
        )

    @property
    def part(self) -> dict[str, BranchFile]:
        """What is meant, as the files of a branch of its own."""
        files = {
            path: BranchFile(file.user, file.taken, file.source)
            for path, file in self.files.items()
        }
        return {**files, **{path: BranchFile(user, None) for path, user in self.gone.items()}}

    @property
    def rest_after(self) -> dict[str, BranchFile]:
        """What the branch keeps of these paths once the user has what is meant."""
        files = {path: BranchFile(file.taken, file.full) for path, file in self.files.items()}
        return {**files, **{path: BranchFile(None, None) for path in self.gone}}

    @property
    def rest_without(self) -> dict[str, BranchFile]:
        """What the branch keeps of these paths once what is meant is dropped."""
        files = {path: BranchFile(file.user, file.others) for path, file in self.files.items()}
        return {**files, **{path: BranchFile(user, user) for path, user in self.gone.items()}}


@frozen
class HandOver(Generic[T]):
    """How edits leave a branch: which are wanted, which of those go, and who writes them."""

    wanted: Wanted
    chosen: Callable[[Taken], Taken]
    write: Callable[[Taken, PlanRecord | None], Awaitable[T]]


async def take(
    branch: Branch, rebased: Rebased, wanted: Wanted, workers: Workers, *, in_hunks: bool
) -> Taken:
    """What is wanted of a rebased branch; whole files are told in their hunks only if asked for.

    Raises BadInput `no-change` for a path that it does not change, `unknown-hunk`, and `whole-file`
    for single hunks of a file whose text cannot be read.
    """
    paths = _paths(rebased, wanted)
    conflicts = tuple(rebased.conflicts[path] for path in sorted(paths & rebased.conflicts.keys()))
    files: dict[str, TakenFile] = {}
    gone: dict[str, PackedText | None] = {}
    for path in () if conflicts else sorted(paths):
        source = rename_source(rebased.files, path)
        if source is not None:
            gone[source] = rebased.files[source].base
        chosen = wanted.hunks_of(path, source)
        files[path] = await _take_file(path, rebased.files[path], source, chosen, workers, in_hunks)
    merged = tuple(sorted(paths & rebased.moved.keys()))
    return Taken(branch, files, gone, merged, conflicts)


def _paths(rebased: Rebased, wanted: Wanted) -> set[str]:
    """The paths that are meant, each rename by its new one."""
    targets = {rename_source(rebased.files, path): path for path in rebased.files}
    if wanted.is_all:
        return {path for path in rebased.files if path not in targets}
    named = [*wanted.paths, *wanted.hunks]
    for path in named:
        if path not in rebased.files:
            raise BadInput("no-change", "the branch does not change this file", path)
    return {targets.get(path, path) for path in named}


async def _take_file(
    path: str,
    file: BranchFile,
    source: str | None,
    chosen: tuple[str, ...] | None,
    workers: Workers,
    in_hunks: bool,
) -> TakenFile:
    whole = TakenFile(file.base, file.after, file.after, file.base, (), source)
    if source is not None:
        if chosen is not None:
            text = "a renamed file is accepted or rejected as a whole: name its path"
            raise BadInput("whole-file", text, path)
        return whole
    if chosen is None and not in_hunks:
        return whole
    size = sum(text.size for text in (file.base, file.after) if text is not None)
    return await workers.run(_parted, path, file, chosen, size=size)


def _parted(path: str, file: BranchFile, chosen: tuple[str, ...] | None) -> TakenFile:
    before, after = unpacked(file.base), unpacked(file.after)
    parts = parts_of(before, after)
    mine = parts if chosen is None else tuple(part for part in parts if part.id in chosen)
    if chosen == ():
        raise BadInput("unknown-hunk", "name one hunk at least, or the path of the file", path)
    for name in chosen or ():
        if name not in {part.id for part in parts}:
            text = f"there is no such hunk (any more); look at the branch again: {name}"
            raise BadInput("unknown-hunk", text, path)
    if before is None or after is None or len(mine) == len(parts):
        return TakenFile(file.base, file.after, file.after, file.base, mine)
    others = tuple(part for part in parts if part not in mine)
    return TakenFile(
        file.base,
        PackedText.pack(with_parts(before, mine, after)),
        file.after,
        PackedText.pack(with_parts(before, others, after)),
        mine,
    )
