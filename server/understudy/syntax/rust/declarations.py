"""What a Rust text declares, and how much of it others can see; a coarse reading."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from understudy.syntax.code_spans import NO_MENTIONS, all_mentions, digest_of, mentions_in
from understudy.syntax.grammars import language_of
from understudy.syntax.model import Declaration, FileDeclarations, Mentions

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query


def read(path: str, text: bytes) -> FileDeclarations:
    """All items that a text declares, those in modules, types and implementations among them.

    The body of a function shows where callers depend on it: in a constant one, an asynchronous one,
    and one that returns `impl`. What a macro makes at the top may be anything, and is in the frame.
    """
    del path
    if language_of("rust") is None:
        return FileDeclarations((), digest_of(text), is_sound=False)
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    root = _parser().parse(text).root_node
    code = bytearray(text)
    for comment in QueryCursor(_comments()).captures(root).get("comment", ()):
        start, end = comment.start_byte, comment.end_byte
        code[start:end] = _NOT_NEWLINE.sub(b" ", text[start:end])
    reader = _ItemReader(bytes(code))
    reader.items(root, ())
    return FileDeclarations(
        tuple(reader.found),
        digest_of(*reader.frame),
        not root.has_error,
        all_mentions(reader.loose),
    )


@cache
def _parser() -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    return Parser(language_of("rust"))


@cache
def _comments() -> Query:
    from tree_sitter import Language, Query  # noqa: PLC0415 - a compiled wheel

    language = language_of("rust")
    assert isinstance(language, Language)
    return Query(language, "[(line_comment) (block_comment)] @comment")


_NOT_NEWLINE: Final = re.compile(rb"[^\n]")
_WORD: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_USED: Final = re.compile(rb"(?:\bas\s+)?((?:r#)?[A-Za-z_\x80-\xff][\w\x80-\xff]*)\s*(?=[,};])")
_SHOWN_BODY: Final = re.compile(rb"\b(?:const|async)\b[^(]*\bfn\b|->[^{]*\bimpl\b")
_WITH_CODE: Final = ("function_item", "impl_item", "trait_item", "mod_item")
_MADE_INSIDE: Final = re.compile(rb"\{.*\b(?:impl|macro_rules)\b", re.DOTALL)
_ATTRIBUTE: Final = re.compile(rb"#\s*\[\s*(?:unsafe\s*\(\s*)?(?:\w+\s*::\s*)*(\w+)")
_PLAIN_ATTRIBUTES: Final = frozenset(
    b"allow automatically_derived bench cfg cold deny deprecated diagnostic doc expect "
    b"export_name forbid global_allocator ignore inline link link_name link_section macro_export "
    b"macro_use must_use no_mangle non_exhaustive panic_handler path repr rustfmt should_panic "
    b"skip target_feature test track_caller used warn".split()
)
"""Attributes that are no macros of somebody's; a test, whoever makes it, makes nothing else."""
_KEYWORDS: Final = frozenset(b"impl for where dyn unsafe const mut crate self super".split())


