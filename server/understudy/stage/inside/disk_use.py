"""What lies in a folder on disk, counted as a disk limit counts it: standard library alone."""

from __future__ import annotations

import os
from contextlib import suppress

BYTES_A_FILE = 4096
"""What a file counts for at least: an empty one takes memory and room for its name, too."""


def written(folder: int, most: float = float("inf")) -> int:
    """What lies below an open folder, in bytes on the disk; an empty file counts as a block.

    Once it is more than `most`, nobody counts on.
    """
    total = 0
    for _, folders, names, here in os.fwalk(b".", dir_fd=folder):
        for name in (*folders, *names):
            with suppress(OSError):
                blocks = os.stat(name, dir_fd=here, follow_symlinks=False).st_blocks
                total += max(blocks * 512, BYTES_A_FILE)
            if total > most:
                return total
    return total


def written_below(path: str | os.PathLike[str]) -> int:
    """The same of a folder by its path."""
    folder = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return written(folder)
    finally:
        os.close(folder)
