"""Stores of git objects on a stage: each pack of the user's held by itself, so that none goes.

A file that is mounted elsewhere is there until that mount ends, whatever git prunes meanwhile.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress

from understudy.stage.inside import kernel, places
from understudy.stage.inside.steps import step

_LOOK = os.O_PATH | os.O_CLOEXEC
_ATTEMPTS = 10
_MOST_FILES = 20_000

Held = dict[bytes, int]
"""Relative names -> open files (O_PATH)."""


def held(opened: Callable[[bytes], int], store: bytes) -> Held:
    """Open the packs of a store, and what git knows about them; raises OSError.

    While git repacks, files come before others go: if one went, it is looked at again.
    """
    folder = opened(store)
    try:
        for _ in range(_ATTEMPTS):
            found: Held = {}
            if _look(folder, b"pack", found) and _look(folder, b"info", found):
                return found
            for descriptor in found.values():
                os.close(descriptor)
    finally:
        os.close(folder)
    raise OSError(f"the packs of {os.fsdecode(store)} do not stay for a moment")


def show(files: Held, holder: int, target: bytes) -> None:
    """Mount the held files below a new folder, an open one of ours, and let go of them."""
    with step("git objects"):
        places.make_folder(target)
        kernel.bind(holder, target)
        _mount(files, target)


def _mount(files: Held, target: bytes) -> None:
    for name, descriptor in files.items():
        path = target + b"/" + name
        os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_CLOEXEC, 0o444))
        kernel.bind(descriptor, path)
        os.close(descriptor)
    os.makedirs(target + b"/pack", 0o755, exist_ok=True)


def _look(store: int, below: bytes, found: Held) -> bool:
    """Open the files in a folder of the store; False if one of them went meanwhile."""
    try:
        folder = os.open(below, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=store)
    except FileNotFoundError:
        return True
    try:
        names = sorted(map(os.fsencode, os.listdir(folder)))
        for name in names:
            if name in (b"alternates", b"packs") or name.startswith(b"tmp_"):
                continue
            try:
                descriptor = os.open(name, _LOOK | os.O_NOFOLLOW, dir_fd=folder)
            except FileNotFoundError:
                return False
            kind = os.fstat(descriptor).st_mode
            if stat.S_ISREG(kind) and len(found) < _MOST_FILES:
                found[below + b"/" + name] = descriptor
                continue
            os.close(descriptor)
            if stat.S_ISDIR(kind):
                with suppress(OSError):
                    if not _look(store, below + b"/" + name, found):
                        return False
        return sorted(map(os.fsencode, os.listdir(folder))) == names
    finally:
        os.close(folder)
