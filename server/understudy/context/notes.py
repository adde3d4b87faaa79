"""Facts about a project that agents note down, each with the code that it is about.

A note is stale when the lines that it names stand nowhere in their file any more: moved lines are
the same lines, and what a note says of others is nobody's guess.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from understudy.context.canonical import canonical
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.structure import structure

MOST_NOTES, MOST_BYTES = 500, 2000
_MOST_LINES = 400


@frozen
class Note:
    """`source` says who noted it; `code` are the lines of `path` that it is about, as they were.

    Without `path` it is about the project; without `code` about a file as long as that is there.
    """

    number: int
    text: str
    source: str
    path: str = ""
    code: str = ""

    def line(self, file: str | None) -> str:
        """What an agent reads; `file` is the text of the file now, None where it is gone."""
        about = ""
        if self.path:
            at = place_of(self, file)
            about = f" ({self.path}:{at})" if at else f" ({self.path})"
        stale = f"; STALE: {why}" if (why := staleness(self, file)) else ""
        return f"{self.number}. {' '.join(self.text.split())}{about} [{self.source}{stale}]"


def staleness(note: Note, file: str | None) -> str:
    """Why a note may be wrong now; empty while its code is as it was."""
    if not note.path:
        return ""
    if file is None:
        return "the file is gone"
    return "" if not note.code or _index(note.code, file) is not None else "its code has changed"


def place_of(note: Note, file: str | None) -> str:
    """The lines that the note's code stands at now, as FIRST-LAST; empty where it does not."""
    index = _index(note.code, file) if note.code and file is not None else None
    if index is None:
        return ""
    return f"{index + 1}-{index + len(note.code.split(chr(10)))}"


def lines_in(file: str, first: int, last: int, where: str) -> str:
    """The named lines of a file, from 1; raises BadInput `bad-range`."""
    lines = file.split("\n")
    if not 1 <= first <= last <= len(lines) or last - first >= _MOST_LINES:
        text = f"the file has {len(lines)} lines; at most {_MOST_LINES} can be named"
        raise BadInput("bad-range", text, where)
    return "\n".join(lines[first - 1 : last])


def encoded(notes: Iterable[Note]) -> bytes:
    """One line of canonical JSON a note."""
    return "".join(f"{canonical(asdict(note))}\n" for note in notes).encode()


def decoded(data: bytes, where: str) -> list[Note]:
    """The notes of a file; raises BadInput `bad-notes`, naming the line."""
    found: list[Note] = []
    # Not `splitlines`: canonical JSON has U+0085, U+2028 and U+2029 in its strings as they are.
    lines = data.decode("utf-8", "replace").removesuffix("\n").split("\n") if data else []
    for number, line in enumerate(lines, 1):
        try:
            raw: object = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise BadInput("bad-notes", f"not JSON: {error}", f"{where}: line {number}") from error
        found.append(structure(raw, Note, "bad-notes", f"{where}: line {number}"))
    return found


def _index(code: str, file: str) -> int | None:
    """The line, from 0, that the code begins at."""
    wanted: Sequence[str] = code.split("\n")
    lines = file.split("\n")
    starts = (n for n, line in enumerate(lines) if line == wanted[0])
    return next((n for n in starts if lines[n : n + len(wanted)] == wanted), None)
