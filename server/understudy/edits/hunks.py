"""Hunks of unified diffs, with their `@@` counts mended where an author miscounted."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk as ReadHunk
from unidiff.patch import PatchSet

from understudy.edits.patch import DiffLine, Hunk
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

_NUMBERED = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_OTHER_NUMBERS = re.compile(r"^@@ *-(\d+)(?:,\d+)? +\+\d+(?:,\d+)?(?: |$)")
_FENCE = re.compile(r"^(?:```|~~~)")
_VERSION = re.compile(r"^\d+(?:\.\w+)+")
_NO_NEWLINE = "\\ No newline at end of file"


@frozen(slots=True)
class _Mended:
    """A hunk in unidiff's strict form, and where the diff says it stands (0-based, or nowhere)."""

    text: str
    start: int | None


def read_hunks(lines: Sequence[str], at: int, subject: str) -> tuple[tuple[Hunk, ...], int]:
    """Read the hunks that begin at line `at`, and return the line after them.

    Raises BadInput `malformed-diff`, `unsupported` (the diff of a merge).
    """
    mended: list[_Mended] = []
    while True:
        following = _skip_blank(lines, at)
        if following == len(lines) or not lines[following].startswith("@@"):
            break
        hunk, at = _mend(lines, following, f"{subject} hunk {len(mended) + 1}")
        mended.append(hunk)
    return _through_unidiff(mended, subject), at


def starts_file(lines: Sequence[str], at: int) -> bool:
    """Whether a file's part of a diff begins here: `diff --git`, or a `---` and `+++` pair."""
    if lines[at].startswith("diff --git "):
        return True
    if not lines[at].startswith("--- ") or at + 1 == len(lines):
        return False
    return lines[at + 1].startswith("+++ ")


def _through_unidiff(mended: Sequence[_Mended], subject: str) -> tuple[Hunk, ...]:
    text = "--- file\n+++ file\n" + "".join(hunk.text for hunk in mended)
    try:
        files = PatchSet(text)
    except UnidiffParseError as error:
        raise BadInput("malformed-diff", str(error), subject) from error
    read = [hunk for file in files for hunk in file]
    assert len(read) == len(mended)
    return tuple(_hunk(one, other.start) for one, other in zip(read, mended, strict=True))


def _hunk(read: ReadHunk, start: int | None) -> Hunk:
    lines: list[DiffLine] = []
    for line in read:
        if line.line_type == "\\":
            last = lines[-1]
            # The carriage return before a newline that is not there belongs to the line.
            lines[-1] = DiffLine(last.tag, last.text + last.end.removesuffix("\n"), "")
            continue
        assert line.line_type in (" ", "-", "+")
        text = line.value.removesuffix("\n")
        windows = text.endswith("\r")
        lines.append(
            DiffLine(line.line_type, text[:-1] if windows else text, "\r\n" if windows else "\n")
        )
    return Hunk(tuple(lines), start, at_end=any(not line.end for line in lines))


def _mend(lines: Sequence[str], at: int, where: str) -> tuple[_Mended, int]:
    header = lines[at]
    if header.startswith("@@@"):
        raise BadInput("unsupported", "the diff of a merge (@@@); give a diff of two texts", where)
    numbers = _NUMBERED.match(header)
    end = None
    if numbers is not None:
        end = _end_by_counts(lines, at + 1, int(numbers[2] or 1), int(numbers[4] or 1))
    if end is None:
        end = _end_by_look(lines, at + 1, where)
    body = [_plain(line) for line in lines[at + 1 : end]]
    if header.endswith("\r"):
        # Every line of this diff went through a translation of its line ends: undo it.
        body = [line.removesuffix("\r") for line in body]
    if not any(line[0] in " +-" for line in body) or body[0][0] == "\\":
        raise BadInput("malformed-diff", f"no lines follow '{header.strip()}'", where)
    old = sum(line[0] in " -" for line in body)
    new = sum(line[0] in " +" for line in body)
    text = "\n".join([f"@@ -1,{old} +1,{new} @@", *body, ""])
    stated = numbers or _OTHER_NUMBERS.match(header)
    start = None if stated is None else int(stated[1]) - 1
    if numbers is not None and old == 0:
        start = int(numbers[1])  # an empty range is named by the line before it
    return _Mended(text, start), end


def _end_by_counts(lines: Sequence[str], at: int, old: int, new: int) -> int | None:
    """The end that the header's counts give, if what follows there can follow a hunk."""
    start = at
    while old > 0 or new > 0:
        if at == len(lines):
            return None
        tag = lines[at][:1].strip("\r") or " "
        if tag not in " +-\\":
            return None
        old -= tag in " -"
        new -= tag in " +"
        at += 1
    if old < 0 or new < 0 or _ends_in_header(lines, start, at):
        return None
    if at < len(lines) and lines[at].startswith("\\"):
        at += 1
    following = _skip_blank(lines, at)
    if following == len(lines) or _is_boundary(lines, following):
        return at
    # Prose stands apart from a hunk by a blank line. A line directly below the hunk may be one of
    # its own that is badly written: then the counts prove nothing.
    return at if following > at and lines[following][0] not in " +-" else None


def _ends_in_header(lines: Sequence[str], start: int, end: int) -> bool:
    """Whether counts that are too large took the next file's `---` and `+++` for a change.

    A change of such lines is followed by a kept line, or else by no other hunk.
    """
    if end - start <= 2 or end == len(lines) or not lines[end].startswith("@@"):
        return False
    return starts_file(lines, end - 2)


def _end_by_look(lines: Sequence[str], at: int, where: str) -> int:
    """The end that the lines themselves show; raises where it would leave changes out."""
    start = at
    while at < len(lines) and not _is_boundary(lines, at) and lines[at][:1] in ("", *" +-\\\r"):
        at += 1
    end = stray = at
    while end > start and not lines[end - 1].strip("\r"):
        end -= 1
    while at < len(lines) and not _is_boundary(lines, at):
        if lines[at][:1] in ("+", "-") and lines[at].strip() != "---":
            text = f"line {stray + 1} of the diff begins with none of ' ', '+', '-', inside a hunk"
            raise BadInput("malformed-diff", text, where)
        at += 1
    return end


def _is_boundary(lines: Sequence[str], at: int) -> bool:
    """Whether a line can only stand after a hunk."""
    line = lines[at]
    if line.startswith("@@") or starts_file(lines, at) or _FENCE.match(line):
        return True
    signature = line.rstrip() == "--"
    return signature and (at + 1 == len(lines) or _VERSION.match(lines[at + 1]) is not None)


def _plain(line: str) -> str:
    if not line.strip("\r"):
        return " " + line  # a blank kept line whose leading space was stripped
    return _NO_NEWLINE if line.startswith("\\") else line


def _skip_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip("\r"):
        at += 1
    return at
