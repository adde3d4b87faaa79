"""Which name is called by the brackets that a place ends at, or is."""

from __future__ import annotations

from understudy.syntax.grammars import language_of
from understudy.values.positions import LineIndex, Position, Range

_FIELDS = ("function", "name", "constructor")
"""What grammars call that part of a call."""


def called_at(grammar: str, content: str, place: Range) -> Position | None:
    """The last character of the called name; None for what is no call, or no grammar."""
    language = language_of(grammar)
    if language is None:
        return None
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    lines, raw = LineIndex(content), content.encode("utf-8", "replace")
    if max(place.start.line, place.end.line) >= len(lines.starts):
        return None
    first, last = (
        len(content[: lines.starts[at.line] + at.column].encode("utf-8", "replace"))
        for at in (place.start, place.end)
    )
    closing = last - 1 if raw[last - 1 : last] == b")" else first
    if raw[closing : closing + 1] != b")":
        return None
    bracket = Parser(language).parse(raw).root_node.descendant_for_byte_range(closing, closing + 1)
    arguments = None if bracket is None else bracket.parent
    call = None if arguments is None else arguments.parent
    if call is None:
        return None
    called = next(filter(None, map(call.child_by_field_name, _FIELDS)), None)
    if called is None or called.end_byte > closing:
        return None
    return lines.position(len(raw[: called.end_byte - 1].decode("utf-8", "replace")))
