"""A btrfs of our own that nobody else sees, and a coroutine that is run on it.

    unshare --mount --propagation private python -m tests.support.on_btrfs IMAGE OPTIONS MODULE:NAME

The coroutine gets a folder that is a subvolume, with some files, and the top of the disk. Mount and
loop device end with the process.
"""

from __future__ import annotations

import asyncio
import fcntl
import importlib
import os
import subprocess
import sys
from pathlib import Path

LINES = [f"line {number}\n" for number in range(12)]
TEXT = "".join(LINES)
NAMES = ("a.txt", "b.txt", "c.txt", "sub/d.txt")
SIZE = 300 * 1024 * 1024
_MAKE_SUBVOLUME = 0x5000940E


def make_subvolume(place: Path) -> None:
    """Make an empty one."""
    above = os.open(place.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        name = os.fsencode(place.name).ljust(4088, b"\0")
        fcntl.ioctl(above, _MAKE_SUBVOLUME, bytearray(bytes(8) + name))
    finally:
        os.close(above)


def subvolumes(top: Path) -> set[str]:
    """The paths of all subvolumes of the disk, but of those in others."""
    found: set[str] = set()
    for folder, names, _ in os.walk(top):
        inner = [name for name in names if (Path(folder) / name).stat().st_ino == 256]
        found |= {(Path(folder) / name).relative_to(top).as_posix() for name in inner}
        names[:] = [name for name in names if name not in inner]
    return found


def refill(folder: Path) -> None:
    """Give the folder the files that it had at first, and no others."""
    for file in [*folder.rglob("*")]:
        if file.is_symlink() or not file.is_dir():
            file.unlink()
    for name in NAMES:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TEXT)


def main() -> None:
    """Mount, and run."""
    image, options, (module, _, name) = Path(sys.argv[1]), sys.argv[2], sys.argv[3].partition(":")
    with image.open("wb") as file:
        file.truncate(SIZE)
    subprocess.run(["mkfs.btrfs", "-q", image], check=True, capture_output=True)
    top = Path("/mnt")  # every user may look there
    subprocess.run(["mount", "-o", f"loop,{options}", image, top], check=True)
    make_subvolume(top / "project")
    refill(top / "project")
    asyncio.run(getattr(importlib.import_module(module), name)(top / "project", top))


if __name__ == "__main__":
    main()
