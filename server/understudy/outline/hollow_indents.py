"""Where the statements of functions lie whose indents tell: those of Python and Ruby."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache

from understudy.outline.hollow_braces import LEAST_BODY, LONGEST_HEAD
from understudy.outline.hollow_signs import PYTHON, PYTHON_WITH_TABS, RUBY, Sign, is_balanced, shows
from understudy.outline.hollowed import Cut

_FIRST = rb"[ \t]*(?:#[^\n]*)?\r?\n[ \t\r\n]*(?:#[^\n]*\n[ \t\r\n]*)*"
_COLON = re.compile(rb":" + _FIRST)
_NAMED = re.compile(rb"[ \t]*\w+[ \t]*(?:\[[^\n()]*\][ \t]*)?\(")
_LEAST_PARAMETERS = 8
_DEEPEST = 80
"""Columns."""

_CLOSED = re.compile(rb"\)\s*(?::|->)")
_PLAIN_HEAD = re.compile(rb"\w+\(([^()\[\]{}\"'#]*\))(?:[ \t]*->[ \t]*[\w.]+)?(:)" + _FIRST)
_TAB_BEHIND_WORD = re.compile(rb"\t(?<=[efs]\t)")
_DOCSTRING = re.compile(rb"[rRuU]?(\"\"\"|''')")


def by_indent(data: bytes) -> Iterator[Cut]:
    """Where the statements of Python's functions lie, and what their parameters are."""
    end = 0
    for cut in sorted(_in_python(data)):
        if cut.start >= end:  # else it is in another: what seemed a function was in a string
            end = cut.end
            yield cut


def _in_python(data: bytes) -> Iterator[Cut]:
    sign = PYTHON_WITH_TABS if _TAB_BEHIND_WORD.search(data) else PYTHON
    position = 0
    while (found := data.find(b"def ", position)) >= 0:
        position = found + 4
        begin = data.rfind(b"\n", 0, found) + 1
        margin = data[begin:found]
        if margin.strip() not in (b"", b"async"):
            continue
        parameters, colon, start = _head(data, position)
        if start < 0:
            continue
        if colon - parameters > _LEAST_PARAMETERS:
            yield Cut(parameters, colon, b")")
            position = colon
        indent = start - data.rfind(b"\n", 0, start) - 1
        outer = len(margin) - len(margin.lstrip())
        if indent <= outer or data[start - indent : start - indent + outer] != margin[:outer]:
            continue
        code, end = _extent(data, start, indent)
        if end - start < LEAST_BODY:
            continue
        if _is_plain_python(data[code:end], sign):
            yield _statements(start, end)
            position = end
        elif indent <= _DEEPEST:  # each level below looks through all that is in it
            yield from _around_inner(data, start, code, end, indent)


def _head(data: bytes, position: int) -> tuple[int, int, int]:
    """Where the parameters begin, where the colon is, and where the body begins; -1: no head."""
    plain = _PLAIN_HEAD.match(data, position)
    if plain is not None:
        return plain.start(1), plain.start(2), plain.end()
    named = _NAMED.match(data, position)
    found = _COLON.search(data, position, position + 10 * LONGEST_HEAD)
    if named is None or found is None or not is_balanced(data[position : found.start()]):
        return position, position, -1
    parameters = data[named.end() : found.start()]
    closing = parameters.rfind(b")")
    behind = parameters[closing + 1 :].strip()
    if (behind and not behind.startswith(b"->")) or _CLOSED.search(parameters, 0, closing):
        return position, position, -1  # the colon is another's
    return named.end(), *found.span()


def _statements(start: int, end: int) -> Cut:
    return Cut(start, end, b"00")  # a statement: it keeps the place


def _extent(data: bytes, start: int, indent: int) -> tuple[int, int]:
    """Where the lines behind the docstring of a body begin, or above all of it, and its end."""
    code = start - indent - 1
    before = start
    quoted = _DOCSTRING.match(data, start)
    if quoted is not None:  # it may say anything
        code = data.find(quoted[1], quoted.end())
        code = len(data) if code < 0 else code + 3
        docstring = data[start:code]
        if b"def " not in docstring and b"class " not in docstring:
            before = code  # else it may be one that is not closed
    shallow = _less_deep(indent).search(data, before)
    end = len(data) if shallow is None else shallow.start()
    end = start + len(data[start:end].rstrip())
    return min(code, end), end


def _is_plain_python(body: bytes, sign: Sign) -> bool:
    return _is_whole(body) and not shows(body, (sign,))


def _is_whole(statements: bytes) -> bool:
    return (
        is_balanced(statements)
        and not (b'"""' in statements and statements.count(b'"""') % 2)
        and not (b"'''" in statements and statements.count(b"'''") % 2)
        and not statements.rstrip().endswith(b"\\")
    )


def _around_inner(data: bytes, start: int, code: int, end: int, indent: int) -> Iterator[Cut]:
    """The statements before, between and behind what a body declares, as far as each is whole."""
    line, seen = start - indent - 1, code  # the end of the line above what is to be cut next
    begins = _begins(data, code, end, indent)
    _, sign = PYTHON
    for at in [*(found.start() for found in sign.finditer(data, code, end)), end]:
        if at < line:
            continue
        index = bisect_right(begins, at)
        until = end if at == end else begins[index - 1] if index else line
        if not _is_whole(data[seen:until]):
            return
        begin = line + indent + 1
        last = begin + len(data[begin:until].rstrip())
        if last - begin >= LEAST_BODY:
            yield _statements(begin, last)
        line = seen = begins[index] if index < len(begins) else end
        if not _is_whole(data[until:line]):
            return


def _begins(data: bytes, start: int, end: int, indent: int) -> list[int]:
    """The ends of the lines before statements of this indent; decorators belong to what follows."""
    begins: list[int] = []
    is_decorated = False
    for found in _statement_at(indent).finditer(data, start, end):
        if not is_decorated:
            begins.append(found.start())
        is_decorated = data.startswith(b"@", found.end())
    return begins


@cache
def _statement_at(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{%d}(?![ \t\r\n#)\]}]|(?:else|elif|except|finally)\b)" % indent)


@cache
def _less_deep(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}(?![ \t\r\n])" % (indent - 1))


_RUBY_DEF = re.compile(rb"\n[ \t]*def[ \t][^\n;=]*(?:\([^\n]*\))?[ \t]*(?:#[^\n]*)?\n[ \t\r\n]*")


def to_end(data: bytes) -> Iterator[Cut]:
    """Where the statements of Ruby's methods lie."""
    position = 0
    while (found := _RUBY_DEF.search(data, position)) is not None:
        start = position = found.end()
        indent = start - data.rfind(b"\n", 0, start) - 1
        if not indent:
            continue
        shallow = _less_deep(indent).search(data, start)
        if shallow is None or not data.startswith(b"end", shallow.end()):
            continue
        body = data[start : shallow.start()]
        if len(body) >= LEAST_BODY and is_balanced(body) and not shows(b"\n" + body, RUBY):
            yield _statements(start, shallow.start())
            position = shallow.start()
