"""The submodules of a folder as work trees of their own, each compared with the commit it had."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from understudy.process.git import Repository, TreeEntry
from understudy.values.errors import BadInput, OutsideFailure
from understudy.workspace.revisions.worktree import SUBMODULE, Worktree


@dataclass
class Submodules:
    """What was found below a work tree: those that can be compared, and why others cannot."""

    worktrees: list[Worktree] = field(default_factory=lambda: [])
    closed: dict[str, str] = field(default_factory=lambda: {})


async def open_submodules(outer: Worktree) -> Submodules:
    """The submodules of a work tree, and theirs; the work trees leave to them what is theirs.

    New ones are compared with nothing: all of their files are new.
    """
    found = Submodules()
    tracked = {one.path for one in await outer.repository.listed() if not one.untracked}
    named = {path for path, entry in outer.tree.items() if entry.mode == SUBMODULE}
    named |= {path for path in tracked - outer.tree.keys() if _has_repository(outer, path)}
    outer.apart = frozenset(named)
    for path in sorted(named):
        inner = await _opened(outer, path, is_tracked=path in tracked)
        if isinstance(inner, Worktree):
            found.worktrees.append(inner)
            below = await open_submodules(inner)
            found.worktrees += below.worktrees
            found.closed |= below.closed
        elif inner is not None:
            found.closed[path] = inner
    return found


async def _opened(outer: Worktree, path: str, *, is_tracked: bool) -> Worktree | str | None:
    """The work tree, or why it cannot be compared; None where nothing is there, then as now."""
    entry = outer.tree.get(path)
    if not _has_repository(outer, path):
        assert entry is not None, "a new one has a repository"
        if not is_tracked:
            return "this submodule was removed, and what it held is not known here"
        if _holds_something(outer, path):
            return "this submodule has files and no repository to compare them with"
        if await outer.repository.staged(path) != entry.oid:
            return f"this submodule moved and is not here: `git submodule update --init {path}`"
        return None
    folder = outer.root.absolute(path)
    try:
        repository = await Repository.around(outer.repository.git, folder, f"{path}/")
        none: Mapping[str, TreeEntry] = {}
        tree = none if entry is None else await repository.tree(entry.oid)
    except (BadInput, OutsideFailure) as error:
        return f"the commit of this submodule cannot be read ({error.text}): fetch it in {path}"
    revision = "" if entry is None else entry.oid
    return Worktree(outer.root, repository, revision, tree, outer.progress)


def _has_repository(outer: Worktree, path: str) -> bool:
    return (outer.root.absolute(path) / ".git").exists()


def _holds_something(outer: Worktree, path: str) -> bool:
    try:
        return any(outer.root.absolute(path).iterdir())
    except OSError:  # no folder, or none that can be listed
        return False
