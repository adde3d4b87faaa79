"""The home folder of a copied stage: empty, but for what is listed of the user's own, or named.

What is read alone is a link to the user's own, which the fence keeps. What is written privately is
a copy that goes with the stage.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from pathlib import Path

from understudy.stage.copy.copied import Copied
from understudy.stage.copy.copier import Copier
from understudy.stage.copy.folder import copying
from understudy.stage.shown.lists import shown_lists
from understudy.stage.shown.surroundings import Surroundings, outermost
from understudy.values import version
from understudy.values.frozen import frozen
from understudy.values.own_folders import own_folders, state_home

_DEVICES = ("/dev/pts", "/dev/ptmx", "/dev/shm")  # noqa: S108 - read only where it may be written
_NO_WHOLE = frozenset(("dev",))
"""What a fenced command may read of it is named one by one: disks are files there."""
_MOVED = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME")
"""Programs keep their own files there; these have to be the stage's."""


@frozen
class CopyHome:
    """`folder` takes the place of the home; `readable` is all that a fence lets a command read.

    `written` are folders of the user's home that are copied, `named` what is read-only besides,
    `unwritten` what was to be written and can only be read, and `ours` what no stage is to have.
    """

    folder: Path
    home: Path | None
    shown: Surroundings
    readable: tuple[str, ...]
    written: tuple[Path, ...] = ()
    named: tuple[Path, ...] = ()
    unwritten: tuple[Path, ...] = ()
    ours: frozenset[Path] = frozenset()

    def make(self) -> tuple[Copied, ...]:
        """Make the folder with its copies, its links, and the settings that hold no secret.

        What the copies leave out is in the result, by paths in the home. Raises as `copy_folder`.
        """
        self.folder.mkdir(mode=0o700)
        if self.home is None:
            return ()
        copied = tuple(self._copy(path, self.home) for path in self.written)
        links = dict.fromkeys((*self.shown.private, *self.named), "") | dict(self.shown.links)
        for path, target in sorted(links.items()):
            if path.is_relative_to(self.home) and path != self.home:
                self._link(self._place(path, self.home), Path(target or path))
        for path, text in self.shown.files:
            if path.is_relative_to(self.home):
                self._put(self._place(path, self.home), path, text)
        return copied

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that lead programs into the stage's home, where they named the user's."""
        found = {"HOME": str(self.folder)}
        for name in _MOVED:
            value = environ.get(name)
            if value and self.home is not None and os.path.isabs(value):
                real = _real(Path(value))
                if real.is_relative_to(self.home):
                    found[name] = str(self._place(real, self.home))
        return found

    def _place(self, path: Path, home: Path) -> Path:
        return self.folder / path.relative_to(home)

    def _copy(self, path: Path, home: Path) -> Copied:
        place = self._place(path, home)
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        hidden = _below(path, self._not_copied)
        with copying(place):
            copier = Copier(
                path, place, link_dependencies=True, hidden=hidden, moved=(home, self.folder)
            )
            copied = copier.bring()
        name = path.relative_to(home).as_posix()
        for listed in (copied.linked, copied.special, copied.unreadable):
            listed[:] = [f"~/{name}/{one}".replace("/./", "/") for one in listed]
        return copied

    @property
    def _not_copied(self) -> Set[Path]:
        """What the stage hides, shows in another way, or must never have: our own state."""
        shown = self.shown
        hidden = (*shown.masks, *(cover.path for cover in shown.covers))
        return {*hidden, *shown.visible, *self.named, shown.root, state_home(), *self.ours}

    def _link(self, place: Path, target: Path) -> None:
        """A link to the user's own; where a part of that is copied, one to each other part."""
        is_copied = target in self.written
        if is_copied or _is_ours(_real(target), self.ours) or not self._has_room(place):
            return
        if place.is_dir() and not place.is_symlink():
            with suppress(OSError):  # not listable: not shown
                for name in os.listdir(target):
                    self._link(place / name, target / name)
            return
        with suppress(FileExistsError):
            place.symlink_to(target)

    def _put(self, place: Path, path: Path, text: bytes) -> None:
        """A text with the mode and the times of the user's file: whoever is told by them is."""
        if not self._has_room(place):
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            opened = os.open(place, flags, 0o600)
        except FileExistsError:
            return
        with os.fdopen(opened, "wb") as stream:
            stream.write(text)
        with suppress(OSError):  # it is gone by now
            status = path.stat()
            place.chmod(stat.S_IMODE(status.st_mode) | stat.S_IRUSR)
            os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))

    def _has_room(self, place: Path) -> bool:
        """Make the folders above; False where one is a link: what it leads to is the user's."""
        here = self.folder
        for name in place.parent.relative_to(self.folder).parts:
            here /= name
            with suppress(FileExistsError):
                here.mkdir(mode=0o700)
            if here.is_symlink() or not here.is_dir():
                return False
        return True


def copy_home(
    folder: Path,
    home: Path | None,
    shown: Surroundings,
    beside: tuple[Path, ...],
    *,
    copies: bool = False,
    written: tuple[Path, ...] = (),
    read_only: tuple[Path, ...] = (),
) -> CopyHome:
    """What a fenced command reads: what is listed, and `beside`, folders of the stage's own.

    Of `written`, what is to be written privately, folders in the home are copied where `copies`.
    """
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(version.__file__).parents[1])
    # What is listed of a home never leads there; what is named may.
    ours = frozenset(map(Path, own_folders() if written or read_only else ()))
    private = (path for path in shown.private if not _is_ours(path, ours))
    found = [*private, *shown.visible, *beside, *own, folder, *map(Path, _DEVICES)]
    with os.scandir("/") as entries:
        machine = shown_lists().machine
        found += [Path(e.path) for e in entries if machine.has(e.name) and e.name not in _NO_WHOLE]
    hidden = {*shown.masks, *(cover.path for cover in shown.covers)}
    above = {parent for path in hidden for parent in path.parents}
    readable = {str(one) for path in found for one in _all_but(path, hidden, above)}
    texts = {path for path, _ in shown.files}
    reals = [_real(path) for path in written]
    wanted = outermost(p for p in reals if p not in texts and not p.is_relative_to(shown.root))
    in_home = (path for path in wanted if home is not None and path.is_relative_to(home))
    copied = tuple(
        path for path in in_home if copies and path.is_dir() and not _is_ours(path, ours)
    )
    unwritten = tuple(path for path in wanted if path not in copied)
    named = tuple(map(_real, read_only))
    return CopyHome(
        folder, home, shown, tuple(sorted(readable)), copied, named, unwritten, ours
    )  # fmt: skip


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_ours(path: Path, ours: Set[Path]) -> bool:
    return path == state_home() or path in ours or not ours.isdisjoint(path.parents)


def _below(folder: Path, places: Set[Path]) -> Set[str]:
    """The places that lie in a folder, relative to it."""
    found = (place for place in places if place != folder and place.is_relative_to(folder))
    return {place.relative_to(folder).as_posix() for place in found}


def _all_but(place: Path, hidden: set[Path], above: set[Path]) -> Iterator[Path]:
    """The fewest places that hold all of one but what is hidden: a fence can only allow."""
    if place not in above:
        yield place
        return
    with suppress(OSError), os.scandir(place) as entries:  # not listable: not readable
        for entry in entries:
            # A link is followed to where it leads; that place has a rule of its own, or none.
            if Path(entry.path) not in hidden and not entry.is_symlink():
                yield from _all_but(Path(entry.path), hidden, above)
