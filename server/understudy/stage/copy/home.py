"""The home folder of a copied stage: empty, but for links to what is listed of the user's own."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from understudy.stage.shown.lists import shown_lists
from understudy.stage.shown.surroundings import Surroundings
from understudy.values import version

_DEVICES = ("/dev/pts", "/dev/ptmx", "/dev/shm")  # noqa: S108 - read only where it may be written
_NO_WHOLE = frozenset(("dev",))
"""What a fenced command may read of it is named one by one: disks are files there."""


@dataclass(frozen=True)
class CopyHome:
    """`folder` takes the place of the home; `readable` is all that a fence lets a command read."""

    folder: Path
    home: Path | None
    shown: Surroundings
    readable: tuple[str, ...]

    def make(self) -> None:
        """Make the folder with its links, and the settings that hold no secret."""
        self.folder.mkdir(mode=0o700)
        if self.home is None:
            return
        links = dict.fromkeys(self.shown.private, "") | dict(self.shown.links)
        for path, target in sorted(links.items()):
            if path.is_relative_to(self.home) and path != self.home:
                place = self.folder / path.relative_to(self.home)
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                with suppress(FileExistsError):
                    place.symlink_to(target or path)
        for path, text in self.shown.files:
            if path.is_relative_to(self.home):
                place = self.folder / path.relative_to(self.home)
                place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                place.write_bytes(text)


def copy_home(
    folder: Path, home: Path | None, shown: Surroundings, beside: tuple[Path, ...]
) -> CopyHome:
    """What a fenced command reads: what is listed, and `beside`, folders of the stage's own."""
    own = (Path(sys.prefix), Path(sys.base_prefix), Path(version.__file__).parents[1])
    found = [*shown.private, *shown.visible, *beside, *own, folder, *map(Path, _DEVICES)]
    with os.scandir("/") as entries:
        machine = shown_lists().machine
        found += [Path(e.path) for e in entries if machine.has(e.name) and e.name not in _NO_WHOLE]
    hidden = {*shown.masks, *(cover.path for cover in shown.covers)}
    above = {parent for path in hidden for parent in path.parents}
    readable = {str(one) for path in found for one in _all_but(path, hidden, above)}
    return CopyHome(folder, home, shown, tuple(sorted(readable)))


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
