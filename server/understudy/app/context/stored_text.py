"""The verb behind `read`, `tail` and `grep`: parts of an output that was kept as a file.

A worker reads, so that neither a huge file nor a pattern that never comes to an end holds anybody
up. Only what the state folder keeps for agents can be read, and the skills that they may load.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Literal

from understudy.app.context.skills import skill_file
from understudy.context.excerpt import line_from
from understudy.disk.store.store import FOLDERS, USER
from understudy.terminal.log.folder import readable
from understudy.terminal.log.rotation import files as log_files
from understudy.terminal.log.text import HEADER_LINES
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.paths import refuse_long
from understudy.workspace.session import Session

READ_SECONDS = 8.0
LOG_SECONDS = 24.0
"""For all files of a terminal's log, by the clock: as long as one piece may take."""
KEPT = ("runs", "terminals")
"""The folders of the state folder that receipts point into, besides the store of contexts."""
_KEPT_NAME = re.compile(r"runs/\d+\.(log|patch)|terminals/\d+(\.\d+)?\.(txt|cmds\.jsonl)")
"""What in them is kept for agents; locks and switches lie beside it."""
_LOG_NAME = re.compile(r"terminals/\d+\.txt")

MAX_LINES = 400
"""Most lines of one answer; faces cut further, by bytes."""
_LINE_BYTES = 4096
_ONE_LINE_BYTES = 7000
_PIECE_BYTES = 2_000_000


StoredAction = Literal["read", "tail", "grep"]


@frozen
class StoredWish:
    """What is wanted of a kept output: `lines` are 1-based and inclusive.

    One line alone is shown from `column` (in code points, from 1) on.
    """

    action: StoredAction
    lines: tuple[int, int] | None = None
    count: int = 40
    pattern: str | None = None
    column: int = 1


