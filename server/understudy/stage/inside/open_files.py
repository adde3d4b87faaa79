"""Whether a process of the stage still uses a file: has opened it, or mapped it to write."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from understudy.stage.inside.census import all_but_first

_FLAGS = re.compile(rb"^flags:\s*([0-7]+)", re.MULTILINE)
_WRITES_BACK = re.compile(rb"^\S+ .w.s ")


def is_used(path: bytes, *, readers: bool, pids: Iterable[int] | None = None) -> bool:
    """Whether anybody has the file of this path open for writing, or (`readers`) at all.

    `pids` are the stage's processes, where it has no namespace of its own.
    """
    everybody = all_but_first() if pids is None else pids
    return any(_uses(f"/proc/{pid}", path, readers) for pid in everybody)


def _uses(process: str, path: bytes, readers: bool) -> bool:
    with suppress(OSError):  # it ends just now
        for name in os.listdir(f"{process}/fd"):
            with suppress(OSError):
                if os.fsencode(os.readlink(f"{process}/fd/{name}")) == path:
                    if readers:
                        return True
                    flags = _FLAGS.search(Path(f"{process}/fdinfo/{name}").read_bytes())
                    if flags is None or int(flags[1], 8) & os.O_ACCMODE != os.O_RDONLY:
                        return True
        lines = Path(f"{process}/maps").read_bytes().splitlines()
        return any(line.endswith(b" " + path) and _WRITES_BACK.match(line) for line in lines)
    return False
