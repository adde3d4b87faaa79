"""A branch over a base that has moved: three-way merges path by path, conflicts kept apart."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from understudy.edits.draft import sound
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch, BranchFile
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, Conflict
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText, Text
from understudy.workspace.pinning import pin_large
from understudy.workspace.workers import Workers

if TYPE_CHECKING:
    from understudy.shadow.merge import ConflictRegion

MERGES_KEPT_BYTES = 24 * 1024 * 1024
"""Results of merges that are remembered, at rest, so that asking again does not merge again."""


@frozen
class PathConflict:
    """A path where the branch no longer fits the base: all three texts and why.

    `regions` are the lines that both sides changed; empty where whole files collide.
    """

    path: str
    base: PackedText | None
    ours: PackedText | None
    theirs: PackedText | None
    regions: tuple[ConflictRegion, ...]
    reason: str
    source: str | None = None
    """The path that the branch renamed to this one."""

    @property
    def is_in_lines(self) -> bool:
        """Whether only lines of a file collide: both have it, by this name, and in one encoding."""
        if self.ours is None or self.theirs is None or self.source is not None:
            return False
        base, ours, theirs = self.base and self.base.form, self.ours.form, self.theirs.form
        return bool(self.regions) and (ours == theirs or base in (ours, theirs))

    @property
    def seen(self) -> str:
        """What names both sides as they are: another one where either has changed."""
        sides = (None if text is None else text.digest for text in (self.ours, self.theirs))
        return hashlib.sha256(repr(tuple(sides)).encode()).hexdigest()[:16]

    def error(self) -> Conflict:
        """This conflict as the error of a verb that cannot go on with it."""
        return Conflict(
            "conflict", f"{self.reason}; rebase the branch to see both sides", self.path
        )


@frozen
class Rebased:
    """A branch's files over the base as it is now; conflicting ones are as the branch has them.

    `moved` maps each path that was merged to the paths that move with it (itself and, for a rename,
    the other half).
    """

    files: Mapping[str, BranchFile]
    moved: Mapping[str, tuple[str, ...]]
    conflicts: Mapping[str, PathConflict]

    def snapshot(self, base: Base) -> Snapshot:
        """The branch's files over the base that they were fitted to, by their real paths.

        One that is edited by two of its paths to different texts is a conflict.
        """
        links = base.folder.links
        edits: dict[str, PackedText | None] = {}
        conflicts = {links.real_place(path) for path in self.conflicts}
        for path, file in self.files.items():
            if same(file.base, file.after):
                continue
            place = links.real_place(path) if file.after is None else links.real(path)
            if place in edits and not same(edits[place], file.after):
                conflicts.add(place)
            edits[place] = file.after
        sources = {path: rename_source(self.files, path) for path in self.files}
        origins = {links.real(path): links.real(src) for path, src in sources.items() if src}
        return Snapshot(
            base, MappingProxyType(edits), MappingProxyType(origins), frozenset(conflicts)
        )


@frozen
class PackedMerge:
    """A merge's result at rest: `text` (None: deleted), or conflicts."""

    text: PackedText | None
    conflicts: tuple[ConflictRegion, ...]

    @property
    def n_bytes(self) -> int:
        """About how much memory it takes."""
        lines = [
            line
            for region in self.conflicts
            for side in (region.base_lines, region.ours_lines, region.theirs_lines)
            for line in side or ()
        ]
        return sum(map(len, lines)) + (0 if self.text is None else len(self.text.stored))


