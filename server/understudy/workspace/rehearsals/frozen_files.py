"""The user's files as a snapshot has kept them: nothing of it has to be read in time."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path

from understudy.disk.folder.scan import FolderReader, Selection, scan
from understudy.shadow.folder import Fingerprint
from understudy.stage.beneath import open_beneath
from understudy.stage.overlay.sightings import source_of
from understudy.stage.overlay.upper import read_still
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.workspace.rehearsals.bases import LOST, Version

_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FrozenFiles:
    """The files below a snapshot; nobody writes there, so that threads may share it."""

    def __init__(self, folder: Path) -> None:
        self._place = folder
        self._root = Root(folder)
        self._reader = FolderReader(self._root)
        self._folder = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def close(self) -> None:
        """Let the folder go."""
        os.close(self._folder)

    def marks(self, selection: Selection) -> Mapping[str, Fingerprint]:
        """Those of all files; one that has not changed since has the same in the user's folder."""
        return scan(self._root, selection).files

    def mark(self, path: str) -> Fingerprint | None:
        """That of one file; None where there is none."""
        return self._reader.fingerprint(path)

    def version(self, path: str, shown_ns: int) -> Version:
        """What the file was, as the kernel names it there; the text of a link is not known."""
        try:
            file = open_beneath(self._folder, path, _READ)
        except OSError as error:
            is_none = error.errno in (errno.ENOENT, errno.ENOTDIR) and self._is_there()
            return Version(None if is_none else LOST, None, 0, shown_ns)
        with os.fdopen(file, "rb") as stream:
            try:
                found = read_still(stream, path)
            except (BadInput, OSError):
                return Version(LOST, None, 0, shown_ns)
            if found is None:
                return Version(None, None, 0, shown_ns)
        mark, data = found
        return Version(data, source_of(self._folder, path), mark[3], shown_ns)

    def _is_there(self) -> bool:
        """Whether nobody has removed the snapshot: then it would seem that there was no file."""
        try:
            return os.path.samestat(os.fstat(self._folder), self._place.stat())
        except OSError:
            return False
