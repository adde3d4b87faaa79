"""The place that a question is about: given by line and column, or by name."""

from __future__ import annotations

import re
from collections.abc import Iterable

from understudy.app.code.answer import CodePlace
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.positions import LineIndex, Position, Range
from understudy.values.printable import first_few
from understudy.workspace.outlines.names import FoundName, closest
from understudy.workspace.session import Session

_BY_COLUMN = re.compile(r"(?s)(.+?):(\d{1,9}):(\d{1,9})")
_BY_LINE = re.compile(r"(?s)(.+?):(\d{1,9})(?::([^:\d\s]\S*))?")
_FROM_1 = "; lines and columns count from 1"
_WORD = re.compile(r"[\w$]+")
_FEW = 5
_LOOKS_LIKE_A_PATH = re.compile(r".*/.*|.*\.[a-z][\w+]{0,5}")


@frozen
class Placed:
    """All places that were meant: exactly one can be asked about.

    `nearest` are names that are alike where there is none, `notes` what there is where none is;
    `n_unread` files whose declarations were too many to be read.
    """

    places: tuple[CodePlace, ...]
    nearest: tuple[str, ...] = ()
    n_unread: int = 0
    notes: tuple[str, ...] = ()


async def placed(session: Session, snapshot: Snapshot, target: str) -> Placed:
    """The places that a target means in a snapshot.

    Raises BadInput `no-such-file`, `outside-file`, `outside-root`, `not-text`, ...
    """
    by_column = _BY_COLUMN.fullmatch(target)
    if by_column is not None:
        path, line, column = by_column[1], int(by_column[2]), int(by_column[3])
        return Placed((_at(session, snapshot, path, line, column, target),))
    by_line = _BY_LINE.fullmatch(target)
    if by_line is not None and (by_line[3] is None or "::" not in target):
        path, line, name = by_line[1], int(by_line[2]), by_line[3]
        return await _on_line(session, snapshot, path, line, name, target)
    return await _named(session, snapshot, target)


def text_of(session: Session, snapshot: Snapshot, path: str) -> tuple[str, LineIndex]:
    """A file's normalised path and its text; raises BadInput `no-such-file` and as reading does."""
    relative = session.root.relative(path)
    text = snapshot.read(relative)
    if text is None:
        raise BadInput("no-such-file", "there is no such file", relative)
    return relative, LineIndex(text.sendable)


def _at(
    session: Session, snapshot: Snapshot, path: str, line: int, column: int, target: str
) -> CodePlace:
    relative, index = text_of(session, snapshot, path)
    text = _line_at(index, line, target)
    if not 1 <= column <= len(text) + 1:
        raise BadInput("outside-file", f"line {line} has {len(text)} characters{_FROM_1}", target)
    at, end, name = column - 1, column - 1, ""
    for word in _WORD.finditer(text):
        if word.start() <= at <= word.end():
            end, name = word.end(), word[0]
    return CodePlace(
        relative, Range(Position(line - 1, at), Position(line - 1, end)), text, None, name
    )


async def _on_line(
    session: Session, snapshot: Snapshot, path: str, line: int, name: str | None, target: str
) -> Placed:
    """The name on that line; without one, the names that are declared there."""
    relative, index = text_of(session, snapshot, path)
    text = _line_at(index, line, target)
    if name is None:
        declared = await session.names.declared(snapshot, relative)
        here = [FoundName(relative, one) for one in declared if one.line == line - 1]
        if here:
            return Placed(tuple(hit_of(snapshot, one) for one in here))
    words = list(_WORD.finditer(text))
    meant = [word for word in words if word[0] == name]
    if not meant:
        keywords = await session.names.keywords(snapshot, relative, line - 1)
        words = [one for one in words if one.start() not in keywords and not one[0][0].isdigit()]
        if name is not None:
            return _not_among(name, [word[0] for word in words], f"line {line} of {relative}")
        meant = words
    places = [_hit(relative, text, Position(line - 1, word.start()), word[0]) for word in meant]
    return Placed(tuple(places), notes=() if places else (f"line {line} has no name",))


def _not_among(name: str, known: Iterable[str], where: str) -> Placed:
    """What there is in the place of a name: the nearest, or a few of all where none is near."""
    names = list(dict.fromkeys(known))
    near = closest(name, names, _FEW)
    if near or not names:
        return Placed((), tuple(near))
    return Placed((), notes=(f"{where} has {first_few(names, _FEW)}",))


async def _named(session: Session, snapshot: Snapshot, target: str) -> Placed:
    among, name = None, target
    head, _, tail = target.partition("::")
    if tail and _is_file(session, snapshot, head):
        relative, _ = text_of(session, snapshot, head)
        among, name = (relative,), tail
    found = await session.names.find(snapshot, name, among)
    places = tuple(hit_of(snapshot, one) for one in found.found)
    nearest = () if places else tuple(await session.names.alike(snapshot, name, among))
    if among is None or places or nearest:
        return Placed(places, nearest, found.n_unread)
    declared = await session.names.declared(snapshot, among[0])
    return _not_among(name, [one.qualified for one in declared], among[0])


def _is_file(session: Session, snapshot: Snapshot, head: str) -> bool:
    """Whether what stands before `::` names a file; raises BadInput for a path that is none."""
    if _LOOKS_LIKE_A_PATH.fullmatch(head) is not None:
        return True
    try:
        return snapshot.exists(session.root.relative(head))
    except BadInput:
        return False


def hit_of(snapshot: Snapshot, found: FoundName) -> CodePlace:
    """A declaration as a place."""
    text = snapshot.read(found.path)
    assert text is not None  # its declarations were read just now
    one = found.declared
    line = LineIndex(text.sendable).line(one.line)
    owner = ".".join(one.names[:-1])
    hit = _hit(found.path, line, Position(one.line, one.column), one.names[-1])
    return CodePlace(hit.path, hit.range, hit.line, owner, hit.name, one.kind)


def _hit(path: str, text: str, at: Position, name: str) -> CodePlace:
    end = Position(at.line, min(at.column + len(name), len(text)))
    return CodePlace(path, Range(at, end), text, None, name)


def _line_at(index: LineIndex, line: int, target: str) -> str:
    n_lines = len(index.starts)
    if not 1 <= line <= n_lines:
        raise BadInput("outside-file", f"the file has {n_lines} lines{_FROM_1}", target)
    return index.line(line - 1)
