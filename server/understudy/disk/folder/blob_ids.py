"""Files of the user's folder by the ids that git gives their content."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Literal, NamedTuple

from understudy.shadow.folder import Fingerprint

_CHUNK = 1024 * 1024


class OnDisk(NamedTuple):
    """What stands at a path, links not followed."""

    kind: Literal["file", "link", "folder", "other"]
    mark: Fingerprint


def look(path: str) -> OnDisk | None:
    """What stands there now, None if nothing does."""
    try:
        state = os.lstat(path)  # a Path would take longer to make than the call itself
    except (OSError, ValueError):
        return None
    changed = 0 if os.name == "nt" else state.st_ctime_ns
    mark = Fingerprint(state.st_mtime_ns, state.st_size, state.st_ino, changed)
    if stat.S_ISREG(state.st_mode):
        return OnDisk("file", mark)
    if stat.S_ISLNK(state.st_mode):
        return OnDisk("link", mark)
    return OnDisk("folder" if stat.S_ISDIR(state.st_mode) else "other", mark)


def blob_id(data: bytes, object_format: str) -> str:
    """The id of a blob with this content; `object_format` is git's: sha1 or sha256."""
    digest = hashlib.new(object_format, usedforsecurity=False)
    digest.update(b"blob %d\0" % len(data))
    digest.update(data)
    return digest.hexdigest()


def file_id(path: Path, found: OnDisk, object_format: str) -> str | None:
    """The id of a file's content or a link's target; None if it changes or cannot be read."""
    try:
        if found.kind == "link":
            return blob_id(os.fsencode(path.readlink()), object_format)
        if found.kind != "file":
            return None
        digest = hashlib.new(object_format, usedforsecurity=False)
        digest.update(b"blob %d\0" % found.mark.size)
        length = 0
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as stream:
            while data := stream.read(_CHUNK):
                digest.update(data)
                length += len(data)
        return digest.hexdigest() if length == found.mark.size else None
    except OSError:
        return None
