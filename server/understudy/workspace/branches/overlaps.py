"""Branches that would collide: they change the same lines, each to something else.

Told while they are made, long before anybody accepts one of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Container, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from understudy.shadow.branch import Branch, BranchFile
from understudy.values.errors import Refused, UnderstudyError
from understudy.values.frozen import frozen
from understudy.workspace.branches.rebase import unpacked
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

if TYPE_CHECKING:
    from understudy.shadow.merge import ConflictRegion

_KEPT = 4096
"""Comparisons whose outcome is kept: of texts, by their digests."""

Lines = tuple[tuple[int, int], ...]
"""First and last of each run, from 1."""


@frozen
class Overlap:
    """Another branch changes a file where this one does; `lines` are of the user's text."""

    branch: str
    path: str
    lines: Lines


class Overlaps:
    """Compares the branches that there are; `has_moved` hears when something else is known."""

    def __init__(
        self, tasks: Tasks, workers: Workers, branches: Callable[[], Sequence[Branch]],
        has_moved: Callable[[], None],
    ) -> None:  # fmt: skip
        self._tasks = tasks
        self._workers = workers
        self._branches = branches
        self._has_moved = has_moved
        self._kept: OrderedDict[tuple[str | None, ...], Lines] = OrderedDict()
        self._is_looking = self._is_stale = False
        self.now: Mapping[str, tuple[Overlap, ...]] = {}
        """By the branch, as far as is known: a look may still be under way."""

    def look_soon(self) -> None:
        """Branches have changed."""
        self._is_stale = True
        if not self._is_looking:
            self._is_looking = True
            try:
                self._tasks.spawn(self._look_on(), "look for overlaps")
            except Refused:  # the host ends
                self._is_looking = False

    async def of(self, branch: Branch) -> tuple[Overlap, ...]:
        """Those of one branch now."""
        return (await self.look(branch.files)).get(branch.id, ())

    async def look(self, paths: Container[str] | None = None) -> Mapping[str, tuple[Overlap, ...]]:
        """What there is now by the branch, its paths in order; of these `paths` alone."""
        touched: dict[str, list[Branch]] = {}
        for branch in self._branches():
            for path in branch.files:
                if paths is None or path in paths:
                    touched.setdefault(path, []).append(branch)
        found: dict[str, list[Overlap]] = {}
        for path in sorted(touched):
            for one, other in combinations(touched[path], 2):
                lines = await self._compared(one.files[path], other.files[path])
                if lines:
                    found.setdefault(one.id, []).append(Overlap(other.id, path, lines))
                    found.setdefault(other.id, []).append(Overlap(one.id, path, lines))
        return {branch: tuple(overlaps) for branch, overlaps in found.items()}

    async def _look_on(self) -> None:
        try:
            while self._is_stale:
                self._is_stale = False
                found = await self.look()
                if found != self.now:
                    self.now = found
                    self._has_moved()
        finally:
            self._is_looking = False

    async def _compared(self, one: BranchFile, other: BranchFile) -> Lines:
        texts = one.base, one.after, other.base, other.after
        key = tuple(None if text is None else text.digest for text in texts)
        lines = self._kept.get(key)
        if lines is None:
            size = sum(text.size for text in texts if text is not None)
            try:
                lines = await self._workers.run(collisions, one, other, size=size)
            except UnderstudyError:  # too large to compare: whoever accepts both is told then
                lines = ()
            self._kept[key] = lines
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return lines


def collisions(one: BranchFile, other: BranchFile) -> Lines:
    """The lines of the later base that both change, each to something else."""
    base, theirs = unpacked(other.base), unpacked(other.after)
    from understudy.shadow.merge import merge_texts  # noqa: PLC0415 - few branches meet

    fitted = merge_texts(unpacked(one.base), unpacked(one.after), base)
    if fitted.conflicts:
        return ()  # it collides with the user's own text, which is told of it alone
    merged = merge_texts(base, fitted.text, theirs)
    return tuple(map(_lines, merged.conflicts))


def _lines(region: ConflictRegion) -> tuple[int, int]:
    n_lines = len(region.base_lines or ())  # none: both put something in at one place
    return region.base_start + 1, region.base_start + max(n_lines, 1)
