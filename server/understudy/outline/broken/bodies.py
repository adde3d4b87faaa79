"""Functions that were read right though the parser stumbled inside of their bodies.

In C and C++ a macro or a conditional in a body is often no syntax that a grammar knows. Where the
indents say that the body begins and ends as the parser has it, nothing outside of it is hidden, and
it holds no declarations that an outline has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from understudy.outline.finds import Find, Source
from understudy.outline.model import FUNCTIONS
from understudy.outline.spans import Span, Spans

_HEAD = re.compile(rb"([ \t]{0,40})(?:[A-Z][A-Z0-9_]*[ \t]+)*")
"""What may stand before a function on its line: macros."""

_MACRO = re.compile(rb"\s*[A-Za-z_]\w*\s*\Z")


class SoundBodies:
    """The bodies of those functions with errors in them whose form the indents confirm."""

    def __init__(self, source: Source, finds: Iterable[Find]) -> None:
        sound = [
            find
            for find in (finds if source.language.has_arms else ())
            if not find.clean and find.kind in FUNCTIONS and find.body >= 0
            if _is_sound(source, find)
        ]
        self._data = source.data
        self._bodies = Spans((find.body, find.end) for find in sound)
        self._heads = Spans((find.start, find.body) for find in sound)

    def have(self, at: int) -> bool:
        """Whether this byte is in one of them."""
        return self._bodies.have(at)

    def excuse(self, error: Span) -> bool:
        """Whether an error hides nothing: it is in a body, or a macro in a head."""
        if self._bodies.have(error[0]):
            return True
        return self._heads.have(error[0]) and bool(_MACRO.match(self._data, *error))


def _is_sound(source: Source, find: Find) -> bool:
    """Whether all lines of the body are deeper than its first and last one."""
    data = source.data
    begin = source.line_start(find.start)
    head = _HEAD.match(data, begin, find.start)
    if head is None or head.end() < find.start:
        return False
    indent = len(head[1])
    last = source.line_start(find.end - 1)
    if data[find.body : find.body + 1] != b"{" or last <= find.body:
        return False
    if data[last : find.end].strip() != b"}" or find.end - 1 - last != indent:
        return False
    return _shallow(indent).search(data, find.body, last - 1) is None


def closes(source: Source, find: Find) -> bool:
    """Whether it ends in a brace below its first letter, or that of its line."""
    first, last = (source.line_start(place) for place in (find.start, find.end - 1))
    begin, end = source.data[first : find.start], source.data[last : find.end]
    margin = begin[: len(begin) - len(begin.lstrip())]
    return end.startswith(margin + b"}") and first < last


@cache
def _shallow(indent: int) -> re.Pattern[bytes]:
    """A line that is no deeper, and neither blank, a label, a comment nor for a preprocessor."""
    return re.compile(rb"\n[ \t]{0,%d}(?![ \t\r\n#/*]|[A-Za-z_]\w*[ \t]*:)" % indent)