class Rebaser:
    """Merges branches onto bases and remembers the results."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._merges: OrderedDict[tuple[str | None, ...], PackedMerge] = OrderedDict()
        self._n_bytes = 0

    async def rebase(self, branch: Branch, base: Base) -> Rebased:
        """Fit every file of the branch to the base. Raises Moved as reading the base does."""
        work = _Work(branch)
        await pin_large(base, branch.files)
        for path, file in branch.files.items():
            source = rename_source(branch.files, path)
            if source is not None:
                await self._rebase_rename(work, base, path, source)
            elif path not in work.sources:
                await self._rebase_file(work, base, path, file)
        return Rebased(work.files, work.moved, work.conflicts)

    async def _rebase_file(self, work: _Work, base: Base, path: str, file: BranchFile) -> None:
        try:
            theirs = base.packed(path)
        except BadInput as error:
            work.conflict(path, file.base, None, f"the user's file cannot be read: {error.text}")
            return
        if same(theirs, file.base):
            return
        merged = await self._merge(file.base, file.after, theirs)
        if merged.conflicts:
            reason = "the user and the branch changed the same lines"
            work.conflict(path, file.base, theirs, reason, merged.conflicts)
        else:
            work.files[path] = BranchFile(theirs, merged.text, file.origin)
            work.moved[path] = (path,)

    async def _rebase_rename(self, work: _Work, base: Base, path: str, source: str) -> None:
        """Merge what the user did to a renamed file into the file under its new name."""
        old, new = work.files[source], work.files[path]
        try:
            theirs_old, theirs_new = base.packed(source), base.packed(path)
        except BadInput as error:
            work.conflict(path, old.base, None, f"the user's file cannot be read: {error.text}")
            return
        if same(theirs_old, old.base) and same(theirs_new, new.base):
            return
        done_by_user = theirs_old is None and same(theirs_new, new.after)
        if not done_by_user and theirs_new is not None and not same(theirs_new, new.base):
            work.conflict(path, new.base, theirs_new, "the user has made a file of that name")
            return
        if not done_by_user and theirs_old is None:
            work.conflict(path, old.base, None, f"the user has deleted or renamed {source}")
            return
        after = new.after
        if not done_by_user and not same(theirs_old, old.base):
            merged = await self._merge(old.base, new.after, theirs_old)
            if merged.conflicts:
                reason = f"the user changed {source} where the branch did"
                work.conflict(path, old.base, theirs_old, reason, merged.conflicts)
                return
            after = merged.text
        work.files[source] = BranchFile(theirs_old, None)
        origin = None if done_by_user else new.origin
        work.files[path] = BranchFile(theirs_new, after, origin)
        work.moved[source] = work.moved[path] = (source, path)

    async def _merge(
        self, base: PackedText | None, ours: PackedText | None, theirs: PackedText | None
    ) -> PackedMerge:
        texts = (base, ours, theirs)
        key = tuple(None if text is None else text.digest for text in texts)
        known = self._merges.get(key)
        if known is not None:
            self._merges.move_to_end(key)
            return known
        size = sum(text.size for text in texts if text is not None)
        merged = await self._workers.run(_merge_packed, base, ours, theirs, size=size)
        if key not in self._merges:  # another caller may have asked the same meanwhile
            self._merges[key] = merged
            self._n_bytes += merged.n_bytes
        while self._n_bytes > MERGES_KEPT_BYTES:
            self._n_bytes -= self._merges.popitem(last=False)[1].n_bytes
        return merged


@dataclass
class _Work:
    """A rebase under way."""

    branch: Branch
    files: dict[str, BranchFile] = field(init=False)
    sources: frozenset[str] = field(init=False)
    moved: dict[str, tuple[str, ...]] = field(default_factory=lambda: {})
    conflicts: dict[str, PathConflict] = field(default_factory=lambda: {})

    def __post_init__(self) -> None:
        self.files = dict(self.branch.files)
        renamed = (rename_source(self.files, path) for path in self.files)
        self.sources = frozenset(path for path in renamed if path is not None)

    def conflict(
        self,
        path: str,
        base: PackedText | None,
        theirs: PackedText | None,
        reason: str,
        regions: tuple[ConflictRegion, ...] = (),
    ) -> None:
        ours, source = self.files[path].after, rename_source(self.files, path)
        self.conflicts[path] = PathConflict(path, base, ours, theirs, regions, reason, source)


def rename_source(files: Mapping[str, BranchFile], path: str) -> str | None:
    """The path that the branch renamed to `path`, None if it is no rename (any more)."""
    origin = files[path].origin
    source = files.get(origin) if origin is not None else None
    return origin if source is not None and source.after is None else None


def same(one: PackedText | None, other: PackedText | None) -> bool:
    """Whether two texts are the same bytes, or both absent."""
    if one is None or other is None:
        return one is other
    return one.digest == other.digest


def _merge_packed(
    base: PackedText | None, ours: PackedText | None, theirs: PackedText | None
) -> PackedMerge:
    from understudy.shadow.merge import merge_texts  # noqa: PLC0415 - most bases do not move

    merged = merge_texts(unpacked(base), unpacked(ours), unpacked(theirs))
    text = None if merged.text is None else PackedText.pack(merged.text)
    return PackedMerge(text, merged.conflicts)


def unpacked(text: PackedText | None) -> Text | None:
    """The text of one at rest; None stays None."""
    return None if text is None else text.unpack()


def settled_files(
    rebased: Rebased, resolve: Mapping[str, str | None], seen: Mapping[str, str], base: Base
) -> dict[str, BranchFile]:
    """The files of conflicting paths, with the texts that settle them."""
    files: dict[str, BranchFile] = {}
    for path, content in resolve.items():
        conflict = rebased.conflicts.get(path)
        if conflict is None:
            raise BadInput("no-conflict", "the branch has no conflict there", path)
        if seen.get(path, conflict.seen) != conflict.seen:
            text = "a side of the conflict has changed since it was shown; look at both again"
            raise BadInput("stale-conflict", text, path)
        like = unpacked(conflict.theirs or conflict.ours) or Text("")
        after = None if content is None else PackedText.pack(sound(like.replaced(content), path))
        files[path] = BranchFile(base.packed(path), after, rebased.files[path].origin)
        source = rename_source(rebased.files, path)
        if source is not None:
            files[source] = BranchFile(base.packed(source), None)
    return files
