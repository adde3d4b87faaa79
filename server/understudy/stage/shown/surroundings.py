"""What a stage shows around its folder: what is listed, or named for it, and nothing else.

Folders that may hold anything are covered by new, empty ones; what is listed is shown in these.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from understudy.stage.shown.lists import Lists, PlaceTree, shown_lists
from understudy.stage.shown.neighbours import neighbours
from understudy.stage.shown.sanitized import sanitized
from understudy.stage.shown.tool_places import is_fit, tool_places
from understudy.values.frozen import frozen
from understudy.values.own_folders import state_home

_TEMPORARY = (("/tmp", 0o1777), ("/var/tmp", 0o1777), ("/run", 0o755))  # noqa: S108
"""Folders that a stage has for itself and may write to, with their modes."""

_MOST_COPIED = 8 << 20
"""Bytes of a file of the user's that is shown as a copy."""

_LIVING_BY_LINKS = frozenset(("/etc", "/var", "/run"))
"""Folders of the system whose symbolic links are kept; where they lead is shown or not as it is."""


@frozen
class Cover:
    """A folder that is replaced by a new, empty one; symbolic links right in it may stay."""

    path: Path
    mode: int = 0o755
    writable: bool = False
    with_links: bool = False


@frozen
class Surroundings:
    """Covers and masks hide; `private` is shown and written privately, `visible` read-only.

    `links` are symbolic links to make, `files` texts to put; each with the path that it gets.
    """

    root: Path
    covers: tuple[Cover, ...] = ()
    masks: tuple[Path, ...] = ()
    private: tuple[Path, ...] = ()
    visible: tuple[Path, ...] = ()
    links: tuple[tuple[Path, str], ...] = ()
    files: tuple[tuple[Path, bytes], ...] = ()

    def shows(self, path: Path) -> bool:
        """Whether a real path of the machine can be seen on the stage, if it is there."""
        place = str(path)
        while place not in self._shown:
            if place in self._hidden:
                return False
            if place == "/":
                return True
            place = place.rpartition("/")[0] or "/"
        return True

    @cached_property
    def _shown(self) -> frozenset[str]:
        texts = (file for file, _ in self.files)
        return frozenset(map(str, (self.root, *self.private, *self.visible, *texts)))

    @cached_property
    def _hidden(self) -> frozenset[str]:
        return frozenset(map(str, (*self.masks, *(cover.path for cover in self.covers))))


def surroundings(
    root: Path,
    environ: Mapping[str, str],
    *,
    tools: Iterable[Path] = (),
    homes: Sequence[Path] | None = None,
    also: Iterable[Path] = (),
    read_only: Iterable[Path] = (),
) -> Surroundings:
    """What a stage of `root` shows to somebody with this environment.

    `tools` are shown where they would be hidden. `homes` are written privately, in place of what
    is listed of the home. `also` and `read_only` are what the user has named: they are shown
    whatever they are; a file of `also` as a copy that can be written, where it is a text.
    """
    lists, environ = shown_lists(), dict(environ)
    home = home_of(environ)
    view = _bare(root, home, environ, lists)
    links: list[tuple[Path, str]] = []
    named = [_real(path) for path in (*(homes or ()), *also)]
    copies = {path: text for path in named if (text := _copy_of(path)) is not None}
    private = [path for path in named if path not in copies]
    for path in _of_home(home, environ, lists) if homes is None else ():
        real = _real(path)
        if is_fit(real, home, lists) and os.path.exists(real):
            private.append(real)
            if path != real:
                links.append((path, str(real)))
    private = [path for path in private if not (path.is_relative_to(root) and view.shows(path))]
    view = replace(view, private=outermost(private), links=tuple(links))
    fit = (path for path in tools if is_fit(_real(path), home, lists))
    found = [*fit, *tool_places(root, environ, home, lists), *neighbours(root, home, lists)]
    reals = {_real(path) for path in found if os.path.exists(path)}
    hidden = (path for path in reals if not view.shows(path))
    view = replace(view, visible=(*view.visible, *outermost(hidden), *map(_real, read_only)))
    texts = {**dict(_files(home, lists, view)), **copies}
    kept = (*view.private, *view.visible, view.root)
    texts = {path: text for path, text in texts.items() if not _is_in(path, kept)}
    view = replace(view, files=tuple(texts.items()))
    state = state_home()
    is_safe = not os.path.isdir(state) or not view.shows(state) or root.is_relative_to(state)
    return view if is_safe else replace(view, masks=(*view.masks, state))


