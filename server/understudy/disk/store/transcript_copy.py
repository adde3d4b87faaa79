"""Copies of agents' transcripts in the store: one readable file a session, which only grows.

An entry that was copied once is known by the sum of its bytes, and is not copied again: also where
an agent writes its transcript anew when it drops what was said.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import field
from pathlib import Path

from understudy.disk.layout import make_private_folder, open_private
from understudy.disk.lock import locked
from understudy.disk.room import what_disk_says
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

MOST_BYTES = 256 * 1024 * 1024
"""Of one copy; what would be beyond is counted in its last section."""
_SUM = 8
_HEADING = re.compile(rb"## (\d+) (\w+)")
# The number is the schema's: an older or newer version of ours has a file of its own.
_SEEN = ".{session}.seen-1"


@frozen
class CopyTotals:
    """A copy as it is: lines and bytes in all, sections by their kind, the last one's number."""

    lines: int = 0
    size: int = 0
    kinds: Counter[str] = field(default_factory=Counter[str])
    last: int = 0


@frozen
class CopiedEntry:
    """An entry to copy: the sum of its bytes, what it is, its text without secrets."""

    digest: bytes
    kind: str
    text: str


Build = Callable[[Counter[bytes]], Iterable[CopiedEntry]]
"""The entries to copy, given the sums of all that were, each as often as it was."""


class TranscriptCopy:
    """The copy of one session; the store shows it as `history/AGENT/SESSION.md`."""

    def __init__(self, store: Path, agent: str, session: str) -> None:
        self.folder = store / "history" / agent
        self.file = self.folder / f"{session}.md"
        self._title = f"{agent} {session}"
        self._seen = self.folder / _SEEN.format(session=session)
        self._lock = self.folder / f".{session}.lock"

    def _known(self) -> Counter[bytes]:
        try:
            data = self._seen.read_bytes() if self.file.exists() else b""
        except OSError:
            data = b""
        whole = len(data) - len(data) % _SUM
        return Counter(data[at : at + _SUM] for at in range(0, whole, _SUM))

    def append(self, build: Build) -> CopyTotals:
        """Write what `build` makes behind what is there; on disk when it returns.

        Raises OutsideFailure `state-unwritable`, `busy`, and what `build` raises: what came before
        is written then, and comes once more the next time.
        """
        make_private_folder(self.folder)
        with locked(self._lock):
            try:
                before = self.totals()
                sums = self._write(before, build(self._known()))
                with os.fdopen(open_private(self._seen, _APPEND), "ab") as stream:
                    stream.write(b"".join(sums))
            except OSError as error:
                text = f"the transcript cannot be kept: {what_disk_says(error, self.file)}"
                raise OutsideFailure("state-unwritable", text, str(self.file)) from error
            return self.totals()

    def _write(self, before: CopyTotals, entries: Iterable[CopiedEntry]) -> list[bytes]:
        sums: list[bytes] = []
        number, size, beyond = before.last, before.size, 0
        if not before.size:
            self._seen.unlink(missing_ok=True)
        with os.fdopen(open_private(self.file, _APPEND), "ab") as stream:
            if not before.size:
                stream.write(_head(self._title).encode())
            for entry in entries:
                sums.append(entry.digest)
                section = _section(number + 1, entry.kind, entry.text)
                data = section.encode("utf-8", "backslashreplace")
                if size + len(data) > MOST_BYTES:
                    beyond += 1
                    continue
                stream.write(data)
                number, size = number + 1, size + len(data)
            if beyond:
                text = f"{beyond} entries are left out: this file is full"
                stream.write(_section(number + 1, "left", text).encode())
            stream.flush()
            os.fsync(stream.fileno())
        return sums

    def totals(self) -> CopyTotals:
        """Count what the copy has; nothing if there is none."""
        lines = size = last = 0
        kinds: Counter[str] = Counter()
        try:
            with self.file.open("rb") as stream:
                for line in stream:
                    lines, size = lines + 1, size + len(line)
                    if line.startswith(b"## ") and (found := _HEADING.match(line)):
                        last = int(found[1])
                        kinds[found[2].decode()] += 1
        except FileNotFoundError:
            pass
        return CopyTotals(lines, size, kinds, last)


def transcript_copies(store: Path) -> list[Path]:
    """Every copy of a store, sorted."""
    return sorted((store / "history").glob("*/*.md"))


def forget_copy(file: Path) -> None:
    """Remove a copy with what lies beside it."""
    for name in (file.name, _SEEN.format(session=file.stem), f".{file.stem}.lock"):
        file.with_name(name).unlink(missing_ok=True)


_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)


def _head(title: str) -> str:
    return (
        f"# {title}\n\nWhat was said in this session, copied before it left the prompt; without "
        "secrets. Each section is an entry; texts are indented by four.\n"
    )


def _section(number: int, kind: str, text: str) -> str:
    return f"\n## {number} {kind}\n\n{indented(text)}"


def indented(text: str) -> str:
    """A text as a section has it: none of its lines begins another one."""
    return "".join(f"    {line}\n" for line in text.split("\n"))
