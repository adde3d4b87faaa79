"""Texts without what a parser need not see: bodies of functions that declare nothing, and more.

Two thirds of the time of an outline goes into statements that it does not show. A body is left out
only where its indents, its brackets and its quotes all say where it ends, and no word in it begins
a declaration; all else is left to the parser.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from understudy.outline.hollow_braces import LEAST_BODY, LONGEST_HEAD, in_braces
from understudy.outline.hollow_comments import comments
from understudy.outline.hollow_heads import HEADS
from understudy.outline.hollow_members import Body, plain_bodies
from understudy.outline.hollow_signs import BRACES, PYTHON, RUBY, is_balanced, shows
from understudy.outline.hollow_structs import plain_structs
from understudy.outline.hollowed import Cut, Hollowed
from understudy.outline.languages import Language


def hollow(data: bytes, language: Language) -> Hollowed:
    """The text without what a parser need not see."""
    if language.indented:
        return Hollowed(data, _by_indent(data))
    if language.name == "ruby":
        return Hollowed(data, _to_end(data))
    braces = BRACES.get(language.name)
    if braces is None:
        return Hollowed(data)
    plain: tuple[Body, ...] = ()
    if braces.has_members:
        plain = tuple(plain_bodies(data))
    elif language.name == "go":
        plain = tuple(plain_structs(data))
    seen = Hollowed(data, [Cut(body.start + 1, body.end - 1) for body in plain], plain)
    seen = seen.without(comments(seen.text, language))
    heads = HEADS.get(language.name)
    found = in_braces(seen.text, braces, heads)
    return seen.without(found, b"" if heads is None else heads.instead)


_COLON = re.compile(rb":[ \t]*(?:#[^\n]*)?\r?\n[ \t\r\n]*")
_NAMED = re.compile(rb"[ \t]*\w+[ \t]*\(")
_LEAST_PARAMETERS = 8
_CLOSED = re.compile(rb"\)\s*(?::|->)")
_DOCSTRING = re.compile(rb"[rRuU]?(\"\"\"|''')")


def _by_indent(data: bytes) -> Iterator[Cut]:
    """Where the statements of Python's functions lie, and what their parameters are."""
    position = 0
    while (found := data.find(b"def ", position)) >= 0:
        position = found + 4
        begin = data.rfind(b"\n", 0, found) + 1
        margin = data[begin:found]
        if margin.strip() not in (b"", b"async"):
            continue
        colon = _COLON.search(data, position, position + 10 * LONGEST_HEAD)
        if colon is None or not is_balanced(data[position : colon.start()]):
            continue
        named = _NAMED.match(data, position, colon.start())
        if named is not None and _are_parameters(data[named.end() : colon.start()]):
            yield Cut(named.end(), colon.start(), b")")
            position = colon.start()
        start = colon.end()
        indent = start - data.rfind(b"\n", 0, start) - 1
        outer = len(margin) - len(margin.lstrip())
        if indent <= outer or data[start - indent : start - indent + outer] != margin[:outer]:
            continue
        shallow = _less_deep(indent).search(data, start)
        end = len(data) if shallow is None else shallow.start()
        body = data[start:end].rstrip()
        if len(body) >= LEAST_BODY and not body.endswith(b"\\") and _is_plain_python(body):
            yield Cut(start, start + len(body), b"()")  # a statement: it keeps the place
            position = start + len(body)


def _are_parameters(text: bytes) -> bool:
    """Whether this is all from behind the first bracket to the colon, and worth the cut."""
    closing = text.rfind(b")")
    return closing >= _LEAST_PARAMETERS and _CLOSED.search(text, 0, closing) is None


def _is_plain_python(body: bytes) -> bool:
    quoted = _DOCSTRING.match(body)
    if quoted is not None:  # it may say anything
        body = body[quoted.end() :].partition(quoted[1])[2]
    if body.count(b'"""') % 2 or body.count(b"'''") % 2:
        return False
    return is_balanced(body) and not shows(b"\n" + body, PYTHON)


@cache
def _less_deep(indent: int) -> re.Pattern[bytes]:
    return re.compile(rb"\n[ \t]{0,%d}(?![ \t\r\n])" % (indent - 1))


_RUBY_DEF = re.compile(rb"\n[ \t]*def[ \t][^\n;=]*(?:\([^\n]*\))?[ \t]*(?:#[^\n]*)?\n[ \t\r\n]*")


def _to_end(data: bytes) -> Iterator[Cut]:
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
            yield Cut(start, shallow.start(), b"()")
            position = shallow.start()
