"""Signatures: what stands before the body of a declaration, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, OutlineEntry

LONGEST_SIGNATURE = 2000
LONGEST_VALUE = 200
LONGEST_NAME = 200
LONGEST_WHOLE = 80
"""Bytes of the file looked at; what is longer is cut and ends in an ellipsis."""

ELLIPSIS = "…"
SHORT = frozenset(("constant", "field", "key", "macro", "member", "property", "type", "variable"))
"""Kinds that are shown whole, if they are not long."""

_TIGHT = (
    ("(", (("( ", "("),)),
    ("[", (("[ ", "["),)),
    ("{", (("{ ", "{"),)),
    (")", ((", )", ")"), (" )", ")"))),
    ("]", ((", ]", "]"), (" ]", "]"))),
)
_BRACKET_SPACE = re.compile(r"(?<=[(\[{]) (?=\S)|(?<=\S),? (?=[)\]])")
_DECORATOR = re.compile(r"@[\w.:]+\s*\((?:[^()]|\([^()]*\))*\)\s*")
_LONGEST_DECORATOR = 60
_BLANK = " \t\n\r\v\f"  # what is no letter of UTF-8
_DIVIDER = "\0"
_ALIKE = str.maketrans("[{],\t\r\v\f\x1c\x1d\x1e\x1f", "(())\n\n\n\n\n\n\n\n")
_SIGNS = ("\n", "@", "/", "  ", "( ", " )")
"""What a part has that is not the same on one line, once those are one that are alike."""

_Ending = tuple[str, str]
"""Characters that are taken off the end, and what is put there."""

_CUT: _Ending = ("", ELLIPSIS)
_ALL: _Ending = (" ;,", "")
_VALUE_LEFT_OUT: _Ending = (" ;,", f" {ELLIPSIS}")
_BODY_LEFT_OUT: _Ending = (" \t\r\n{=;,:", "")
_CODE_LEFT_OUT: _Ending = (_BODY_LEFT_OUT[0], " ...")
_INDENTED_LEFT_OUT: _Ending = (_BODY_LEFT_OUT[0], ": ...")


def signatures(text: str, entries: Sequence[OutlineEntry], language: Language) -> list[str]:
    """Those of the entries; a cut is shown. The text has a character a byte.

    All are put on one line each together: of most there is nothing to be changed.
    """
    parts: list[str] = []
    endings: list[_Ending] = []
    for entry in entries:
        first, last, ending = _part(text, entry, language)
        parts.append(text[first:last].strip(_BLANK))
        endings.append(ending)
    lines = _on_one_line(parts, language)
    return [line.rstrip(off) + end for line, (off, end) in zip(lines, endings, strict=True)]


def _part(text: str, entry: OutlineEntry, language: Language) -> tuple[int, int, _Ending]:
    """Where it is in the text, and how it ends."""
    kind, extent = entry.kind, entry.written
    if isinstance(extent, str):
        return 0, 0, ("", extent)
    first, last, body = extent.first, extent.last, extent.body
    end = body if first < body <= last else last
    if kind == "section":
        end = last = _line_end(text, first, end)
    is_short = kind in SHORT
    limit = LONGEST_VALUE if is_short else LONGEST_SIGNATURE
    if end - first > limit:
        if extent.name_at - first > limit // 2:
            first = extent.start  # decorators alone would fill it
        if end - first > limit:
            return first, first + limit, _CUT
    if end == last:
        return first, last, _ALL
    if not is_short:
        if kind not in FUNCTIONS:
            return first, end, _BODY_LEFT_OUT
        return first, end, _INDENTED_LEFT_OUT if language.indented else _CODE_LEFT_OUT
    if last <= _line_end(text, first, first + LONGEST_WHOLE):
        return first, last, _ALL
    return first, end, _BODY_LEFT_OUT if kind == "type" else _VALUE_LEFT_OUT


def _line_end(text: str, first: int, last: int) -> int:
    """The end of the line that begins at the first place, or the last if it ends before."""
    end = text.find("\n", first, last)
    return last if end < 0 else end


def _on_one_line(parts: list[str], language: Language) -> list[str]:
    """Each part on one line, without comments, its decorators short."""
    lines = list(parts)
    for index in _to_be_changed(parts, language):
        part = lines[index]
        if not part.isascii():
            part = part.encode("latin-1").decode("utf-8", "replace")
        line = folded(language.without_comments(part))
        lines[index] = _DECORATOR.sub(_short_decorator, line) if line[:1] in ("@", "[") else line
    return lines


def _to_be_changed(parts: list[str], language: Language) -> Iterable[int]:
    """Which parts may be something else on one line; looking at all together is fast."""
    joined = _DIVIDER.join(parts)
    if not joined.isascii():
        joined = _DIVIDER.join([part if part.isascii() else "\n" for part in parts])
    joined = joined.translate(_ALIKE)
    marks = [mark for mark in language.comment_marks if "/" not in mark]
    signs = [sign for sign in (*_SIGNS, *marks) if sign in joined]
    if not signs:
        return ()
    glances = joined.split(_DIVIDER)
    if len(glances) != len(parts):
        return range(len(parts))  # of UTF-16 may have that character
    found: set[int] = set()
    for sign in signs:
        found.update([index for index, glance in enumerate(glances) if sign in glance])
    return found


def _short_decorator(match: re.Match[str]) -> str:
    text = match[0]
    if len(text) <= _LONGEST_DECORATOR:
        return text
    return text.partition("(")[0].rstrip() + f"({ELLIPSIS}) "


def folded(text: str) -> str:
    """On one line, each run of white space one space, none inside of brackets."""
    line = " ".join(text.split())
    if " , " in line or line.startswith(","):
        return _BRACKET_SPACE.sub("", line)
    for bracket, changes in _TIGHT:  # the same, ten times as fast
        if bracket in line:  # one character is found faster than two
            for spaced, tight in changes:
                line = line.replace(spaced, tight)
    return line
