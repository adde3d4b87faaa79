"""What a Go text declares, and how much of it others can see."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

from understudy.syntax.code_spans import (
    NO_MENTIONS,
    all_mentions,
    digest_of,
    mentions_in,
    without_comments,
)
from understudy.syntax.go import imports as go_imports
from understudy.syntax.grammars import language_of
from understudy.syntax.model import Declaration, FileDeclarations, Mentions

if TYPE_CHECKING:
    from tree_sitter import Node, Parser


def read(path: str, text: bytes) -> FileDeclarations:
    """All that a text declares at its top, the fields, methods and names it imports among it.

    A function shows its signature alone, unless it hands on what printing functions take: then vet
    reads its body. A typed variable does not show its value, any other and a constant does. Who
    reads a name that is deprecated is told so, therefore that note counts as code.
    """
    if language_of("go") is None:
        return FileDeclarations((), digest_of(text), is_sound=False)
    root = _parser().parse(text).root_node
    reader = _Reader(text)
    for node in root.children:
        reader.take(node)
    imports = go_imports.read(path, text[: reader.body_start])
    directives = [line for line in text.splitlines() if line.startswith(b"//go:debug")]
    cgo = [one.target.encode("utf-8", "replace") for one in imports.imports if one.kind == "cgo"]
    frame = digest_of(
        imports.scope.encode(), imports.condition.encode(), *directives, *cgo, *reader.frame
    )
    loose = all_mentions(reader.loose)
    return FileDeclarations(tuple(reader.found), frame, not root.has_error, loose)


@cache
def _parser() -> Parser:
    from tree_sitter import Parser  # noqa: PLC0415 - a compiled wheel

    return Parser(language_of("go"))


_DEPRECATED: Final = re.compile(rb"(?:\A|\n)[/* \t]*Deprecated: ")
_DIRECTIVE: Final = re.compile(rb"//(?:go:|export |line )[^\n]*")
_ENDS: Final = re.compile(rb"\b(?:panic|Exit|Fatal\w*|Goexit)\s*\(")
_PRINTS: Final = re.compile(rb"\.\.\.\s*(?:any|interface\s*\{\s*\})")
_PART: Final = re.compile(r"[A-Za-z_]\w*")


class _Reader:
    """Takes one child of the root after the other; keeps the comments right above."""

    def __init__(self, text: bytes) -> None:
        self._text = text
        self._code = without_comments(text)
        self._above: list[Node] = []
        self.found: list[Declaration] = []
        self.body_start = 0
        self.frame: list[bytes] = []
        self.loose: list[Mentions] = []

    def take(self, node: Node) -> None:
        if node.type == "comment":
            self._above.append(node)
            return
        note = self._note(node, self._above)
        self._above = []
        if node.type in ("package_clause", "import_declaration"):
            self.body_start = node.end_byte
            for spec, _ in _noted(node, ("import_spec",)):
                self._import(spec)
        elif node.type in ("function_declaration", "method_declaration"):
            self._function(node, note)
        elif node.type == "type_declaration":
            for spec, above in _noted(node, ("type_spec", "type_alias")):
                self._type(spec, note + self._note(spec, above))
        elif node.type == "const_declaration":
            self._constants(node, note)
        elif node.type == "var_declaration":
            for spec, above in _noted(node, ("var_spec",)):
                self._variables(spec, note + self._note(spec, above))
        elif node.type not in ("\n", ";"):
            self.loose.append(mentions_in(self._span(node)))

    def _span(self, node: Node, end: int | None = None) -> bytes:
        return self._code[node.start_byte : node.end_byte if end is None else end]

    def _note(self, node: Node, above: Sequence[Node]) -> bytes:
        """What the comments right above say that tools read."""
        noted = list[bytes]()
        row = node.start_point.row
        if not above:
            return b""
        for comment in reversed(above):
            if comment.end_point.row < row - 1:
                break
            row = comment.start_point.row
            noted.append(comment.text or b"")
        text = b"\n".join(reversed(noted))
        deprecated = _DEPRECATED.search(text)
        kept = _DIRECTIVE.findall(text)
        return b"\n".join((*kept, text[deprecated.start() :] if deprecated else b""))

    def _function(self, node: Node, note: bytes) -> None:
        if node.type == "method_declaration":
            self._method(node, note)
            return
        name = self._name(node)
        shown, inner = self._signature(node)
        exported = () if name in ("init", "_") else (name,)
        self._add(name, "", exported, (note, *shown), inner=inner)

    def _method(self, node: Node, note: bytes) -> None:
        name = self._name(node)
        receiver = node.child_by_field_name("receiver")
        words = _PART.findall(self._span(receiver).decode("utf-8", "replace")) if receiver else []
        bare = self._span(receiver).partition(b"[")[0] if receiver else b""
        owners = _PART.findall(bare.decode("utf-8", "replace"))
        owner = owners[-1] if owners else next(iter(words), "")
        shown, inner = self._signature(node)
        self._add(name, owner, (), (note, *shown), inner=inner, of_owner=True, members=(name,))

    def _signature(self, node: Node) -> tuple[tuple[bytes, ...], bytes]:
        """What is seen of a function, and its body."""
        body = node.child_by_field_name("body")
        if body is None:
            return (self._span(node), b"none"), b""
        signature, inner = self._span(node, body.start_byte), self._span(body)
        if _PRINTS.search(signature):
            return (signature, inner), inner
        # Whether a call comes back at all, vet sees through the functions that it calls.
        return (signature, b" ".join(sorted(set(_ENDS.findall(inner))))), inner

    def _type(self, spec: Node, note: bytes) -> None:
        name = self._name(spec)
        self._add(name, "", (name,), (note, self._span(spec)))
        inside = spec.child_by_field_name("type")
        if inside is not None:
            self._members(inside, name)

    def _members(self, node: Node, owner: str) -> None:
        """The fields of a struct and the methods of an interface, those of inner structs, too."""
        for one, above in _noted(node, None):
            if one.type in ("field_declaration", "method_elem", "type_elem"):
                names = [
                    (child.text or b"").decode("utf-8", "replace")
                    for child in one.children
                    if child.type == "field_identifier"
                ]
                if not names:  # what is embedded has the name of its type
                    bare = self._span(one).partition(b"[")[0].partition(b"`")[0]
                    words = _PART.findall(bare.decode("utf-8", "replace"))
                    names = words[-1:] if one.type == "field_declaration" else []
                for name in names:
                    span = (self._note(one, above), self._span(one))
                    self._add(name, owner, (), span, of_owner=True, members=(name,))
                inner_owner = f"{owner}.{names[0]}" if names else owner
                self._members(one, inner_owner)
            elif one.child_count:
                self._members(one, owner)

    def _constants(self, node: Node, note: bytes) -> None:
        """Constants, which repeat the expression above them and count by `iota`."""
        implied = b""
        for index, (spec, above) in enumerate(_noted(node, ("const_spec",))):
            names = _declared(spec)
            after = self._code[names[-1].end_byte : spec.end_byte] if names else self._span(spec)
            implied = after if after.strip() else implied
            place = b"%d" % index if b"iota" in implied else b""
            shown = (note, self._note(spec, above), self._names_span(names), implied, place)
            for number, name in enumerate(names):
                text = (name.text or b"").decode("utf-8", "replace")
                exported = () if text == "_" else (text,)
                self._add(text, "", exported, (*shown, b"%d" % number))

    def _variables(self, spec: Node, note: bytes) -> None:
        names = _declared(spec)
        value = spec.child_by_field_name("value")
        stated = spec.child_by_field_name("type")
        for number, name in enumerate(names):
            text = (name.text or b"").decode("utf-8", "replace")
            if text == "_":
                self.loose.append(mentions_in(self._span(spec)))
                continue
            if stated is not None:
                inner = self._span(value) if value is not None else b""
                self._add(text, "", (text,), (note, self._span(stated)), inner=inner)
            else:
                self._add(text, "", (text,), (note, self._span(spec), b"%d" % number))

    def _import(self, spec: Node) -> None:
        """The name that an import has in this file: what mentions it means another thing by it."""
        path = spec.child_by_field_name("path")
        name = spec.child_by_field_name("name")
        text = self._span(path) if path is not None else b""
        if name is not None and name.type == "dot":
            self.frame.append(text)
            return
        if name is not None:
            names = [(name.text or b"").decode("utf-8", "replace")]
        else:
            # What a package calls itself, its clause alone says: any part of its path may be it.
            names = _PART.findall(" ".join(text.decode("utf-8", "replace").split("/")[-2:]))
        for one in dict.fromkeys(names):
            if one != "_":
                self.found.append(
                    Declaration(one, "", (), digest_of(b"import", text), NO_MENTIONS, NO_MENTIONS)
                )

    def _name(self, node: Node) -> str:
        name = node.child_by_field_name("name")
        return (name.text or b"").decode("utf-8", "replace") if name is not None else ""

    def _names_span(self, names: Sequence[Node]) -> bytes:
        return self._code[names[0].start_byte : names[-1].end_byte] if names else b""

    def _add(
        self,
        name: str,
        owner: str,
        exported: tuple[str, ...],
        shown: tuple[bytes, ...],
        *,
        inner: bytes = b"",
        of_owner: bool = False,
        members: Iterable[str] = (),
    ) -> None:
        self.found.append(
            Declaration(
                name,
                owner,
                exported,
                digest_of(*shown),
                mentions_in(*shown, members=members),
                mentions_in(inner) if inner else NO_MENTIONS,
                of_owner,
            )
        )


def _noted(node: Node, kinds: tuple[str, ...] | None) -> Iterator[tuple[Node, list[Node]]]:
    """The lines of a declaration, in a group or alone, each with the comments above it."""
    above: list[Node] = []
    for child in node.children:
        if child.type == "comment":
            above.append(child)
        elif kinds is None or child.type in kinds:
            yield child, above
            above = []
        elif child.type.endswith("_list"):
            yield from _noted(child, kinds)


def _declared(spec: Node) -> list[Node]:
    return [one for one in spec.children_by_field_name("name") if one.is_named]
