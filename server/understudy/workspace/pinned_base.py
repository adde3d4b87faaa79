"""A base that goes on reading as it did: files are pinned, within a limit, before they change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event

from understudy.dependents.onlookers import kind_of
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView, Moved, Reader
from understudy.values.errors import BadInput


class Forgotten(Moved):
    """The text that a file had then is not known (reason `base-unknown`)."""


def base_of_then(base: Base, covers: Callable[[str], bool]) -> Base:
    """A base that was scanned just now, for later: a file that has changed since is Forgotten.

    `covers` tells which paths the scan would have listed. `pin` keeps what may change.
    """
    # A view of its own: the thread that pins must not write into one that the event loop reads.
    folder = base.folder
    reader = _ReaderOfThen(folder.reader, folder, covers)
    pins = dict(folder.pinned())
    return replace(base, folder=folder.then(folder.files, pins, reader))


def pin(base: Base, limit: int, stop: Event | None = None) -> int:
    """Read files up to `limit` bytes in all; returns how many are pinned or need no pin."""
    view = base.folder
    n_pinned = total = 0
    # Notebooks and pages may be huge, and no server asks for them: what is left is theirs.
    for path in sorted(view.files, key=lambda path: (kind_of(path) is not None, path)):
        if stop is not None and stop.is_set():
            break
        total += view.files[path].size
        if total > limit and path not in view.pinned():
            continue
        try:
            view.packed(path)
        except Moved:
            continue  # changed since the scan: its text of then is lost already
        except BadInput:
            pass  # no text (binary, too large), then as now
        n_pinned += 1
    return n_pinned


class _ReaderOfThen:
    """Reads what has not changed since; a file that was not there then is not there."""

    def __init__(self, reader: Reader, folder: FolderView, covers: Callable[[str], bool]) -> None:
        self._reader = reader
        self._files = folder.files
        self._covers = covers

    def read(self, path: str) -> bytes | None:
        return self._reader.read(path) if path in self._files else None

    def fingerprint(self, path: str) -> Fingerprint | None:
        expected = self._files.get(path)
        if expected is not None:
            if self._reader.fingerprint(path) != expected:
                raise Forgotten(path)
            return expected
        if self._covers(path):
            return None
        raise Forgotten(path)
