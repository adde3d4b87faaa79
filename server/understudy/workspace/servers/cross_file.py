"""Servers for which the folder's configuration decides whether other files count.

ESLint looks at one file, unless rules with types or about imports are switched on: those read other
files from disk, once, and so see an edit only in a process that starts after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from understudy.langserver.profile import Profile

_DEPTH = 2
_MAX_FOLDERS = 500


def widened(profile: Profile, root: Path) -> Profile:
    """The profile as the configuration near the root makes it: of scope `project` where it has to.

    Configuration files deeper than two folders are not looked at; one that cannot be read counts.
    """
    pattern = profile.cross_file
    if pattern is None:
        return profile
    for folder in _folders(root):
        for name in {*profile.root_markers, *profile.config_keys}:
            try:
                found = pattern.search((folder / name).read_text("utf-8", "replace"))
            except FileNotFoundError:
                continue
            except OSError:
                found = True
            if found:
                return replace(profile, scope="project", folder_events="restart", reads_disk=True)
    return profile


def _folders(root: Path) -> Iterator[Path]:
    level = [root]
    n_folders = 0
    for depth in range(_DEPTH + 1):
        inner: list[Path] = []
        for folder in level:
            n_folders += 1
            if n_folders > _MAX_FOLDERS:
                return
            yield folder
            if depth < _DEPTH:
                inner += sorted(filter(_is_source, _listed(folder)))
        level = inner


def _listed(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _is_source(folder: Path) -> bool:
    return folder.name != "node_modules" and not folder.name.startswith(".") and folder.is_dir()
