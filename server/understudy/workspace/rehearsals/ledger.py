"""What is known of each path that was written on a stage: its base, and the state last seen.

It lies on disk, too: whoever comes after a kill goes on where its owner stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder, open_private
from understudy.disk.room import needing_room
from understudy.stage.live import FileMark
from understudy.values.frozen import frozen

_FILE, _BASES = "ledger.jsonl", "bases"


@frozen(slots=True)
class Known:
    """A path's base as a digest (None: no file), and the bytes and the state that it had last.

    `is_base_known` is False where nobody can tell which text of the user's an edit is of.
    """

    base: str | None
    after: str | None
    mark: FileMark
    is_base_known: bool = True


class Ledger:
    """The book of one rehearsal; everything in it is on disk when `note` returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Known] = {}

    @property
    def known(self) -> Mapping[str, Known]:
        """What is known, by path."""
        return self._known

    def load(self) -> None:
        """Take over what lies on disk; a line that a kill has cut is none."""
        try:
            lines = (self._folder / _FILE).read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            try:
                told: dict[str, Any] = json.loads(line)
                self._known[told["path"]] = Known(
                    told["base"], told["after"], tuple(told["mark"]), told["baseKnown"]
                )
            except (ValueError, KeyError, TypeError):
                continue

    def base(self, path: str) -> bytes | None:
        """The text that the path's edits are of."""
        digest = self._known[path].base
        return None if digest is None else (self._folder / _BASES / digest).read_bytes()

    def keep(self, data: bytes | None) -> str | None:
        """Keep a text as a base; its digest. Raises OutsideFailure `state-full`."""
        if data is None:
            return None
        digest = digest_of(data)
        file = self._folder / _BASES / str(digest)
        if not file.exists():
            make_private_folder(file.parent)
            with needing_room(file):
                write_private(file, data)
        return digest

    def note(self, entries: Iterable[tuple[str, Known]]) -> None:
        """Write down what is known by now; raises OutsideFailure `state-full`."""
        lines: list[bytes] = []
        for path, known in entries:
            self._known[path] = known
            told = {
                "path": path, "base": known.base, "after": known.after, "mark": known.mark,
                "baseKnown": known.is_base_known,
            }  # fmt: skip
            lines.append(json.dumps(told).encode("ascii") + b"\n")
        if not lines:
            return
        file = self._folder / _FILE
        descriptor = open_private(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            with needing_room(file):
                os.write(descriptor, b"".join(lines))
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def digest_of(data: bytes | None) -> str | None:
    """SHA-256 in hex; None for no file."""
    return None if data is None else sha256(data).hexdigest()
