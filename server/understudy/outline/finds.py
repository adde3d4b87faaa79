"""One parse of one text: what the query finds in the tree, and where the tree is broken."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from understudy.outline.bridges.gaps import are_closed
from understudy.outline.grammar import Grammar, Origin
from understudy.outline.languages import Language
from understudy.outline.model import FUNCTIONS, KINDS, TYPES
from understudy.outline.spans import Span

if TYPE_CHECKING:
    import tree_sitter

OUTER = "outer"
NAMELESS = {"call": b"()", "index": b"[]", "imports": b"imports", OUTER: b""}
_QUOTES = b"\"'`:"
_BODIES = ("body", "block", "_members", "declarations")
_CONVERSION = re.compile(rb"\boperator\s+[\w:]")
_MOST_ERRORS = 10_000
_TAG_KINDS = {
    "class": "class", "constant": "constant", "enum": "enum", "field": "field",
    "function": "function", "interface": "interface", "macro": "macro", "method": "method",
    "module": "module", "namespace": "module", "object": "class", "property": "property",
    "struct": "struct", "trait": "trait", "type": "type", "union": "struct",
    "variable": "variable",
}  # fmt: skip


class Source(NamedTuple):
    """A text with what it takes to read it: where its lines begin, its language, the grammar."""

    data: bytes
    starts: Sequence[int]
    language: Language
    grammar: Grammar

    def line_start(self, at: int) -> int:
        """Where the line of this byte begins."""
        return self.starts[bisect_right(self.starts, at) - 1]


class Find(NamedTuple):
    """A declaration as the query sees it; all places are byte offsets.

    `body` is where the signature ends, -1 for at the end. `variant` is what follows the dot in the
    query's capture (`signature`: has no body and folds into its implementation). `clean` is
    whether the tree has no syntax error in it.
    """

    start: int
    end: int
    kind: str
    name: bytes
    name_at: int
    body: int
    variant: str
    clean: bool

    @property
    def key(self) -> tuple[int, bool]:
        """Two readings with the same key mean the same declaration."""
        return self.name_at, self.kind == OUTER

    def moved(self, by: int) -> Find:
        """The same find in a text with so many bytes more in front."""
        body = self.body if self.body < 0 else self.body + by
        return self._replace(
            start=self.start + by, end=self.end + by, name_at=self.name_at + by, body=body
        )


class TextReading(NamedTuple):
    """The finds of a text, and the spans of its syntax errors (none: fully understood)."""

    finds: list[Find]
    errors: list[Span]
    units: list[Span]

    @property
    def sound(self) -> bool:
        """Whether the parser understood everything."""
        return not self.errors


def read(source: Source) -> TextReading:
    """Parse the text and run the query over the tree; `units` are the broken top-level nodes."""
    language = source.language
    text = bridge_gaps(source.data, language)
    root = parse(text, source.grammar)
    finds = finds_of(root, text, language, source.grammar)
    if not root.has_error:
        return TextReading(finds, [], [])
    errors, units = broken(root, language)
    if not units or (root.is_error and not language.is_flat):
        units = [(0, len(source.data))]  # what such a root holds has lost its form, errors or not
    return TextReading(finds, errors or units, units)


def parse(data: bytes, grammar: Grammar) -> tree_sitter.Node:
    """The root of the text's tree."""
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    return Parser(grammar.language).parse(data).root_node


