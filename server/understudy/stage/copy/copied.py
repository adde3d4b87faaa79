"""What a copy of a folder began with: each entry's state in the folder, and in the copy.

By these, whoever looks later tells what has changed on either side without reading a file.
"""

from __future__ import annotations

import json
import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from understudy.disk.layout import open_private
from understudy.stage.live import FileMark
from understudy.values.frozen import frozen

Method = Literal["snapshot", "clonefile", "reflink", "plain"]
Pair = tuple[FileMark, FileMark]

UNSURE: FileMark = (0, 0, 0, 0, 0)
"""The mark of a file that may have changed again within the time that the kernel's clock rests."""
_SCHEMA = 1
_A_MARK = len(UNSURE)
_LARGEST = (1 << 63) - 1


@frozen
class Manifest:
    """Path -> its mark in the folder, and in the copy; folders end with `/`, the root is empty.

    `n_bytes` is what the copy takes, as a disk limit counts it.
    """

    method: Method
    entries: dict[str, Pair]
    n_bytes: int

    @property
    def theirs(self) -> dict[str, FileMark]:
        """The marks in the folder, of all but folders."""
        return {
            path: theirs
            for path, (theirs, _) in self.entries.items()
            if path and not path.endswith("/")
        }

    def save(self, file: Path, of: str) -> None:
        """Write it down, as that of the copy `of`."""
        paths = "\0".join(self.entries).encode("utf-8", "surrogatepass")
        told = {"schema": _SCHEMA, "of": of, "method": self.method, "bytes": self.n_bytes}
        head = json.dumps({**told, "paths": len(paths)}).encode("ascii") + b"\n"
        # What is too large for the file (an inode of 64 bits, a time of far away) differs when it
        # is read again: such a file is copied each time.
        flat = (n & _LARGEST for n in chain.from_iterable(chain(*self.entries.values())))
        # Nothing waits for the disk here: after a power cut an older one, or none, tells of files
        # that are not what the copy has, and these are copied.
        beside = file.with_name(f"{file.name}.new")
        with os.fdopen(open_private(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as stream:
            stream.write(head + paths + array("q", flat).tobytes())
        beside.replace(file)

    @staticmethod
    def load(file: Path, of: str) -> Manifest | None:
        """What was written down of this copy; None where nothing is that we can read."""
        try:
            head, _, rest = file.read_bytes().partition(b"\n")
            told: dict[str, Any] = json.loads(head)
            if (told["schema"], told["of"]) != (_SCHEMA, of):
                return None
            end = int(told["paths"])
            numbers = array("q", rest[end:])
            paths = rest[:end].decode("utf-8", "surrogatepass").split("\0")
            marks = list(_by(_A_MARK, numbers))
            entries = dict(zip(paths, _by(2, marks), strict=True))
            return Manifest(told["method"], entries, int(told["bytes"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None


def _by(size: int, items: Any) -> Iterator[Any]:  # noqa: ANN401 - numbers, or marks
    return zip(*[iter(items)] * size, strict=True)


@dataclass
class Copied:
    """How a folder was copied; paths are root-relative and sorted.

    `linked` are folders that are symbolic links to the user's own, `left_out` are those that are
    missing, `special` are pipes, sockets and devices, `unreadable` is what could not be read.
    """

    method: Method
    linked: list[str] = field(default_factory=list[str])
    left_out: list[str] = field(default_factory=list[str])
    special: list[str] = field(default_factory=list[str])
    unreadable: list[str] = field(default_factory=list[str])
    manifest: Manifest | None = None
    n_taken: int = 0
    """How many files and links were copied: all, or those that differed."""

    def sort(self) -> None:
        """Bring the paths into order."""
        for listed in (self.linked, self.left_out, self.special, self.unreadable):
            listed.sort()


def name_of(root: Path, target: Path) -> str:
    """What a manifest is of: another folder, or another place, is another copy."""
    return f"{os.fsencode(root).hex()}:{os.fsencode(target).hex()}"
