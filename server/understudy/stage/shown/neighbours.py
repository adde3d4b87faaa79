"""What belongs to a project outside its folder: a repository, settings above, projects beside."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from understudy.stage.shown.lists import Lists
from understudy.stage.shown.tool_places import is_fit

_MANIFESTS = frozenset(
    (
        *("Cargo.toml", "go.mod", "go.work", "package.json", "pyproject.toml", "setup.cfg"),
        *(
            "pom.xml",
            "settings.gradle",
            "settings.gradle.kts",
            "CMakeLists.txt",
            "requirements.txt",
        ),
        *("tsconfig.json", "jsconfig.json", "pyrightconfig.json", "mypy.ini", ".eslintrc.json"),
    )
)
_NO_MEMBERS = frozenset(("node_modules", "target", "build", "dist", "venv", "__pycache__"))
_MOST_FOLDERS = 64
_BESIDE = re.compile(r"""\.\.(?<![\w./]..)(?:/[^"'\s()<>,;#]*)?""")
_MAX_BYTES = 1024 * 1024


def neighbours(root: Path, home: Path | None, lists: Lists) -> Iterator[Path]:
    """Places outside the root that tools look for from inside, as far as they are there."""
    yield from _git_folders(root)
    repository = next((p for p in root.parents if os.path.exists(p / ".git")), None)
    if repository is not None and is_fit(repository, home, lists):
        yield repository
        yield from _git_folders(repository)
    for folder in root.parents:
        if is_fit(folder, home, lists):
            yield from lists.above.below(folder)
    for place in _beside(root):
        if is_fit(place, home, lists) and _is_project(place, root, lists):
            yield place


def _git_folders(folder: Path) -> Iterator[Path]:
    """The git folder of a linked worktree or a submodule, and where it borrows objects from."""
    git = folder / ".git"
    with suppress(OSError, ValueError):
        if os.path.isfile(git):
            kind, _, named = git.read_text("utf-8").partition(":")
            git = folder / named.strip() if kind == "gitdir" else git
            common = git / "commondir"
            if os.path.isfile(common):
                git = git / common.read_text("utf-8").strip()
            git = Path(os.path.realpath(git))
            if not all(os.path.exists(git / name) for name in ("HEAD", "objects", "refs")):
                return
            yield git
        for line in (git / "objects/info/alternates").read_text("utf-8").splitlines():
            objects = Path(os.path.realpath(git / "objects" / line))
            if objects.name == "objects" and os.path.isdir(objects / "pack"):
                yield objects


def _beside(root: Path) -> Iterator[Path]:
    """The folders and files above the root that its manifests, or those right below, name."""
    inner: list[Path] = []
    with suppress(OSError), os.scandir(root) as entries:
        inner += sorted(Path(entry.path) for entry in entries if _may_hold_one(entry))
    for folder in (root, *inner[:_MOST_FOLDERS]):
        with suppress(OSError):
            names = _MANIFESTS.intersection(os.listdir(folder))
            texts = [_text(folder / name) for name in sorted(names)]
            for found in (match for text in texts for match in _BESIDE.finditer(text)):
                place = Path(os.path.realpath(folder / found[0]))
                if not place.is_relative_to(root) and os.path.exists(place):
                    yield place


def _may_hold_one(entry: os.DirEntry[str]) -> bool:
    return entry.name[0] != "." and entry.name not in _NO_MEMBERS and os.path.isdir(entry)


def _text(path: Path) -> str:
    try:
        if not os.path.isfile(path) or path.stat().st_size > _MAX_BYTES:
            return ""
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""


def _is_project(place: Path, root: Path, lists: Lists) -> bool:
    """Whether a place is a project, in it, or a file that projects share: nothing else is shown."""
    if not os.path.isdir(place):
        return lists.above.has(place.name)
    # A folder above the root may hold more than this project.
    holders = (place,) if root.is_relative_to(place.parent) else (place, place.parent)
    return any(os.path.isfile(folder / name) for folder in holders for name in _MANIFESTS)
