"""Functions whose head says all that is shown of them: neither they nor their body need a parser.

Of a function whose body is left out the parser would tell the name and nothing else. Where the head
has a plain form it is read right here; the parser tells afterwards what was no function, because
it stands in a string, a comment or a macro (`@opaque` in the queries).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from understudy.outline.hollowed import PlainFunction


class Head(NamedTuple):
    """What stands before a brace: where it begins, its indent, and what it was read as by then."""

    first: int
    margin: bytes
    found: re.Match[bytes] | None = None


@dataclass(frozen=True)
class Heads:
    """Plain heads of a language: group 1 is there in methods only, group 2 is the name.

    `anchor` is what each begins with, if that is in the first column, `marks` is what lines above
    may be that belong to it. `instead` takes the place of the whole function.
    """

    pattern: re.Pattern[bytes]
    kinds: tuple[str, str]
    anchor: bytes = b""
    marks: re.Pattern[bytes] | None = None
    instead: bytes = b""

    def on_line(self, data: bytes, brace: int) -> Head | None:
        """The plain head that has the line of the brace for itself, a whole statement above it."""
        line = data.rfind(b"\n", 0, brace) + 1
        indent = _INDENT.match(data, line)
        first = line if indent is None else indent.end()
        found = self._read(data, first, brace)
        if found is None:
            return None
        if self.anchor:
            return Head(first, data[line:first], found)
        for _ in range(_MOST_MARKS):
            if data[max(0, line - _LONGEST_GAP) : line].rstrip()[-1:] in _ENDS:
                return Head(first, data[line:first], found)
            begin = data.rfind(b"\n", 0, line - 1) + 1
            mark = self.marks and self.marks.fullmatch(data, begin, line)
            if not mark:
                return None
            line, first = begin, mark.start(1)
            found = self._read(data, first, brace)
            if found is None:
                return None
        return None

    def function(self, data: bytes, head: Head, brace: int, end: int) -> PlainFunction | None:
        """The function with that head, whose body is between the brace and `end`."""
        first, found = head.first, head.found
        if found is None:
            if self.anchor:
                first = data.rfind(self.anchor, first, brace) + 1 or first
            found = self._read(data, first, brace)
        if found is None:
            return None
        kind = self.kinds[found[1] is None]
        return PlainFunction(first, end, kind, found[2], found.start(2), brace)

    def _read(self, data: bytes, first: int, brace: int) -> re.Match[bytes] | None:
        found = self.pattern.fullmatch(data, first, brace)
        is_closed = found is not None and found[0].count(b"(") == found[0].count(b")")
        return found if is_closed else None


_INDENT = re.compile(rb"[ \t]*")
_LONGEST_GAP = 200
_MOST_MARKS = 8
_ENDS = (b"", b";", b"{", b"}")
_GENERIC = rb"<[\w$.,?&<>\[\]\s]*>"
_TYPE = rb"[\w$.]+(?:" + _GENERIC + rb")?(?:\[\])*"
_NO_TYPE = (
    rb"(?!(?:class|enum|interface|record|new|return|else|throw|case|assert|yield|do|try|finally|goto|public|protected|private"
    rb"|static|final|synchronized|default|strictfp)\b)"
)
_NO_NAME = (
    rb"(?!(?:if|for|while|switch|synchronized|catch|try|return|new|throw|assert|else|do|super|this"
    rb"|yield)\b)"
)

_ANNOTATION = (
    rb"@(?!interface\b)[\w.]+"
    rb"(?:\((?:[^()\"'{};]|\"(?:[^\"\n\\]|\\[^\n])*\"|\{[^(){};']*\})*\))?\s+"
)
_JAVA_MARKS = re.compile(rb"[ \t]*((?:" + _ANNOTATION + rb")+)")
_JAVA = (
    rb"(?:" + _ANNOTATION + rb")*"
    rb"(?:((?:(?:public|protected|private|static|final|synchronized|default|strictfp)\s+)*"
    rb"(?:" + _GENERIC + rb"\s*)?" + _NO_TYPE + _TYPE + rb"\s+)"
    rb"|(?:public|protected|private)\s+(?:" + _GENERIC + rb"\s*)?"
    rb"|(?=[\w$]+\s*\(\s*(?:final\s+)?" + _NO_TYPE + _TYPE + rb"\s+[\w$]+\s*[,)]))" + _NO_NAME
    + rb"([^\W\d][\w$]*)\s*\([^()\"'/{};=]*\)(?:\s*throws\s[\w.,\s]+)?\s*"
)  # fmt: skip
_GO = (
    rb"func[ \t]+(\([^()\n\"'`/{}]*\)[ \t]*)?([^\W\d]\w*)(?:\[[^\n\[\]{}]*\])?"
    rb"\([^{}\"'`/]*(?<!interface)(?<!struct)(?<!\s)[ \t]*"
)
_RUST = (
    rb"()(?:pub(?:\([\w: ]+\))?\s+)?(?:(?:default|const|async|unsafe)\s+)*"
    rb"(?:extern\s+(?:\"[\w-]*\"\s+)?)?fn\s+([^\W\d]\w*)\s*[(<][^{}\"/;]*"
)
_SCRIPT = rb"()(?:async[ \t]+)?function\s*\*?\s*([^\W\d][\w$]*)\s*\([^()\"'`/{}]*\)\s*"

HEADS: Mapping[str, Heads] = {
    "go": Heads(re.compile(_GO), ("method", "function"), anchor=b"\nfunc "),
    "java": Heads(re.compile(_JAVA), ("method", "constructor"), marks=_JAVA_MARKS),
    "javascript": Heads(re.compile(_SCRIPT), ("function", "function"), instead=b"{}"),
    "rust": Heads(re.compile(_RUST), ("function", "function")),
}
"""By the name of the language."""
