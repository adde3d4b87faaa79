"""Which servers have found something in this folder, so that their silence there may count.

Kept with the folder's state, where it has any: what was seen of a server, its settings and its
configuration need not be seen again.
"""

from __future__ import annotations

from pathlib import Path

from understudy.disk.kept_file import read_kept, write_kept
from understudy.values.stamps import Stamp

_MAKER = b"voices 1\n"
_MOST = 256


class Voices:
    """What was heard, by a stamp each; `file` keeps it, None for as long as this process lives."""

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        self._heard: dict[Stamp, None] | None = None

    def has_heard(self, stamp: Stamp) -> bool:
        """Whether a server of this stamp has found anything."""
        return stamp in self._known()

    def note(self, stamp: Stamp) -> None:
        """Keep that it has; a disk that takes nothing keeps nothing."""
        known = self._known()
        if stamp in known:
            return
        known[stamp] = None
        while len(known) > _MOST:
            del known[next(iter(known))]
        if self._file is not None:
            write_kept(self._file, _MAKER, "\n".join(known).encode("ascii"))

    def _known(self) -> dict[Stamp, None]:
        if self._heard is None:
            kept = None if self._file is None else read_kept(self._file, _MAKER)
            text = "" if kept is None else bytes(kept).decode("ascii", "replace")
            self._heard = dict.fromkeys(text.split())
        return self._heard
