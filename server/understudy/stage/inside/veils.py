"""Folders of data elsewhere, shown through an overlay of their own that nobody can write.

A read-only mount does not keep anybody from connecting to a socket; but a socket that is seen
through an overlay is another one, on which nobody listens: whenever it came, whatever its name.
"""

from __future__ import annotations

import os

from understudy.stage.inside import kernel

_MOST = 500
"""Overlays that are tried: a folder with other mounts in it needs some for each folder beside."""


def opened(folders: list[bytes]) -> list[tuple[bytes, int]]:
    """The folders that we may look into, open (O_PATH); call it before anything is covered."""
    found: list[tuple[bytes, int]] = []
    for path in folders:
        try:
            found.append((path, os.open(path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)))
        except OSError:  # gone by now, or not for us: then it is for nobody on the stage
            continue
    return found


class Veils:
    """Mounts them; `unveiled` gets the folders in which users bind sockets that can be reached."""

    def __init__(self, empty: int, flags: int, options: bytes, unveiled: list[bytes]) -> None:
        self._empty = empty
        self._flags = flags
        self._options = options
        self._unveiled = unveiled
        self._n_left = _MOST

    def cover(self, shown: int, target: bytes) -> None:
        """Show an open folder at a path, through an overlay as far as there can be one."""
        if self._overlay(shown, target):
            return
        if not os.path.samestat(os.stat(target), os.fstat(shown)):
            kernel.bind(shown, target)
        self._cover_parts(target)

    def _overlay(self, shown: int, target: bytes) -> bool:
        layers = b"lowerdir=/proc/self/fd/%d:/proc/self/fd/%d" % (shown, self._empty)
        self._n_left -= 1
        try:
            kernel.mount(b"overlay", target, b"overlay", self._flags, layers + self._options)
        except OSError:
            return False
        return True

    def _cover_parts(self, folder: bytes) -> None:
        """In a user namespace, nothing shows what other mounts lie over: its parts, then."""
        if os.access(folder, os.W_OK):
            self._unveiled.append(folder)
        try:
            with os.scandir(folder) as entries:
                parts = sorted(e.path for e in entries if e.is_dir(follow_symlinks=False))
        except OSError:
            return
        for path, shown in opened(parts):
            if self._n_left > 0 and not self._overlay(shown, path):
                self._cover_parts(path)
            elif self._n_left <= 0 and os.access(path, os.W_OK):
                self._unveiled.append(path)
            os.close(shown)
