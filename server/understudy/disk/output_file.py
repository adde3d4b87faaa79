"""A command's whole output as a private file; beyond a cap its middle is left out and counted."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from understudy.disk.layout import make_private_folder, open_private
from understudy.disk.room import what_disk_says
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

OUTPUT_CAP = 256 * 1024 * 1024
"""Bytes of one output that are kept: its beginning, and the last `TAIL_BYTES`."""
TAIL_BYTES = 8 * 1024 * 1024
MAX_FILES, MAX_TOTAL = 100, 4 * 1024**3
"""Outputs that a folder keeps; older ones make room."""

_open: set[Path] = set()
"""Those that this process writes: however old they are, they make no room."""

_HEAD_SHOWN, _TAIL_SHOWN = 4 * 1024, 8 * 1024


@frozen(slots=True)
class StoredOutput:
    """An output that lies on disk, and what a receipt tells of it.

    `left_out` bytes of its middle are not in the file, where a line in their place says so;
    `redacted` secrets were taken out before it was written.
    `head` and `tail` are the first and last kilobytes, `tail` without what `head` shows.
    """

    path: Path
    size: int
    lines: int
    left_out: int
    head: bytes
    tail: bytes
    redacted: int = 0


class OutputFile:
    """Takes an output piece by piece; `finish` makes sure that it is on disk."""

    def __init__(self, folder: Path, cap: int = OUTPUT_CAP, tail: int = TAIL_BYTES) -> None:
        """Make the next numbered file; raises OutsideFailure `state-unwritable`."""
        make_private_folder(folder)
        self.path, self._file = _next_file(folder)
        _open.add(self.path)
        self._head_cap, self._ring = cap - tail, tail
        self._size = self._lines = 0
        self._head, self._tail = b"", b""
        self._last = b""

    def write(self, data: bytes) -> None:
        """Append; raises OutsideFailure `state-unwritable` when our disk is full."""
        if not data:
            return
        try:
            self._put(data)
        except OSError as error:
            text = f"the output cannot be kept: {what_disk_says(error, self.path)}"
            raise OutsideFailure("state-unwritable", text, str(self.path)) from error
        self._lines += data.count(b"\n")
        self._last = data[-1:]
        if len(self._head) < _HEAD_SHOWN:
            self._head += data[: _HEAD_SHOWN - len(self._head)]
        self._tail = (self._tail + data[-_TAIL_SHOWN:])[-_TAIL_SHOWN:]

    def finish(self) -> StoredOutput:
        """Put the end in order, flush it to the disk, close; returns what there was."""
        try:
            left_out = self._straighten()
            os.fsync(self._file)
        except OSError as error:
            text = f"the output cannot be kept: {what_disk_says(error, self.path)}"
            raise OutsideFailure("state-unwritable", text, str(self.path)) from error
        finally:
            self.close()
        lines = self._lines + (self._last not in (b"", b"\n"))
        shown = min(len(self._tail), self._size - len(self._head))
        tail = self._tail[len(self._tail) - shown :]
        return StoredOutput(self.path, self._size, lines, left_out, self._head, tail)

    def close(self) -> None:
        """Close the file; writing is over."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
            _open.discard(self.path)

    def _put(self, data: bytes) -> None:
        """Write the beginning as it comes, then go round in a ring of the last bytes."""
        while data:
            if self._size < self._head_cap:
                part = data[: self._head_cap - self._size]
                at = self._size
            else:
                beyond = (self._size - self._head_cap) % self._ring
                part = data[: self._ring - beyond]
                at = self._head_cap + beyond
            _write_all(self._file, part, at)
            self._size += len(part)
            data = data[len(part) :]

    def _straighten(self) -> int:
        """Turn the ring to its true order; the bytes that it has lost."""
        left_out = self._size - self._head_cap - self._ring
        if left_out <= 0:
            return 0
        split = (self._size - self._head_cap) % self._ring
        os.lseek(self._file, self._head_cap, os.SEEK_SET)
        ring = os.read(self._file, self._ring)
        note = f"\n[understudy: {left_out} bytes left out here]\n".encode()
        _write_all(self._file, note + ring[split:] + ring[:split], self._head_cap)
        return left_out


def _write_all(handle: int, data: bytes, at: int) -> None:
    os.lseek(handle, at, os.SEEK_SET)
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def _next_file(folder: Path) -> tuple[Path, int]:
    """The file after the last one, after older ones have made room."""
    kept = sorted((int(path.stem), path) for path in folder.glob("*.log") if path.stem.isdigit())
    total = 0
    for index, (_, path) in enumerate(reversed(kept)):
        with suppress(OSError):  # another run has removed it
            total += path.stat().st_size
            if (index >= MAX_FILES - 1 or total > MAX_TOTAL) and path not in _open:
                path.unlink()
                path.with_suffix(".patch").unlink(missing_ok=True)
                shutil.rmtree(path.with_suffix(".kept"), ignore_errors=True)
    number = kept[-1][0] + 1 if kept else 1
    while True:
        path = folder / f"{number}.log"
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        try:
            return path, open_private(path, flags)
        except OutsideFailure:
            if not path.exists():
                raise
            number += 1  # another run was faster
