"""Snapshots of btrfs subvolumes by the kernel's own calls: each is made, and removed, at once."""

from __future__ import annotations

import errno
import os
import struct
import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

_SUBVOLUME_INODE = 256
_NAME = 4040
_READ_ONLY = 1 << 1
_FOLDER = os.O_RDONLY | sum(
    getattr(os, name, 0) for name in ("O_DIRECTORY", "O_NOFOLLOW", "O_CLOEXEC")
)


def _call(direction: int, number: int, size: int) -> int:
    return direction << 30 | size << 16 | 0x94 << 8 | number


_SNAPSHOT, _DESTROY, _FLAGS = _call(1, 23, 4096), _call(1, 15, 4096), _call(1, 26, 8)
_INFO, _CHILDREN = _call(2, 31, 1024), _call(3, 61, 4096)
_ID = slice(16, 32)
"""Where struct btrfs_ioctl_fs_info_args has the id of the file system."""
_N_CHILDREN = 8 + 255 * 16
"""Where struct btrfs_ioctl_get_subvol_rootref_args counts its entries."""


def is_subvolume(folder: Path) -> bool:
    """Whether a folder is the top of a subvolume; False on any other file system."""
    try:
        return folder.stat().st_ino == _SUBVOLUME_INODE and file_system(folder) is not None
    except OSError:
        return False


def file_system(folder: Path) -> bytes | None:
    """The id of the btrfs that a folder lies on, whatever its subvolume; None for another kind."""
    answer = bytearray(1024)
    try:
        _ask(folder, _INFO, answer)
    except OSError:
        return None
    return bytes(answer[_ID])


def holds_subvolumes(folder: Path) -> bool:
    """Whether there are others in a subvolume, in whose place a snapshot has empty folders.

    Raises OSError, ENOTTY where the kernel cannot say.
    """
    answer = bytearray(4096)
    try:
        _ask(folder, _CHILDREN, answer)
    except OSError as error:
        if error.errno == errno.EOVERFLOW:  # more than one answer takes
            return True
        raise
    return answer[_N_CHILDREN] > 0


def make_snapshot(source: Path, target: Path, *, read_only: bool) -> None:
    """Make a snapshot of a subvolume at a path of the same file system; raises OSError."""
    with _opened(source) as folder:
        # Mutable, as constants may not be so long.
        head = struct.pack("=qQQ32x", folder, 0, _READ_ONLY if read_only else 0)
        _ask(target.parent, _SNAPSHOT, bytearray(head + _name(target.name, _NAME)))


def can_remove(home: Path) -> bool:
    """Whether we may remove a snapshot in a folder as a whole; raises OSError.

    The kernel is asked to remove an ordinary folder so: it says who may first, then that it is no
    subvolume.
    """
    place = Path(tempfile.mkdtemp(dir=home))
    try:
        with _opened(home) as folder:
            _destroy(folder, place.name)
    except OSError as error:
        return error.errno == errno.EINVAL
    finally:
        with suppress(FileNotFoundError):
            place.rmdir()
    return False


def remove_snapshot(top: Path, within: str) -> None:
    """Remove what `make_snapshot` has made at a path within a folder; raises OSError.

    No link is followed, of the folder neither. It can be written to afterwards where it cannot be
    removed as a whole.
    """
    *above, name = within.split("/")
    with ExitStack() as held:
        folder = held.enter_context(_opened(top))
        for part in above:
            folder = held.enter_context(_opened(part, folder))
        place = held.enter_context(_opened(name, folder))
        if os.fstat(place).st_ino != _SUBVOLUME_INODE:
            raise NotADirectoryError(errno.ENOTDIR, "no subvolume", name)
        with suppress(OSError):  # root removes a read-only one as well
            _call_kernel(place, _FLAGS, bytearray(8))
        _destroy(folder, name)


def _destroy(folder: int, name: str) -> None:
    _call_kernel(folder, _DESTROY, bytearray(struct.pack("=q", 0) + _name(name, 4088)))


def _name(name: str, size: int) -> bytes:
    raw = os.fsencode(name)
    if len(raw) >= size:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), name)
    return raw.ljust(size, b"\0")


@contextmanager
def _opened(folder: Path | str, above: int | None = None) -> Generator[int, None, None]:
    descriptor = os.open(folder, _FOLDER, dir_fd=above)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _ask(folder: Path, call: int, arguments: bytearray) -> None:
    with _opened(folder) as descriptor:
        _call_kernel(descriptor, call, arguments)


def _call_kernel(folder: int, call: int, arguments: bytearray) -> None:
    if sys.platform != "linux":
        raise OSError(errno.ENOTTY, os.strerror(errno.ENOTTY))
    import fcntl  # noqa: PLC0415 - not on Windows

    fcntl.ioctl(folder, call, arguments)
