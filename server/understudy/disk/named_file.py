"""Writes files at places that the user names, but never through a link that the folder brought.

A repository can hold `out.patch -> ~/.bashrc`, or a folder of that kind on the way. Links outside
of it are the user's own, and followed.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from understudy.values.errors import Refused

_MOST_LINKS = 40  # as the kernel has it


def write_named(path: Path, data: bytes, root: Path) -> None:
    """Write a file, in place if there is one; `root` is the real path of the folder.

    Raises Refused `symlink`, OSError.
    """
    folder, name = _place(path, root)
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0)
    if folder.is_relative_to(root):
        flags |= getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(folder / name, flags, 0o666), "wb") as file:
        file.write(data)


def refuse_link(path: Path, root: Path) -> None:
    """Raise Refused `symlink` where a link in the folder would lead a write elsewhere."""
    _place(path, root)


def unwritable(file: Path, root: Path) -> int | None:
    """Why a file could not be written (an errno), as far as it can be told without doing it.

    Raises as `refuse_link` does.
    """
    refuse_link(file, root)
    if file.is_dir():
        return errno.EISDIR
    if not file.parent.is_dir():
        return errno.ENOENT
    return None if os.access(file if file.exists() else file.parent, os.W_OK) else errno.EACCES


def _place(path: Path, root: Path) -> tuple[Path, str]:
    """The real folder of a file and its name, found link by link."""
    path = path.absolute()
    here, left, n_links = Path(path.anchor), list(reversed(path.parts[1:])), 0
    name = ""
    while left:
        name = left.pop()
        if name in (".", ".."):
            here = here.parent if name == ".." else here
            continue
        at = here / name
        target = None
        with suppress(OSError):  # not there yet
            if stat.S_ISLNK(at.lstat().st_mode):
                target = at.readlink()
        if target is not None and here.is_relative_to(root):
            text = "a symbolic link of the folder is in the way; name another place"
            raise Refused("symlink", text, str(at))
        if target is not None and n_links < _MOST_LINKS and not _is_magic(at):
            n_links += 1
            if target.is_absolute():
                here = Path(target.anchor)
            parts = target.parts[1:] if target.is_absolute() else target.parts
            left += reversed(parts)
        elif left:
            here = at
    return here, name


def _is_magic(link: Path) -> bool:
    """Whether a link only looks like one to a path (`/dev/stdout` ends at such a one)."""
    return link.is_relative_to("/proc")