def home_of(environ: Mapping[str, str]) -> Path | None:
    """The real path of the home folder; None where that is the root of the machine."""
    named = environ.get("HOME") or environ.get("USERPROFILE")
    home = _real(Path(named or Path.home()))
    return None if home == Path(home.anchor) else home


def outermost(paths: Iterable[Path]) -> tuple[Path, ...]:
    """The paths that lie in none of the others, sorted."""
    found = set(paths)
    return tuple(sorted(path for path in found if found.isdisjoint(path.parents)))


def _bare(root: Path, home: Path | None, environ: Mapping[str, str], lists: Lists) -> Surroundings:
    """The machine's own places alone, with an empty home."""
    covers = {_real(Path(path)): mode for path, mode in _TEMPORARY if os.path.isdir(path)}
    found = {path: Cover(path, mode, True, str(path) == "/run") for path, mode in covers.items()}
    masks = [path for path in map(Path, lists.machine_hidden) if os.path.exists(path)]
    for path in _unlisted_tops(lists):
        if not os.path.isdir(path):
            masks.append(path)
        elif path not in found:
            found[path] = Cover(path, with_links=str(path) in _LIVING_BY_LINKS)
    if home is not None and os.path.isdir(home):
        if not home.is_relative_to(root):
            found[home] = Cover(home, found[home].mode if home in found else 0o700, writable=True)
        else:
            for path in _dot_entries(home, lists):
                if os.path.isdir(path):
                    found[path] = Cover(path, 0o700, writable=True)
                else:
                    masks.append(path)
    view = Surroundings(root, tuple(found.values()), tuple(masks))
    moved = [
        Cover(place, writable=True)
        for place, _ in _moved(environ, lists)
        if view.shows(place) and not place.is_relative_to(root) and is_fit(place, home, lists)
    ]
    visible = tuple(_of_machine(lists, view))
    return replace(view, covers=(*view.covers, *moved), visible=visible)


def _unlisted_tops(lists: Lists) -> Iterator[Path]:
    """What lies at the top of the machine and is not listed as it is; links lead elsewhere."""
    with suppress(OSError), os.scandir("/") as entries:
        for entry in entries:
            if not entry.is_symlink() and not lists.machine.has(entry.name):
                yield Path(entry.path)


def _of_machine(lists: Lists, view: Surroundings) -> Iterator[Path]:
    """Listed places in folders that are covered."""
    for listed in lists.machine.below(Path("/")):
        is_kept = os.path.islink(listed) and str(listed.parent) in _LIVING_BY_LINKS
        path = _real(listed) if is_kept else listed  # where a link leads may be hidden
        if os.path.exists(path) and not view.shows(path):
            yield path


def _dot_entries(home: Path, lists: Lists) -> Iterator[Path]:
    """What begins with a dot in a home that is shown for it is the root itself."""
    with suppress(OSError), os.scandir(home) as entries:
        for entry in entries:
            if entry.name.startswith(".") and not lists.project.has(entry.name):
                yield Path(entry.path)


def _of_home(home: Path | None, environ: Mapping[str, str], lists: Lists) -> Iterator[Path]:
    """The listed places that are there, below the home and where variables put them."""
    yield from lists.home.below(Path("/") if home is None else home)
    for place, below in _moved(environ, lists):
        if below is None:
            yield place
        else:
            yield from below.below(place)


def _moved(environ: Mapping[str, str], lists: Lists) -> Iterator[tuple[Path, PlaceTree | None]]:
    """Folders that variables name in place of a usual one, and what is listed below that."""
    for name in sorted(lists.moved.keys() & environ.keys()):
        for value in filter(os.path.isabs, environ[name].split(os.pathsep)):
            if os.path.isdir(value):
                yield _real(Path(value)), lists.home_below(lists.moved[name])


def _files(home: Path | None, lists: Lists, view: Surroundings) -> Iterator[tuple[Path, bytes]]:
    """Copies of settings without their secrets, where the files themselves are hidden."""
    for name, keys in lists.files.items():
        if name.startswith("~/") and home is None:
            continue
        path = Path(name) if home is None or name[0] == "/" else home / name.removeprefix("~/")
        if not view.shows(path):
            text = sanitized(path, keys)
            if text:
                yield path, text


def _copy_of(path: Path) -> bytes | None:
    """The text of a single file that was named; None for a folder, and for what no text is."""
    try:
        if not stat.S_ISREG(path.stat().st_mode) or path.stat().st_size > _MOST_COPIED:
            return None
        text = path.read_bytes()
        text.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return text


def _is_in(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
