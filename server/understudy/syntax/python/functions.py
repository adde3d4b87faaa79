"""What a Python function declares: itself, and the attributes that it gives to its object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from understudy.syntax.model import Mentions, Signature
from understudy.syntax.python.collected import Seen
from understudy.syntax.python.source import NOTHING, PythonSource, Span, union

if TYPE_CHECKING:
    import tree_sitter

_VALUE = re.compile(r"\breturn[ \t]+[^\s]|\byield\b|\bawait\b")
_PLAIN_DECORATORS = re.compile(
    r"(?:@ (?:\w+ \. )?(?:abstractmethod|cached_property|classmethod|final|overload|override"
    r"|property|staticmethod|\w+ \. (?:setter|getter|deleter))\s*)*"
)
"""With any other, a method may be what a class is made of, as in `@field.default`."""
_YIELD = re.compile(r"\byield\b")
_ABSTRACT = re.compile(r"abstract")
_TRIVIAL = re.compile(r"(?:\.\.\.|pass|raise NotImplementedError[^\n]*)?")
_TARGETS = frozenset(
    {"pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "tuple", "list"}
    | {"expression_list", "as_pattern_target", "parenthesized_expression"}
)
_STORES = frozenset({"assignment", "augmented_assignment", "for_statement"})
_PLAIN = frozenset(
    {"assignment", "call", "string", "comment", "ellipsis"}
    | {"pass_statement", "global_statement", "nonlocal_statement"}
)
_TYPED_DEFAULT = "typed_default_parameter"


class Attribute(NamedTuple):
    """An attribute that a method gives to its object."""

    name: str
    seen: Seen


class Function:
    """A function at its place in a text; `start` is where its decorators start."""

    def __init__(self, source: PythonSource, node: tree_sitter.Node, start: int) -> None:
        self._source = source
        self._node = node
        self._body = node.child_by_field_name("body")
        self._start = start
        self._head: Mentions | None = None
        self._end = node.end_byte
        self._head_end = self._end if self._body is None else self._body.start_byte

    def seen(self) -> Seen:
        """What others see: of a declared result no body, of none what it is inferred from."""
        source = self._source
        tokens = source.tokens(self._start, self._head_end, self._typed_defaults())
        decorators = source.tokens(self._start, self._node.start_byte)
        of_owner = _ABSTRACT.search(decorators) is not None
        is_method = _PLAIN_DECORATORS.fullmatch(decorators) is not None
        if self._node.child_by_field_name("return_type") is not None:
            is_trivial = source.is_all(_TRIVIAL, self._head_end, self._end)
            marks = (is_trivial, self._holds(_YIELD))
            inner = union(source.mentions(self._head_end, self._end), self._values())
            return Seen(f"{tokens} {marks}", self.head(), inner, of_owner, is_method=is_method)
        # If it gives back nothing, and comes to an end, values that it stores say nothing.
        cuts = () if self._holds(_VALUE) else self._plain_stores()
        body = source.tokens(self._head_end, self._end, cuts)
        shown = union(self.head(), source.mentions(self._head_end, self._end))
        is_trivial = source.is_all(_TRIVIAL, self._head_end, self._end)
        kind = "" if decorators.strip() else self._node.children[0].type
        marks = (is_trivial, self._holds(_YIELD))
        signature = Signature(f"{tokens} {marks}", self.head(), kind)
        return Seen(
            f"{tokens}\0{body}",
            shown,
            self._values(),
            of_owner,
            is_method=is_method,
            signature=signature,
        )

    def head(self) -> Mentions:
        """What the decorators and the signature mention; its own name is no mention.

        Nor is what a parameter with a written type has as its default.
        """
        if self._head is None:
            name = self._node.child_by_field_name("name")
            end, start = (self._start,) * 2 if name is None else name.byte_range
            before = self._source.mentions(self._start, end)
            cuts = self._typed_defaults()
            self._head = union(before, self._source.mentions_without(start, self._head_end, cuts))
        return self._head

    def attributes(self) -> Iterator[Attribute]:
        """The attributes of the first parameter that the body assigns.

        What an assignment stores may depend on the parameters, and on all that is done before;
        other such assignments alone do not count.
        """
        receiver = self._receiver()
        if self._body is None or receiver is None:
            return
        stored = self._stored(receiver)
        if not stored:
            return
        before = self._source.tokens(self._start, self._head_end)
        mentioned = self.head()
        stores, mentioned_there = "", NOTHING
        for statement in self._body.named_children:
            start, end = statement.start_byte, self._source.end_with_type(statement)
            tokens = self._source.tokens(start, end)
            here = self._source.mentions(start, end)
            names = [name for place, name in stored if start <= place < end]
            if tokens.count(f"{receiver} .") > len(names):  # it may read what others have stored
                before += stores
                mentioned = union(mentioned, mentioned_there)
                stores, mentioned_there = "", NOTHING
            typed = _typed(statement)
            if typed is not None and b"Final" not in (typed.text or b""):
                shown = self._source.mentions(start, typed.end_byte)
                seen = Seen(self._source.tokens(start, typed.end_byte), shown, here, is_method=True)
            else:
                seen = Seen(f"{before}\0{tokens}", union(mentioned, here), is_method=True)
            for name in names:
                yield Attribute(name, seen)
            if end > stored[-1][0]:
                return
            stores += f"\0{tokens}"
            mentioned_there = union(mentioned_there, here)
            if not names or statement.type != "assignment" or ": =" in tokens:
                before += stores
                mentioned = union(mentioned, mentioned_there)
                stores, mentioned_there = "", NOTHING

    def _stored(self, receiver: str) -> list[tuple[int, str]]:
        """The attributes that are assigned, with their places."""
        pattern = re.compile(rf"{receiver}\s*\.\s*([A-Za-z_\x80-\xff][\w\x80-\xff]*)")
        found: list[tuple[int, str]] = []
        for match in self._source.finds(pattern, self._head_end, self._end):
            node = self._node.descendant_for_byte_range(*match.span())
            if node is None or node.type != "attribute" or node.start_byte != match.start():
                continue
            if _is_stored(node):
                found.append((match.start(), self._source.name(match[1])))
        return found

    def _receiver(self) -> str | None:
        parameters = self._node.child_by_field_name("parameters")
        first = None if parameters is None else next(iter(parameters.named_children), None)
        while first is not None and first.type != "identifier":
            first = next(iter(first.named_children), None)
        return None if first is None else (first.text or b"").decode("latin-1")

    def _typed_defaults(self) -> Iterator[Span]:
        """The values of parameters that have a type: that there is one is all that counts."""
        parameters = self._node.child_by_field_name("parameters")
        for parameter in () if parameters is None else parameters.named_children:
            value = parameter.child_by_field_name("value")
            if parameter.type == _TYPED_DEFAULT and value is not None:
                yield value.start_byte, value.end_byte

    def _values(self) -> Mentions:
        """What these values mention."""
        return union(*(self._source.mentions(*span) for span in self._typed_defaults()))

    def _plain_stores(self) -> Iterator[Span]:
        """The assignments in which nothing is called, in a body that only does one after another.

        Under a condition, what is stored can decide whether the end is reached.
        """
        statements = () if self._body is None else self._body.named_children
        if any(one.type not in _PLAIN for one in statements):
            return
        for statement in statements:
            tokens = self._source.tokens(statement.start_byte, statement.end_byte)
            if statement.type == "assignment" and "(" not in tokens and ": =" not in tokens:
                yield statement.start_byte, statement.end_byte

    def _holds(self, pattern: re.Pattern[str]) -> bool:
        return any(True for _ in self._source.finds(pattern, self._head_end, self._end))


def _typed(statement: tree_sitter.Node) -> tree_sitter.Node | None:
    return statement.child_by_field_name("type") if statement.type == "assignment" else None


def _is_stored(node: tree_sitter.Node) -> bool:
    """Whether an expression is a target: of an assignment, a loop, a `with`, a `del`."""
    below, above = node, node.parent
    while above is not None and above.type in _TARGETS:
        if above.type == "as_pattern_target":
            return True
        below, above = above, above.parent
    if above is None:
        return False
    if above.type == "delete_statement":
        return True
    return above.type in _STORES and above.child_by_field_name("left") == below
