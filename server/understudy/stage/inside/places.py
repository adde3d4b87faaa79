"""One place of a view: a folder, a file, a link or a text that is put where a path leads."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from understudy.stage.inside import kernel
from understudy.stage.inside.packets import encode
from understudy.stage.inside.steps import step

_LOOK = os.O_PATH | os.O_CLOEXEC


def folder_in(parent: int, name: bytes, mode: int) -> int:
    """An open folder of this name, made if it is not there, with exactly this mode."""
    with suppress(FileExistsError):
        os.mkdir(name, mode, dir_fd=parent)
        os.chmod(name, mode, dir_fd=parent)
    return os.open(name, _LOOK | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)


def make_folder(target: bytes) -> None:
    """The place for a mount; it is missing only where a folder above it is a new, empty one."""
    if not os.path.isdir(target):
        os.makedirs(target, 0o755, exist_ok=True)


def show(shown: int, target: bytes) -> None:
    """An open file or folder of the machine."""
    with step("visible paths"):
        if stat.S_ISDIR(os.fstat(shown).st_mode):
            make_folder(target)
        else:
            make_folder(os.path.dirname(target))
            with suppress(FileExistsError):
                os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o444))
        kernel.bind(shown, target)


def link(destination: str, target: bytes) -> None:
    """A symbolic link, where nothing is."""
    with step("links"):
        make_folder(os.path.dirname(target))
        with suppress(FileExistsError):
            os.symlink(encode(destination), target)


def put(text: bytes, target: bytes) -> None:
    """A text in a folder that is new here, where the user's own file is not shown."""
    with step("settings"):
        make_folder(os.path.dirname(target))
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW
        with suppress(FileExistsError), os.fdopen(os.open(target, flags, 0o644), "wb") as file:
            file.write(text)


def copy_attributes(lower: int, upper: int) -> None:
    """An overlay shows its upper's root: give it the folder's own mode, owner and times."""
    status = os.stat(b"/proc/self/fd/%d" % lower)
    here = b"/proc/self/fd/%d" % upper
    with suppress(OSError):  # an owner that has no number in our user namespace
        os.chown(here, status.st_uid, status.st_gid)
    os.chmod(here, stat.S_IMODE(status.st_mode))
    copy_times(lower, upper)


def copy_times(lower: int, upper: int) -> None:
    """Give one open folder the times of the other."""
    status = os.stat(b"/proc/self/fd/%d" % lower)
    os.utime(b"/proc/self/fd/%d" % upper, ns=(status.st_atime_ns, status.st_mtime_ns))
