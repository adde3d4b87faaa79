"""What is mounted below a folder: an overlay does not show it, so that each gets its own."""

from __future__ import annotations

import os
import re
from pathlib import Path

_ESCAPE = re.compile(rb"\\([0-7]{3})")


def mounts_below(folder: Path) -> list[Path]:
    """Folders on which other file systems are mounted, a folder before those in it."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return []
    prefix = os.fsencode(folder) + b"/"
    found: set[bytes] = set()
    for line in lines:
        raw = line.split(b" ", 5)[4]
        path = _ESCAPE.sub(lambda match: bytes([int(match[1], 8)]), raw) if b"\\" in raw else raw
        if path.startswith(prefix) and os.path.isdir(path):
            found.add(path)
    return [Path(os.fsdecode(path)) for path in sorted(found)]