async def stored_text(session: Session, path: str, wish: StoredWish) -> list[str]:
    """The first line says what is shown of how much; then the lines, each with its number.

    Raises BadInput `not-kept`, `no-such-file`, `bad-pattern`, `bad-params`; OutsideFailure
    `work-too-long` for a pattern that takes for ever.
    """
    if wish.count < 1:
        raise BadInput("bad-params", "at least 1", "count")
    is_one_line = wish.lines is not None and wish.lines[0] == wish.lines[1]
    if wish.column < 1 or (wish.column > 1 and not is_one_line):
        raise BadInput("bad-params", "counted from 1, with one line as `lines`", "column")
    if wish.action == "grep":
        if wish.pattern is None:
            raise BadInput("bad-params", "`grep` needs a pattern", "pattern")
        try:
            re.compile(wish.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise BadInput("bad-pattern", str(error), wish.pattern) from error
    file, name = await asyncio.to_thread(_located, session, path)
    seen = _Seen()
    if wish.action == "read" or _LOG_NAME.fullmatch(name) is None:
        workers = session.workers
        seen = await workers.run_elsewhere(_look, file, wish, seconds=READ_SECONDS)
    else:  # a terminal's log is looked through as a whole, in all its files, piece by piece
        end = time.monotonic() + LOG_SECONDS
        pieces = _pieces_of_log(file, wish)
        while (piece := await asyncio.to_thread(next, pieces, None)) is not None:
            left = end - time.monotonic()
            if left <= 0:
                text = f"it takes more than {LOG_SECONDS:.0f} s; look through one file of {name}"
                raise OutsideFailure("work-too-long", text, name)
            seen = await session.workers.run_elsewhere(
                _look_at, piece, wish, seen, seconds=min(READ_SECONDS, max(left, 1.0))
            )
    return _answer(seen, name, wish)


def _located(session: Session, path: str) -> tuple[Path, str]:
    """The file, and its name within the state folder; of a skill's file, the path that it has."""
    refuse_long(path)
    home = session.layout.folder.resolve()
    skill = None
    try:
        file = (home / path).resolve()
        inside = file.relative_to(home).as_posix() if file.is_relative_to(home) else ""
        is_kept = _KEPT_NAME.fullmatch(inside) is not None
        if not is_kept:
            skill = skill_file(session.root, path, trusted=session.trusted)
    except (OSError, ValueError, RuntimeError) as error:  # a loop of links; a NUL in the name
        raise BadInput("no-such-file", "there is no such file", path) from error
    if not is_kept and inside.partition("/")[0] in KEPT:  # locks and switches are no outputs
        raise BadInput("no-such-file", "there is no such output", path)
    if not is_kept and skill is None:
        text = f"only kept outputs can be read: a path in {', '.join((*FOLDERS, USER, *KEPT))}"
        raise BadInput("not-kept", f"{text}; and a skill's files, by their full path", path)
    if not file.is_file():
        raise BadInput("no-such-file", "there is no such file (any more)", path)
    return (file, file.relative_to(home).as_posix()) if skill is None else (skill, path)


@dataclass
class _Seen:
    """What was seen so far: all files' lines and bytes, and what is to be shown of them."""

    n_files: int = 0
    size: int = 0
    n_lines: int = 0
    n_matches: int = 0
    shown: deque[tuple[str, bytes]] = field(default_factory=deque[tuple[str, bytes]])


@frozen
class _Piece:
    """Some of a file: its lines behind so many others, and how it is called before their numbers.

    The first piece of a file brings its size.
    """

    lines: Iterable[bytes]
    size: int = 0
    before: int = 0
    place: str = ""
    skipped: int = 0
    """Lines of the file that are none of its text."""


def _look(file: Path, wish: StoredWish) -> _Seen:
    with file.open("rb") as stream:
        return _look_at(_Piece(stream, os.fstat(stream.fileno()).st_size), wish, _Seen())


def _pieces_of_log(file: Path, wish: StoredWish) -> Iterator[_Piece]:
    """All files of a log as one, without the headers that would stand in its midst."""
    while True:
        files = log_files(file)
        with ExitStack() as opened, readable(file):
            try:
                streams = [opened.enter_context(one.open("rb")) for one in files]
            except FileNotFoundError as error:  # one has made room just now, or all are gone
                if log_files(file) == files:
                    raise BadInput("no-such-file", "it is gone by now", file.name) from error
                continue
            if log_files(file) != files:
                continue
            for one, stream in zip(files, streams, strict=True):  # they stay as they are
                is_newest = one is files[-1]
                place = "" if is_newest else f"{one.name}:"
                is_first = len(files) == 1 or (is_newest and wish.action == "grep")
                skipped = 0 if is_first else HEADER_LINES
                end = size = os.fstat(stream.fileno()).st_size
                before = 0
                while stream.tell() < end:
                    data = stream.read(_PIECE_BYTES) + stream.readline(_PIECE_BYTES)
                    yield _Piece(BytesIO(data), size, before, place, skipped)
                    size, before = 0, before + data.count(b"\n")
            return


def _look_at(piece: _Piece, wish: StoredWish, seen: _Seen) -> _Seen:
    first, last = wish.lines or (1, MAX_LINES)
    last = min(last, first + MAX_LINES - 1)
    count = min(wish.count, MAX_LINES)
    pattern = re.compile((wish.pattern or "").encode("utf-8", "surrogateescape"))
    number = piece.before
    for number, line in enumerate(piece.lines, piece.before + 1):
        text = line.rstrip(b"\r\n")
        if number <= piece.skipped:
            continue
        if wish.action == "read":
            if first <= number <= last:
                seen.shown.append((f"{number}", text))
        elif wish.action == "tail":
            seen.shown.append((f"{piece.place}{number}", text))
            if len(seen.shown) > count:
                seen.shown.popleft()
        elif pattern.search(text):
            seen.n_matches += 1
            if seen.n_matches <= count:
                seen.shown.append((f"{piece.place}{number}", text))
    seen.n_files += piece.size > 0
    seen.n_lines += number - piece.before
    seen.size += piece.size
    return seen


def _answer(seen: _Seen, name: str, wish: StoredWish) -> list[str]:
    shown, matches = seen.shown, seen.n_matches
    head = f"{name}: {seen.size} bytes in {seen.n_lines} lines"
    head += f" of {seen.n_files} files" if seen.n_files > 1 else ""
    if wish.action == "grep":
        head += f"; {matches} match, {len(shown)} shown"
    elif shown:
        head += f"; lines {shown[0][0]}-{shown[-1][0]}"
    else:
        head += "; none of them is in that range"
    if wish.action == "read" and wish.lines is not None and len(set(wish.lines)) == 1 and shown:
        (number, line) = shown[0]
        text = line.decode("utf-8", "replace")
        return [head, f"{number}: {line_from(text, wish.column, _ONE_LINE_BYTES)}"]
    return [head, *_numbered(shown)]


def _numbered(shown: deque[tuple[str, bytes]]) -> Iterator[str]:
    for number, line in shown:
        text = line[:_LINE_BYTES].decode("utf-8", "replace")
        rest = len(line) - _LINE_BYTES
        yield f"{number}: {text}" + (f" [{rest} bytes more]" if rest > 0 else "")
