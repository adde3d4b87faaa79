"""The user's folder as it was at one moment, read lazily and pinned at first read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

from understudy.shadow.links import NO_LINKS, Links
from understudy.values.frozen import frozen
from understudy.values.stamps import stamp_of
from understudy.values.texts import PackedText, Text


class Fingerprint(NamedTuple):
    """What tells two states of a file apart without reading it.

    `changed_ns` is the inode's change time, which no program can set back as it can `mtime_ns`;
    0 where the platform has none.
    """

    mtime_ns: int
    size: int
    inode: int
    changed_ns: int = 0


class Moved(Exception):
    """A file on disk is no longer what this moment's fingerprint says."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class Reader(Protocol):
    """Reads the user's folder; handed in, so that this floor does no input or output itself."""

    def read(self, path: str) -> bytes | None:
        """The file's bytes, or None if there is no such file."""
        ...

    def fingerprint(self, path: str) -> Fingerprint | None:
        """The file's fingerprint now, or None if there is no such file."""
        ...


@dataclass
class LatestScan:
    """What the latest scan for servers has found: one for all views of a folder, older ones, too.

    A run looks at more files, and is none.
    """

    files: Mapping[str, Fingerprint]


@frozen
class FolderView:
    """The folder at one scan: a fingerprint for each file of interest, and texts pinned so far.

    `files` maps root-relative paths to fingerprints; a path that the scan leaves out (an ignored
    folder, an uninteresting kind of file) can still be read: it is fingerprinted at first read.
    `environment` is the scan's word on what is installed around it (site-packages and the like),
    `links` its word on which files have more paths than one. `latest` is shared by all views of
    the folder, whoever has scanned for them.
    """

    reader: Reader
    files: Mapping[str, Fingerprint]
    environment: str = ""
    links: Links = NO_LINKS
    _pins: dict[str, tuple[Fingerprint | None, PackedText | None]] = field(
        default_factory=lambda: {}
    )
    latest: LatestScan | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.latest is None:
            object.__setattr__(self, "latest", LatestScan(self.files))

    @property
    def on_disk(self) -> Mapping[str, Fingerprint]:
        """The files of the folder's latest scan, which may be later than this view's own."""
        assert self.latest is not None
        return self.latest.files

    def read(self, path: str) -> Text | None:
        """The file's text at this moment, None if absent.

        Raises Moved when the disk has gone on before the text was pinned, and BadInput
        (`too-large`, `not-text`) for files that are not text.
        """
        packed = self.packed(path)
        return None if packed is None else packed.unpack()

    def packed(self, path: str) -> PackedText | None:
        """What `read` gives, at rest; raises the same."""
        pinned = self._pins.get(path)
        if pinned is not None:
            return pinned[1]
        before = self.reader.fingerprint(path)
        expected = self.files.get(path)
        if expected is not None and before != expected:
            raise Moved(path)
        data = self.reader.read(path)
        if self.reader.fingerprint(path) != before or (data is None) != (before is None):
            raise Moved(path)
        text = None if data is None else PackedText.pack(Text.decode(data, path))
        self._pins[path] = (before, text)
        return text

    def exists(self, path: str) -> bool:
        """Whether there is a file, by what has been read or scanned; else by the disk as it is."""
        pinned = self._pins.get(path)
        if pinned is not None:  # what was read stays so, whatever the disk has become
            return pinned[0] is not None
        return path in self.files or self.reader.fingerprint(path) is not None

    def pinned(self) -> Mapping[str, tuple[Fingerprint | None, PackedText | None]]:
        """What has been read so far."""
        return self._pins

    def advanced(
        self, files: Mapping[str, Fingerprint], environment: str, links: Links
    ) -> FolderView:
        """The folder at a later scan; pins of unchanged files are carried over."""
        carried = {
            path: pin
            for path, pin in self._pins.items()
            if (pin[0] is not None and files.get(path) == pin[0])
            or (path not in files and path not in self.files and self._still(path, pin[0]))
        }
        return FolderView(self.reader, files, environment, links, carried, self.latest)

    def be_latest(self) -> None:
        """Have all views of the folder know this one as its latest scan."""
        assert self.latest is not None
        self.latest.files = self.files

    def then(
        self,
        files: Mapping[str, Fingerprint],
        pins: dict[str, tuple[Fingerprint | None, PackedText | None]],
        reader: Reader | None = None,
    ) -> FolderView:
        """The folder at an earlier scan, or as another reader reads it: its disk is the same."""
        return FolderView(
            reader or self.reader, files, self.environment, self.links, pins, self.latest
        )

    def moved_since(self, files: Mapping[str, Fingerprint]) -> frozenset[str]:
        """Paths whose state differs between this scan and another."""
        if files is self.files:
            return frozenset()
        mine = self.files.items()
        return frozenset(path for path, _ in mine ^ files.items())

    def unlike(self, told: Mapping[str, Fingerprint]) -> frozenset[str]:
        """Paths that this view, or the disk by its latest scan, has otherwise than was told."""
        moved = self.moved_since(told)
        if self.on_disk is self.files:
            return moved
        return moved | {path for path, _ in self.on_disk.items() ^ told.items()}

    def pins_hold(self) -> bool:
        """Whether the pinned files that no scan lists are still as they were read."""
        unlisted = [(path, pin[0]) for path, pin in self._pins.items() if path not in self.files]
        return all(self._still(path, mark) for path, mark in unlisted)

    @cached_property
    def stamp(self) -> str:
        """A hash of all fingerprints and the environment."""
        parts = [self.environment]
        for path in sorted(self.files):
            mark = self.files[path]
            parts += [path, f"{mark.mtime_ns} {mark.size} {mark.inode} {mark.changed_ns}"]
        for link, target in sorted(self.links.targets.items()):
            parts += [link, target]
        return stamp_of(parts)

    def _still(self, path: str, mark: Fingerprint | None) -> bool:
        return self.reader.fingerprint(path) == mark
