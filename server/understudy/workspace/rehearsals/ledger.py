"""What is known of each path that was written on a stage: its base, and the state last seen.

It lies on disk, too: whoever comes after a kill goes on where its owner stopped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path
from typing import Any

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder, open_private
from understudy.disk.room import needing_room
from understudy.stage.live import FileMark
from understudy.values.frozen import frozen

_FILE, _BASES = "ledger.jsonl", "bases"
_AT_ONCE = 8
_INTENT = ("base", "after", "instead_of")


@frozen(slots=True)
class Known:
    """A path's base as a digest (None: no file), and the bytes and the state that it had last.

    `is_base_known` is False where nobody can tell which text of the user's an edit is of. `put_ns`
    is when we have put the user's text there (ns since 1970), 0 where we have not: who writes soon
    after may not have seen it.
    """

    base: str | None
    after: str | None
    mark: FileMark
    is_base_known: bool = True
    put_ns: int = 0


@frozen(slots=True)
class Intent:
    """What we are about to put at a path, as digests: what it will be an edit of, what it will be,
    and what has to lie there before. Nobody knows yet whether it was put there.
    """

    base: str | None
    after: str | None
    instead_of: str | None


class Ledger:
    """The book of one rehearsal; all in it is on disk when `note`, or `intend`, returns."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, Known] = {}
        self._intended: dict[str, Intent] = {}

    @property
    def known(self) -> Mapping[str, Known]:
        """What is known, by path."""
        return self._known

    @property
    def intended(self) -> Mapping[str, Intent]:
        """What was intended of a path, and not noted since, by path."""
        return self._intended

    def load(self) -> None:
        """Take over what lies on disk; a line that a kill has cut is none."""
        try:
            lines = (self._folder / _FILE).read_bytes().splitlines()
        except OSError:
            return
        for line in lines:
            try:
                self._load(json.loads(line))
            except (ValueError, KeyError, TypeError):
                continue

    def _load(self, told: dict[str, Any]) -> None:
        path = told["path"]
        if "intent" in told:  # a line that the version before passes over
            intent = told["intent"]
            self._intend(path, None if intent is None else Intent(*map(intent.get, _INTENT)))
            return
        self._known[path] = Known(
            told["base"], told["after"], tuple(told["mark"]), told["baseKnown"],
            told.get("putNs", 0),  # the version before has not noted it
        )  # fmt: skip
        self._intended.pop(path, None)

    def base(self, path: str) -> bytes | None:
        """The text that the path's edits are of."""
        return self.text(self._known[path].base)

    def text(self, digest: str | None) -> bytes | None:
        """A text that was kept; None for no file."""
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

    def keep_all(self, texts: Sequence[bytes | None]) -> list[str | None]:
        """Keep these; a disk has the same wait for many that are written at once as for one."""
        if len(texts) < 2:
            return [self.keep(text) for text in texts]
        with ThreadPoolExecutor(_AT_ONCE, "keep texts") as pool:
            return list(pool.map(self.keep, texts))

    def note(self, entries: Iterable[tuple[str, Known]], unmeant: Iterable[str] = ()) -> None:
        """Write down what is known by now, and of which paths nothing is intended any more.

        Raises OutsideFailure `state-full`.
        """
        pairs = list(entries)
        left = (set(unmeant) & self._intended.keys()) - {path for path, _ in pairs}
        told: list[dict[str, Any]] = [
            {
                "path": path, "base": known.base, "after": known.after, "mark": known.mark,
                "baseKnown": known.is_base_known, "putNs": known.put_ns,
            }
            for path, known in pairs
        ]  # fmt: skip
        self._append([*told, *({"path": path, "intent": None} for path in sorted(left))])
        self._known.update(pairs)
        for path in (*(path for path, _ in pairs), *left):
            self._intended.pop(path, None)

    def intend(self, entries: Iterable[tuple[str, Intent]]) -> None:
        """Write down what is about to be put on the stage; raises OutsideFailure `state-full`.

        Then whoever comes after a kill takes it for nobody's edit. Their bases are kept before.
        """
        news = [(path, one) for path, one in entries if self._intended.get(path) != one]
        self._append(
            [
                {"path": path, "intent": {name: getattr(one, name) for name in _INTENT}}
                for path, one in news
            ]
        )
        for path, one in news:
            self._intend(path, one)

    def _intend(self, path: str, intent: Intent | None) -> None:
        self._intended.pop(path, None)
        if intent is not None:
            self._intended[path] = intent

    def _append(self, lines: list[dict[str, Any]]) -> None:
        """All of them, or none: a line that a full disk has cut would spoil the next one, too."""
        if not lines:
            return
        file = self._folder / _FILE
        data = b"".join(json.dumps(line).encode("ascii") + b"\n" for line in lines)
        descriptor = open_private(file, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        try:
            size = os.fstat(descriptor).st_size
            if size and os.pread(descriptor, 1, size - 1) != b"\n":
                data = b"\n" + data  # a kill has cut the last one
            with needing_room(file):
                try:
                    _write_all(descriptor, data)
                    os.fsync(descriptor)
                except BaseException:  # whatever it is: undone, and raised again
                    os.ftruncate(descriptor, size)
                    raise
        finally:
            os.close(descriptor)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:  # a disk that fills takes a part, and says so the next time alone
        view = view[os.write(descriptor, view) :]


def digest_of(data: bytes | None) -> str | None:
    """SHA-256 in hex; None for no file."""
    return None if data is None else sha256(data).hexdigest()
