"""Texts without what a parser need not see: bodies of functions that declare nothing, and more.

Two thirds of the time of an outline goes into statements that it does not show. A body is left out
only where its indents, its brackets and its quotes all say where it ends, and no word in it begins
a declaration; all else is left to the parser.
"""

from __future__ import annotations

from understudy.outline.hollow_braces import in_braces
from understudy.outline.hollow_comments import comments
from understudy.outline.hollow_heads import HEADS
from understudy.outline.hollow_indents import by_indent, to_end
from understudy.outline.hollow_members import Body, plain_bodies
from understudy.outline.hollow_signs import BRACES
from understudy.outline.hollow_structs import plain_structs
from understudy.outline.hollowed import Cut, Hollowed
from understudy.outline.languages import Language


def hollow(data: bytes, language: Language) -> Hollowed:
    """The text without what a parser need not see."""
    if language.indented:
        return Hollowed(data, by_indent(data))
    if language.name == "ruby":
        return Hollowed(data, to_end(data))
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
