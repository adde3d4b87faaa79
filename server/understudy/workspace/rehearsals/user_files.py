"""The user's files as they were and are while a stage lies over them."""

from __future__ import annotations

import os
import stat
import time
import zlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from threading import Event, Lock

from understudy.disk.folder.scan import PRUNED, FolderReader, Selection, scan
from understudy.shadow.folder import Fingerprint
from understudy.stage.live import FileMark, Looked
from understudy.stage.overlay.sightings import source_of
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace.rehearsals.bases import CLOCK_NS, LOST, Lost, Version, let_go
from understudy.workspace.rehearsals.frozen_files import FrozenFiles

EVERYTHING = Selection(["*"])
PINNED_BYTES = 16 * 1024 * 1024
"""Texts of the opening that are kept, packed: only of those can an edit of an old text be told."""
_GONE = Fingerprint(0, 0, 0, 0)
"""Of what the stage began with, and the folder has no more: no file has it."""


@frozen
class _Pin:
    mark: Fingerprint
    source: bytes | None
    packed: bytes


class UserFiles:
    """What the user's folder had since a stage was opened over it; threads may share it."""

    def __init__(self, root: Root, opened_ns: int | None = None) -> None:
        self.root = root
        self._reader = FolderReader(root)
        self._folder = os.open(root.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self.opened_ns = time.time_ns() if opened_ns is None else opened_ns
        self.began: Mapping[str, FileMark] | None = None
        """See `live.Looked.began`."""
        self._frozen: FrozenFiles | None = None
        self._marks: Mapping[str, Fingerprint] | None = None
        self._pins: dict[str, _Pin] = {}
        self._listed: frozenset[str] | None = None
        self._versions: dict[str, list[Version]] = {}
        self._lock = Lock()
        self.is_pinned = False

    def begin_with(self, stage: Looked) -> None:
        """Take over what the stage knows of what it began with."""
        self.began = stage.began
        if stage.frozen.folder is not None:
            self._frozen = FrozenFiles(stage.frozen.folder)

    def close(self) -> None:
        """Let the folder go."""
        os.close(self._folder)
        if self._frozen is not None:
            self._frozen.close()

    def pin(self, stop: Event) -> None:
        """Read what may be needed as it was, up to a limit; the small ones first.

        A snapshot has it all.
        """
        if self._frozen is not None:
            self._marks = self._frozen.marks(EVERYTHING)
            self._listed = frozenset(self._marks)
            self.is_pinned = True
            return
        marks = listed = scan(self.root, EVERYTHING).files
        if self.began is not None:
            marks = self._as_opened(marks)
        total = 0
        for path, mark in sorted(marks.items(), key=lambda item: item[1].size):
            total += mark.size
            if total > PINNED_BYTES or stop.is_set():
                break
            version = self._look(path)
            if version is None or version.from_ns != mark.changed_ns:
                continue  # it has moved since, and what it was is lost
            if isinstance(version.data, bytes):
                packed = zlib.compress(version.data, 1)
                with self._lock:
                    self._pins[path] = _Pin(mark, version.source, packed)
        if self._marks is None:
            self._marks = marks
        self._listed = frozenset(listed)
        self.is_pinned = True

    def moved(self) -> frozenset[str]:
        """The paths that differ from the last call, or since the opening; notes what they are now.

        A file whose state changed after the opening counts as moved, whenever it was first seen.
        """
        now = scan(self.root, EVERYTHING).files
        before = self._as_opened(now) if self._marks is None else self._marks
        self._marks = now
        found = {path for path, _ in before.items() ^ now.items()}
        for path in found:
            self.versions(path)
        return frozenset(found)

    def versions(self, path: str) -> list[Version]:
        """What the file has been since the opening, oldest first, up to now."""
        with self._lock:
            return list(self._known_of(path))

    def _known_of(self, path: str) -> list[Version]:
        mark, now = self._looked(path)
        known = self._versions.get(path)
        if known is None:
            if now is not None and self._is_as_opened(path, mark):
                return [replace(now, shown_ns=self.opened_ns)]
            known = self._versions[path] = [self._first(path)]
        if now is not None and _differ(known[-1], now):
            known.append(now)
            let_go(known)
        return known

    def has_moved(self, path: str) -> bool:
        """Whether it is known to have had several texts."""
        return path in self._versions

    def has_come(self, path: str) -> bool:
        """Whether the folder is known to have got the file after the opening."""
        return self._listed is not None and path not in self._listed

    def showed(self, path: str, data: bytes | None) -> None:
        """The stage was just now seen to show this text at that path."""
        with self._lock:
            known = self._versions.get(path)
            if known and known[-1].data != data:  # it was saved between two looks
                known.append(Version(data, None, 0))
                let_go(known)
            if known and known[-1].shown_ns is None:
                known[-1] = replace(known[-1], shown_ns=time.time_ns())

    def first(self, path: str) -> Version:
        """What the stage began with, as far as that was kept."""
        with self._lock:
            return self._first(path)

    def now(self, path: str) -> bytes | Lost | None:
        """What the user has there."""
        version = self._look(path)
        return LOST if version is None else version.data

    def is_link(self, path: str) -> bool:
        """Whether the user has a symbolic link there."""
        return self.root.absolute(path).is_symlink()

    def form(self, path: str) -> tuple[int, int | None]:
        """Mode and time (ns since 1970) of the user's file; the usual ones where there is none."""
        try:
            found = self.root.absolute(path).stat()
        except OSError:
            return 0o644, None
        return found.st_mode & 0o777, found.st_mtime_ns

    def _first(self, path: str) -> Version:
        if self._frozen is not None:
            return self._frozen.version(path, self.opened_ns)
        pin = self._pins.get(path)
        if pin is not None:
            data = zlib.decompress(pin.packed)
            return Version(data, pin.source, pin.mark.changed_ns, self.opened_ns)
        return Version(LOST, None, 0, self.opened_ns)

    def _look(self, path: str) -> Version | None:
        return self._looked(path)[1]

    def _looked(self, path: str) -> tuple[Fingerprint | None, Version | None]:
        """The file as it is now; no version where it moves while it is read, or cannot be."""
        for _ in range(3):
            mark = self._reader.fingerprint(path)
            source = None if mark is None else source_of(self._folder, path)
            with suppress(BadInput):
                data = self._reader.read(path)
                if self._reader.fingerprint(path) == mark and (data is None) == (mark is None):
                    return mark, Version(data, source, 0 if mark is None else mark.changed_ns)
        return None, None

    def _as_opened(self, marks: Mapping[str, Fingerprint]) -> dict[str, Fingerprint]:
        """Those that are as the stage began with them, and what is gone of it."""
        found = {path: mark for path, mark in marks.items() if self._is_as_opened(path, mark)}
        for path, began in (self.began or {}).items():
            is_listed = path in marks or not PRUNED.isdisjoint(path.split("/"))
            if not is_listed and _may_be_file(began) and self._reader.fingerprint(path) is None:
                found[path] = _GONE
        return found

    def _is_as_opened(self, path: str, mark: Fingerprint | None) -> bool:
        """Whether a file in this state, or none, is what the stage began with there."""
        if self._frozen is not None:
            return mark == self._frozen.mark(path)
        began = None if self.began is None else self.began.get(path, ())
        if mark is None:
            return path not in self._pins and not (began and _may_be_file(began))
        if began is None or (began and not _may_be_file(began)):  # a link's own mark says nothing
            return mark.changed_ns < self.opened_ns - CLOCK_NS
        return tuple(began[:4]) == (mark.inode, mark.size, mark.mtime_ns, mark.changed_ns)


def _may_be_file(began: FileMark) -> bool:
    return not (stat.S_ISLNK(began[-1]) or stat.S_ISDIR(began[-1]))


def _differ(one: Version, other: Version) -> bool:
    return (one.data, one.source) != (other.data, other.source)
