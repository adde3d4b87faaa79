"""One parse of one text: what the query finds in the tree, and where the tree is broken."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from understudy.outline.grammar import Grammar, Origin
from understudy.outline.hollow import Hollowed
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
    """A text with what it takes to read it: where its lines begin, its language, the grammar.

    `hollowed` is the text without what a parser need not see.
    """

    data: bytes
    hollowed: Hollowed
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


class Reading(NamedTuple):
    """The finds of a text, and the spans of its syntax errors (none: fully understood)."""

    finds: list[Find]
    errors: list[Span]
    units: list[Span]

    @property
    def sound(self) -> bool:
        """Whether the parser understood everything."""
        return not self.errors


def read(source: Source) -> Reading:
    """Parse the text and run the query over the tree; `units` are the broken top-level nodes."""
    language = source.language
    hollowed = source.hollowed
    root = parse(bridge_gaps(hollowed.text, language), source.grammar)
    finds = finds_of(root, language, source.grammar)
    if hollowed:
        finds = [_restored(find, hollowed.before) for find in finds]
    if not root.has_error:
        return Reading(finds, [], [])
    errors, units = (
        [(hollowed.before(start), hollowed.before(end)) for start, end in spans]
        for spans in broken(root, language)
    )
    if not units or (root.is_error and not language.is_flat):
        units = [(0, len(source.data))]  # what such a root holds has lost its form, errors or not
    return Reading(finds, errors or units, units)


def _restored(find: Find, before: Callable[[int], int]) -> Find:
    start, end, kind, name, name_at, body, variant, clean = find
    body = body if body < 0 else before(body)
    return Find(before(start), before(end), kind, name, before(name_at), body, variant, clean)


def parse(data: bytes, grammar: Grammar) -> tree_sitter.Node:
    """The root of the text's tree."""
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    return Parser(grammar.language).parse(data).root_node


def finds_of(root: tree_sitter.Node, language: Language, grammar: Grammar) -> list[Find]:
    """What the query finds in the tree; of several patterns for one name the first counts."""
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    has_error = root.has_error
    found: dict[tuple[int, bool], tuple[int, Find]] = {}
    for pattern, captures in QueryCursor(grammar.query).matches(root):
        find = _find(captures, language, has_error, grammar.origin)
        if find is None:
            continue
        known = found.get(find.key)
        if known is None or pattern < known[0]:
            found[find.key] = (pattern, find)
    finds = [find for _, find in found.values()]
    if grammar.origin == "kinds":  # types that it mentions may be in a field for names, too
        first = {(find.start, find.end): find for find in sorted(finds, key=_by_name, reverse=True)}
        finds = list(first.values())
    return finds


def bridge_gaps(data: bytes, language: Language) -> bytes:
    """The text with what the grammar is known to misread replaced by as many bytes.

    Not where comments are opened and hardly ever closed: patterns look for the end of each.
    """
    if not language.gaps or data.count(b"/*") > 2 * data.count(b"*/") + 100:
        return data
    bridged = b"\n" + data  # patterns that begin with the end of a line are quick to look for
    for pattern, replacement in language.gaps:
        bridged = pattern.sub(replacement, bridged)
    return bridged[1:]


def _find(
    captures: dict[str, list[tree_sitter.Node]],
    language: Language,
    has_error: bool,
    origin: Origin,
) -> Find | None:
    kind, variant, body = "", "", -1
    node = name = None
    for capture, nodes in captures.items():
        if capture == "name":
            name = nodes[0]
        elif capture == "body":
            body = nodes[0].start_byte
        elif capture[0] != "_":
            kind, _, variant = capture.partition(".")
            if origin == "tags":
                kind = _TAG_KINDS.get(variant, "") if kind == "definition" else ""
                variant = ""
            node = nodes[0]
    if node is None or (kind not in KINDS and kind != OUTER):
        return None
    start = node.start_byte
    if name is None:
        if kind not in NAMELESS:
            return None
        text, name_at = NAMELESS[kind], start
    else:
        text, name_at = _name(name.text or b""), name.start_byte
        if not text or text in language.not_names:
            return None
    if body < 0 and variant != "whole" and (kind in TYPES or kind in FUNCTIONS):
        body = _body_of(node, origin)
    end = node.end_byte
    if origin == "kinds" and body < 0 and (follower := _body_behind(node)) is not None:
        body, end = follower.start_byte, follower.end_byte
    clean = not (has_error and node.has_error)
    return Find(start, end, kind, text, name_at, body, variant, clean)


def _name(text: bytes) -> bytes:
    """Without quotes; of a conversion in C++ what it converts to, not its parameters."""
    if _CONVERSION.search(text):
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
    return sorted(finds, key=lambda f: (f.start, -f.end, f.kind != OUTER, f.name_at))
