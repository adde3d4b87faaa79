"""The git folders that git uses in a folder: found as git finds them, without running it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_MOST_SUBMODULES = 200
_PATH = re.compile(r"^\s*path\s*=\s*(.+?)\s*$", re.MULTILINE)
_PARTS = ("HEAD", "objects", "refs")


def git_folders(root: Path) -> tuple[Path, ...]:
    """The real paths of the repository's own folder (that which linked worktrees share) and of
    submodules' that lie elsewhere, none inside another; empty where there is no repository.
    """  # fmt: skip
    found = {
        place
        for folder in (_work_tree(root), *_submodules(root))
        if folder is not None and (place := git_folder(folder)) is not None
    }
    return tuple(sorted(one for one in found if found.isdisjoint(one.parents)))


def git_folder(work_tree: Path) -> Path | None:
    """The folder of refs and objects behind a work tree's `.git`; None for what is none."""
    git = work_tree / ".git"
    with suppress(OSError, ValueError):
        if os.path.isfile(git):
            kind, _, named = git.read_text("utf-8").partition(":")
            if kind != "gitdir":
                return None
            git = work_tree / named.strip()
        common = git / "commondir"
        if os.path.isfile(common):
            git = git / common.read_text("utf-8").strip()
        git = Path(os.path.realpath(git))
        if is_git_folder(git):
            return git
    return None


def is_git_folder(folder: Path) -> bool:
    """Whether git takes it for one; one of these names alone may be a ref's or a submodule's."""
    return all(os.path.exists(folder / part) for part in _PARTS)


def stores(git: Path) -> tuple[Path, ...]:
    """The folders of objects of a git folder and of the submodules in it, and what they borrow."""
    found: dict[Path, None] = {}
    waiting = [folder / "objects" for folder in with_inner(git)]
    while waiting:
        store = Path(os.path.realpath(waiting.pop()))
        if store in found or not store.is_dir():
            continue
        found[store] = None
        with suppress(OSError, UnicodeDecodeError):
            text = (store / "info/alternates").read_text("utf-8")
            waiting += [store / line for line in text.splitlines() if line[:1] not in ("", "#")]
    return tuple(found)


def with_inner(git: Path) -> Iterator[Path]:
    """The folder itself, and those of its submodules: `modules/NAME`, names with slashes too."""
    yield git
    waiting = [git / "modules", *sorted(git.glob("worktrees/*/modules"))]
    while waiting:
        with suppress(OSError):
            for entry in sorted(os.scandir(waiting.pop()), key=lambda one: one.name):
                if not entry.is_dir(follow_symlinks=False):
                    continue
                if is_git_folder(Path(entry.path)):
                    yield from with_inner(Path(entry.path))
                else:
                    waiting.append(Path(entry.path))


def _work_tree(root: Path) -> Path | None:
    return next((place for place in (root, *root.parents) if os.path.lexists(place / ".git")), None)


def _submodules(root: Path) -> Iterator[Path]:
    with suppress(OSError):
        text = (root / ".gitmodules").read_text("utf-8", "replace")
        for path in _PATH.findall(text)[:_MOST_SUBMODULES]:
            place = Path(os.path.realpath(root / path))
            if place.is_relative_to(root):
                yield place