class _ItemReader:
    """Takes the items of one list after the other; attributes belong to the item below them."""

    def __init__(self, code: bytes) -> None:
        self._code = code
        self.found: list[Declaration] = []
        self.frame: list[bytes] = []
        self.loose: list[Mentions] = []
        self._by_type: dict[str, Callable[[Node, bytes, tuple[str, ...]], None]] = {
            "function_item": self._function,
            "function_signature_item": self._function,
            "struct_item": self._type,
            "union_item": self._type,
            "enum_item": self._type,
            "trait_item": self._trait,
            "impl_item": self._implementation,
            "mod_item": self._module,
            "foreign_mod_item": self._foreign,
            "use_declaration": self._use,
            "field_declaration": self._item,
            "enum_variant": self._variant,
            **dict.fromkeys(
                ("const_item", "static_item", "type_item", "associated_type"), self._item
            ),
            **dict.fromkeys(("macro_definition", "extern_crate_declaration"), self._item),
        }

    def items(self, node: Node, owner: tuple[str, ...], *, of_owner: bool = False) -> None:
        """Take every item of a list; `of_owner` in a type, a trait or an implementation."""
        attributes = b""
        for child in node.children:
            if child.type == "attribute_item":
                attributes += self._span(child)
                continue
            take = self._by_type.get(child.type)
            if _may_make_others(child, attributes, self._span(child)):
                self.frame += [attributes, self._span(child)]
            if take is not None:
                n_before = len(self.found)
                take(child, attributes, owner)
                if of_owner:
                    self.found[n_before:] = map(_of_owner, self.found[n_before:])
            elif child.is_named and not child.type.endswith("_comment"):
                self.frame += [attributes, self._span(child)]
                self.loose.append(mentions_in(self._span(child)))
            attributes = b""

    def _span(self, node: Node, end: int | None = None) -> bytes:
        return self._code[node.start_byte : node.end_byte if end is None else end]

    def _item(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        self._add(self._name(node), owner, (attributes, self._span(node)))

    def _function(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        body = node.child_by_field_name("body")
        if body is None:
            self._item(node, attributes, owner)
            return
        signature, inner = self._span(node, body.start_byte), self._span(body)
        shown = (signature, inner) if _SHOWN_BODY.search(signature) else (signature,)
        self._add(self._name(node), owner, (attributes, *shown), inner)

    def _type(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        self._item(node, attributes, owner)
        body = node.child_by_field_name("body")
        if body is not None and body.type != "ordered_field_declaration_list":
            self.items(body, (*owner, self._name(node)), of_owner=True)

    def _variant(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        self._item(node, attributes, owner)
        body = node.child_by_field_name("body")
        if body is not None and body.type == "field_declaration_list":
            self.items(body, (*owner, self._name(node)), of_owner=True)

    def _trait(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        body = node.child_by_field_name("body")
        end = body.start_byte if body is not None else None
        self._add(self._name(node), owner, (attributes, self._span(node, end)))
        if body is not None:
            self.items(body, (*owner, self._name(node)), of_owner=True)

    def _implementation(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        """What an implementation adds to its type; that a trait holds for it may matter to all."""
        body = node.child_by_field_name("body")
        head = self._span(node, body.start_byte if body is not None else None)
        stated = node.child_by_field_name("type")
        # Of `a::S<T>` and of `&mut S` it is `S`.
        bare = self._span(stated).partition(b"<")[0] if stated is not None else b""
        words = [_text(word) for word in _WORD.findall(bare) if word not in _KEYWORDS]
        name = words[-1] if words else ""
        trait = node.child_by_field_name("trait")
        if trait is not None:
            for word in _WORD.findall(head):
                if word not in _KEYWORDS:
                    self._add(_text(word), owner, (attributes, head))
        else:
            self._add(name, owner, (attributes, head))
        if body is not None:
            self.items(body, (*owner, name), of_owner=True)

    def _module(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        body = node.child_by_field_name("body")
        end = body.start_byte if body is not None else None
        self._add(self._name(node), owner, (attributes, self._span(node, end)))
        if body is not None:
            self.items(body, (*owner, self._name(node)))

    def _foreign(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        body = node.child_by_field_name("body")
        n_before = len(self.found)
        if body is not None:
            self.items(body, owner)
        around = attributes + self._span(node, body.start_byte if body is not None else None)
        self.found[n_before:] = map(partial(_within, around), self.found[n_before:])

    def _use(self, node: Node, attributes: bytes, owner: tuple[str, ...]) -> None:
        """Names that a `use` brings in; one that ends in `*` may bring any, as macros do."""
        span = self._span(node)
        if b"*" in span:
            self.frame += [attributes, span]
        for name in dict.fromkeys(_USED.findall(span)):
            self._add(_text(name).removeprefix("r#"), owner, (attributes, span))

    def _name(self, node: Node) -> str:
        name = node.child_by_field_name("alias") or node.child_by_field_name("name")
        return _text(self._span(name)).removeprefix("r#") if name is not None else ""

    def _add(
        self, name: str, owner: tuple[str, ...], shown: Iterable[bytes], inner: bytes = b""
    ) -> None:
        spans = tuple(shown)
        self.found.append(
            Declaration(
                name,
                ".".join(owner),
                () if name == "_" else (name,),
                digest_of(*spans),
                mentions_in(*spans),
                mentions_in(inner) if inner else NO_MENTIONS,
            )
        )


def _may_make_others(item: Node, attributes: bytes, code: bytes) -> bool:
    """Whether the code inside an item can make something outside of it.

    A macro in an attribute gets all of the item; an implementation in a body holds everywhere.
    """
    if item.type not in _WITH_CODE:
        return False
    if any(name not in _PLAIN_ATTRIBUTES for name in _ATTRIBUTE.findall(attributes)):
        return True
    return item.type == "function_item" and _MADE_INSIDE.search(code) is not None


def _of_owner(one: Declaration) -> Declaration:
    shown = Mentions(one.shown.names, one.shown.members | {one.name})
    return Declaration(one.name, one.owner, (), one.outside, shown, one.inner, of_owner=True)


def _within(around: bytes, one: Declaration) -> Declaration:
    outside = digest_of(around, one.outside.encode())
    return Declaration(one.name, one.owner, one.exported, outside, one.shown, one.inner)


def _text(word: bytes) -> str:
    return word.decode("utf-8", "replace")
