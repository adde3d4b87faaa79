"""What stands in the text of a log: its records, and the places in files that its lines name."""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from understudy.terminal.log.header import KIND
from understudy.values.frozen import frozen

HEADER_LINES = 10
MAX_LINKS = 5000

_TEXT = r'"(?:[^"\\]|\\.)*"'
_OPENS = re.compile(rf"#\| (\d+) start=(\S+) cwd=({_TEXT}) command=({_TEXT}|null)\Z")
_CLOSES = re.compile(
    r"#\| (\d+) exit=(\d+|unknown) dur=([\d.]+)s lines=(\d+) bytes=(\d+) missed=(\d+) "
    r"complete=(true|false)\Z"
)
_PLACE = re.compile(
    r'File "(?P<python>[^"\n]+)", line (?P<python_line>\d+)'
    r"|(?<![\w@%+,.~/\\:-])"
    r"(?P<path>(?:[A-Za-z]:)?[\w@%+,.~/\\-]*(?:\.\w{1,10}|/[\w@%+~-]+))"
    r"(?::(?P<line>\d+)(?::(?P<column>\d+))?|\((?P<tsc>\d+),(?P<tsc_column>\d+)\))"
)


@frozen
class CommandRecord:
    """One command in a log; lines are 0-based, and the last is inclusive."""

    number: int
    command: str | None
    cwd: str
    start: str
    first: int
    last: int
    closing: str | None = None
    """The rest of its closing line; None: it has not ended."""

    exit_code: int | None = None
    seconds: float | None = None


@frozen
class Link:
    """A place that a line names and that exists; columns in UTF-16 units, the target's 1-based."""

    line: int
    start: int
    end: int
    path: str
    target_line: int
    target_column: int | None


def is_log(text: str) -> bool:
    """Whether a text is a log of ours."""
    return text.startswith(KIND)


def records(text: str) -> list[CommandRecord]:
    """The commands of a log, in their order."""
    found: list[CommandRecord] = []
    for number, line in _marks(text):
        opens = _OPENS.match(line)
        if opens is not None:
            if found and found[-1].closing is None:
                found[-1] = _ended(found[-1], number - 1)
            command = None if opens[4] == "null" else str(json.loads(opens[4]))
            cwd = str(json.loads(opens[3]))
            found.append(CommandRecord(int(opens[1]), command, cwd, opens[2], number, number))
            continue
        closes = _CLOSES.match(line)
        if closes is not None and found and found[-1].number == int(closes[1]):
            found[-1] = _ended(found[-1], number, closes)
    if found and found[-1].closing is None:
        found[-1] = _ended(found[-1], max(text.rstrip("\n").count("\n"), found[-1].first))
    return found


def links(text: str) -> list[Link]:
    """The places in files that the lines of a log name, resolved by each command's folder."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    commands = records(text)
    firsts = [record.first for record in commands]
    existing = lru_cache(maxsize=None)(_existing)
    found: list[Link] = []
    for match in _PLACE.finditer(text, starts[min(HEADER_LINES, len(starts) - 1)]):
        line = bisect_right(starts, match.start()) - 1
        if text.startswith("#|", starts[line]):
            continue
        index = bisect_right(firsts, line) - 1
        cwd = commands[index].cwd if index >= 0 else ""
        path = existing(cwd, match["python"] or match["path"])
        if path is None:
            continue
        row = match["python_line"] or match["line"] or match["tsc"]
        column = match["column"] or match["tsc_column"]
        start = _units(text[starts[line] : match.start()])
        end = start + _units(match[0])
        found.append(Link(line, start, end, path, int(row), int(column) if column else None))
        if len(found) == MAX_LINKS:
            break
    return found


def _marks(text: str) -> Iterator[tuple[int, str]]:
    """The lines that begin with a mark, with their numbers from 0."""
    number = at = 0
    while True:
        found = text.find("\n#| ", at)
        if found < 0:
            return
        number += text.count("\n", at, found + 1)
        end = text.find("\n", found + 1)
        yield number, text[found + 1 : end if end >= 0 else len(text)]
        at = found + 1


def _ended(record: CommandRecord, last: int, closes: re.Match[str] | None = None) -> CommandRecord:
    if closes is None:
        return CommandRecord(
            record.number, record.command, record.cwd, record.start, record.first, last
        )
    code = None if closes[2] == "unknown" else int(closes[2])
    return CommandRecord(
        record.number, record.command, record.cwd, record.start, record.first, last,
        closes[0].partition(" exit=")[2], code, float(closes[3]),
    )  # fmt: skip


def _existing(folder: str, name: str) -> str | None:
    """The file of that name, seen from the folder; only an absolute one where that is not known."""
    try:
        path = Path(os.path.normpath(Path(folder) / Path(name).expanduser()))
        if not path.is_absolute():
            return None
        return str(path) if path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # names that no file can have; no such user
        return None


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2
