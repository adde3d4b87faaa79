"""Files of a stage through a descriptor of its root: no link and no `..` leads out of it.

By path (`/proc/PID/root`) a link that a command made would be followed in *our* namespace, into
the user's own files.
"""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError

_OPENAT2 = 437
_NO_XDEV, _NO_MAGICLINKS, _NO_SYMLINKS, _BENEATH = 0x01, 0x02, 0x04, 0x08
_RESOLVE = _NO_MAGICLINKS | _NO_SYMLINKS | _BENEATH
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_FOLDER = getattr(os, "O_PATH", 0) | getattr(os, "O_DIRECTORY", 0)
_CHUNK = 1 << 20


def open_beneath(folder: int, path: str | bytes, flags: int, mode: int = 0) -> int:
    """Open a path below an open folder; raises OSError ELOOP or EXDEV where it would leave it."""
    raw = os.fsencode(path)
    how = ctypes.create_string_buffer(struct.pack("QQQ", flags | _CLOEXEC, mode, _RESOLVE), 24)
    libc = ctypes.CDLL(None, use_errno=True)
    for _ in range(16):  # EAGAIN: something was renamed while the kernel looked
        descriptor = int(libc.syscall(_OPENAT2, folder, raw, how, 24))
        if descriptor >= 0:
            return descriptor
        if ctypes.get_errno() != errno.EAGAIN:
            break
    number = ctypes.get_errno()
    raise OSError(number, os.strerror(number), os.fsdecode(raw))


def check_path(path: str) -> None:
    """Raise BadInput unless this can be a root-relative path; links are not looked at here."""
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError as error:
        raise BadInput("bad-path", "no file can have this name", ascii(path)[1:-1]) from error
    if not raw or b"\0" in raw:
        raise BadInput("bad-path", "not a path", ascii(path)[1:-1])
    if raw.startswith(b"/") or raw.rpartition(b"/")[2] in (b"", b".", b".."):
        raise BadInput("outside-root", "paths on a stage are below its root", path)


def write_file(root: int, path: str, data: bytes, mtime: int | None) -> None:
    """Put a file there, with the folders above it; raises as `Stage.write` says."""
    with named(path), parent(root, path, make=True) as (folder, name):
        mode = None
        try:
            file = open_beneath(folder, name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        except OSError as error:
            if error.errno not in (errno.EOVERFLOW, errno.EACCES, errno.EPERM):
                raise
            # Read-only, or another user's: it cannot be opened, but perhaps be replaced.
            mode = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            os.unlink(name, dir_fd=folder)
            file = open_beneath(folder, name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            _fill(file, data)
            if mode is not None:
                os.fchmod(file, mode)
            if mtime is not None:
                os.utime(file, (mtime, mtime))
        finally:
            os.close(file)


def _fill(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view[:_CHUNK]) :]


def remove_file(root: int, path: str) -> None:
    """Take a file away, and the folders that this empties; one that is not there is fine."""
    with named(path):
        try:
            with parent(root, path, make=False) as (folder, name):
                os.unlink(name, dir_fd=folder)
        except (FileNotFoundError, NotADirectoryError):
            return
        above = path.rpartition("/")[0]
        while above:
            with suppress(FileNotFoundError), parent(root, above, make=False) as (folder, name):
                try:
                    os.rmdir(name, dir_fd=folder)
                except OSError:
                    return  # there is something else in it
            above = above.rpartition("/")[0]


def touch_folder(root: int, path: str, mtime: int) -> None:
    """Give a folder another time; one that is not there is fine."""
    with named(path), suppress(FileNotFoundError):
        folder = open_beneath(root, path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.utime(folder, (mtime, mtime))
        finally:
            os.close(folder)


def read_file(root: int, path: str) -> bytes | None:
    """The content of a regular file; None where there is none."""
    with named(path):
        try:
            file = open_beneath(root, path, os.O_RDONLY | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(file, "rb") as stream:
            return stream.read() if stat.S_ISREG(os.fstat(file).st_mode) else None


@contextmanager
def parent(root: int, path: str, *, make: bool) -> Generator[tuple[int, bytes], None, None]:
    """The open folder of a path and the last name; with `make`, folders are made on the way."""
    raw = os.fsencode(path)
    above, _, name = raw.rpartition(b"/")
    folder = _folder(root, above or b".", make=make)
    try:
        yield folder, name
    finally:
        os.close(folder)


def _folder(root: int, path: bytes, *, make: bool) -> int:
    try:
        return open_beneath(root, path, _FOLDER)
    except FileNotFoundError:
        if not make:
            raise
    above, _, name = path.rpartition(b"/")
    parent = _folder(root, above or b".", make=True)
    try:
        with suppress(FileExistsError):
            os.mkdir(name, 0o777, dir_fd=parent)
        return open_beneath(parent, name, _FOLDER)
    finally:
        os.close(parent)


@contextmanager
def named(path: str) -> Generator[None, None, None]:
    """Turn the system's errors into ours."""
    try:
        yield
    except OSError as error:
        raise _error(error, path) from error


def _error(error: OSError, path: str) -> UnderstudyError:
    text = error.strerror or str(error)
    if error.errno in (errno.ELOOP, errno.EXDEV):
        return Refused("symlink", "a symbolic link is in the way: nothing is written through", path)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OutsideFailure("stage-full", "the stage's disk is full", path)
    if error.errno == errno.EOVERFLOW:
        return OutsideFailure("foreign-owner", "another user owns it: not writable here", path)
    if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EISDIR, errno.ENOTDIR):
        return BadInput("bad-path", f"no file can be here: {text}", path)
    return OutsideFailure("stage-failed", f"cannot change this file on the stage: {text}", path)


def real_path(root: Path, path: str, *, last: bool) -> str:
    """The path with links of the user's own folder followed, as far as they stay below the root.

    `last` follows the last component, too. Links that commands made on the stage do not count.
    """
    above, _, name = path.rpartition("/")
    real = Path(os.path.realpath(root / path if last else root / above))
    if not real.is_relative_to(root):
        return path
    return (real if last else real / name).relative_to(root).as_posix()
