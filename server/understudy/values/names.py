"""Names that some system takes for another one: for git's own folder, or a device of Windows.

A folder may lie on another system's disk, and what is accepted here is checked out elsewhere.
git's rules are those of `core.protectNTFS` and `core.protectHFS`, and on Windows its own for paths.
"""

from __future__ import annotations

import re
from typing import Literal

NameRule = Literal["everywhere", "here"]
"""Where a new file's name has to be safe; `here` is what git asks for on this system."""

# HFS+ looks past these when it compares names.
_HFS_IGNORED = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
# NTFS drops dots and spaces at the end, gives each long name a short one, and has streams.
_NTFS_GIT = re.compile(r"(?:\.git|git~1)[. ]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_DEVICE = re.compile(
    r"(?:aux|con|nul|prn|conin\$|conout\$|(?:com|lpt)[0-9\xb9\xb2\xb3]) *(?:[.:].*)?",
    re.IGNORECASE | re.DOTALL,
)


def is_git_folder(name: str) -> bool:
    """Whether some system takes this component of a path for `.git`.

    A backslash is a part of a name on POSIX, and separates names elsewhere.
    """
    if name.isascii() and "git" not in name.lower():
        return False
    return any(_NTFS_GIT.fullmatch(part) for part in _HFS_IGNORED.sub("", name).split("\\"))


def reserved(name: str) -> str | None:
    """What Windows makes of a component of a path that is not a file of that name; else None."""
    if _DEVICE.fullmatch(name):
        return "a device"
    if name.endswith((".", " ")):
        return "the name without its end"
    return "a stream of another file" if ":" in name else None
