"""A child's stderr as a private log file that never grows beyond its cap."""

from __future__ import annotations

import os
from pathlib import Path

LOG_CAP = 1024 * 1024
"""Bytes in one log file; one older file of the same size is kept beside it (`NAME.1`)."""

_LINE_CAP = 300


class StderrLog:
    """Appends bytes to `path` (mode 0600), rotates at the cap and counts what that dropped."""

    def __init__(self, path: Path, cap: int = LOG_CAP) -> None:
        self.path = path
        self.dropped = 0
        self._cap = cap
        self._tail = b""
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = _open_private(path)
        self._size = os.fstat(self._file).st_size

    def write(self, data: bytes) -> None:
        """Append; a piece longer than the cap goes out in parts."""
        for start in range(0, len(data), self._cap):
            part = data[start : start + self._cap]
            if self._size + len(part) > self._cap:
                self._rotate()
            os.write(self._file, part)
            self._size += len(part)
        self._tail = (self._tail + data[-2 * _LINE_CAP :])[-2 * _LINE_CAP :]

    @property
    def last_line(self) -> str:
        """The last line with anything on it, shortened; empty if there was none."""
        lines = [
            line for line in self._tail.decode("utf-8", "replace").splitlines() if line.strip()
        ]
        return lines[-1].strip()[:_LINE_CAP] if lines else ""

    def close(self) -> None:
        """Close the file; writing is over."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _rotate(self) -> None:
        older = self.path.with_name(self.path.name + ".1")
        self.dropped += older.stat().st_size if older.exists() else 0
        os.close(self._file)
        self.path.replace(older)
        self._file = _open_private(self.path)
        note = f"[{self.dropped} bytes of older output dropped]\n".encode() if self.dropped else b""
        os.write(self._file, note)
        self._size = len(note)


def _open_private(path: Path) -> int:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, 0o600)  # the file may be older than our umask
    return handle