def finds_of(
    root: tree_sitter.Node, text: bytes, language: Language, grammar: Grammar
) -> list[Find]:
    """What the query finds in a text's tree; of several patterns for one name the first counts."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    has_error = root.has_error
    origin, not_names = grammar.origin, language.not_names
    roles: dict[int, _Role] = {}
    found: dict[tuple[int, bool], tuple[int, Find]] = {}
    for pattern, captures in QueryCursor(grammar.query).matches(root):
        role = roles.get(pattern)
        if role is None or role.capture not in captures:
            roles[pattern] = role = _role(captures, origin)
        capture, kind, variant, may_have_body = role
        if not capture:
            continue
        node = captures[capture][0]
        start, end = node.start_byte, node.end_byte
        name, name_at = _named(captures, kind, start, text)
        if name is None or name in not_names:
            continue
        key = (name_at, kind == OUTER)
        known = found.get(key)
        if known is not None and known[0] <= pattern:
            continue
        body = -1
        if "body" in captures:
            body = captures["body"][0].start_byte
        elif may_have_body:
            body = _body_of(node, origin)
        if origin == "kinds" and body < 0 and (follower := _body_behind(node)) is not None:
            body, end = follower.start_byte, follower.end_byte
        clean = not (has_error and node.has_error)
        found[key] = pattern, Find(start, end, kind, name, name_at, body, variant, clean)
    finds = [find for _, find in found.values()]
    return _first_names(finds) if origin == "kinds" else finds


def _first_names(finds: Iterable[Find]) -> list[Find]:
    """The finds without types that they mention, which may be in a field for names, too."""
    first = {(find.start, find.end): find for find in sorted(finds, key=_by_name, reverse=True)}
    return list(first.values())


def bridge_gaps(data: bytes, language: Language) -> bytes:
    """The text with what the grammar is known to misread replaced by as many bytes."""
    if not language.gaps or not are_closed(data):
        return data
    bridged = b"\n" + data  # patterns that begin with the end of a line are quick to look for
    for pattern, replacement in language.gaps:
        bridged = pattern.sub(replacement, bridged)
    return bridged[1:]


class _Role(NamedTuple):
    """What the matches of a pattern are: the capture that says so ("": nothing of ours)."""

    capture: str
    kind: str = ""
    variant: str = ""
    may_have_body: bool = False


def _role(captures: dict[str, list[tree_sitter.Node]], origin: Origin) -> _Role:
    for capture in captures:
        if capture in ("name", "body") or capture[0] == "_":
            continue
        kind, _, variant = capture.partition(".")
        if origin == "tags":
            kind = _TAG_KINDS.get(variant, "") if kind == "definition" else ""
            variant = ""
        if kind in KINDS or kind == OUTER:
            holds = variant != "whole" and (kind in TYPES or kind in FUNCTIONS)
            return _Role(capture, kind, variant, holds)
    return _Role("")


def _named(
    captures: dict[str, list[tree_sitter.Node]], kind: str, start: int, text: bytes
) -> tuple[bytes | None, int]:
    """Its name and where that is; None for what must have one and has none."""
    named = captures.get("name")
    if named is None:
        return NAMELESS.get(kind), start
    name_at = named[0].start_byte
    return _name(text[name_at : named[0].end_byte]) or None, name_at


def _name(text: bytes) -> bytes:
    """Without quotes; of a conversion in C++ what it converts to, not its parameters."""
    if b"operator" in text and _CONVERSION.search(text):
        return text.partition(b"(")[0].rstrip()
    return text.strip(_QUOTES)


def _body_of(node: tree_sitter.Node, origin: Origin) -> int:
    """Where its body begins; a grammar that we do not know may name the node, not the field."""
    child = node.child_by_field_name("body")
    if child is None and origin == "kinds" and node.named_child_count:
        last = node.named_children[-1]
        child = last if last.type.endswith(_BODIES) else None
    return -1 if child is None else child.start_byte


def _body_behind(node: tree_sitter.Node) -> tree_sitter.Node | None:
    """The body that follows a signature as its sibling."""
    while (parent := node.parent) is not None and parent.byte_range == node.byte_range:
        node = parent
    follower = node.next_named_sibling
    return follower if follower is not None and follower.type.endswith("body") else None


def _by_name(find: Find) -> int:
    return find.name_at


def broken(root: tree_sitter.Node, language: Language) -> tuple[list[Span], list[Span]]:
    """Errors in the tree, and the nodes with errors that are children of the root or a container.

    Goes down only where an error is, by a cursor: a tree may be ten thousand levels deep.
    """
    errors: list[Span] = []
    units: list[Span] = []
    cursor = root.walk()
    open_until = -1
    descend = cursor.goto_first_child()
    while descend and len(errors) < _MOST_ERRORS:
        node = cursor.node
        assert node is not None
        deeper = False
        if node.has_error or node.is_error or node.is_missing:
            span = (node.start_byte, node.end_byte)
            is_container = node.type in language.containers
            if span[0] >= open_until and not is_container:
                units.append(span)
                open_until = max(span[1], span[0] + 1)
            if node.is_error or node.is_missing:
                errors.append(span)
            else:
                deeper = cursor.goto_first_child()
        if not deeper:
            descend = _next(cursor)
    return errors, units


def _next(cursor: tree_sitter.TreeCursor) -> bool:
    """Go to the next node that is not below this one."""
    while not cursor.goto_next_sibling():
        if not cursor.goto_parent():
            return False
    return True


def ordered(finds: Iterable[Find]) -> list[Find]:
    """In the order of the text, what holds others first, wrappers before what they wrap."""
    return sorted(finds, key=_place)


def _place(find: Find) -> tuple[int, int, bool, int]:
    return find.start, -find.end, find.kind != OUTER, find.name_at
