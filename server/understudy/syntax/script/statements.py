"""The declarations of a script, statement by statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, WHOLE, Declaration, Import, Mentions
from understudy.syntax.script import clauses
from understudy.syntax.script.grammar import string_of, text_of
from understudy.syntax.script.hidden import FUNCTIONS, HiddenParts
from understudy.syntax.script.members import MEMBER_BLOCKS, members_of
from understudy.syntax.script.narrowing import Narrowing
from understudy.syntax.script.patterns import (
    EVERYTHING,
    assigned,
    bound,
    exported_inside,
    hoisted,
    is_exports,
)
from understudy.syntax.script.source import ANY_MODULE, NO_WORDS, ScriptSource, Span, without
from understudy.values.frozen import frozen

if TYPE_CHECKING:
    from tree_sitter import Node

_VARIABLES = ("lexical_declaration", "variable_declaration")
_BRANCHES = frozenset(
    (
        *("if_statement", "for_statement", "for_in_statement", "while_statement", "do_statement"),
        *("try_statement", "switch_statement", "statement_block", "labeled_statement"),
    )
)


_BUILT_IN = frozenset(
    (
        *("Array", "BigInt", "Boolean", "CallableFunction", "Function", "IArguments", "Iterable"),
        *("IterableIterator", "Iterator", "NewableFunction", "Number", "Object", "Promise"),
        *("PromiseLike", "ReadonlyArray", "RegExp", "String", "Symbol", "TemplateStringsArray"),
    )
)
"""Types that values have without anybody naming them: what is added to one, all files see."""


@frozen(slots=True)
class _Place:
    """Where a statement stands: in which namespace, from where its text counts, how exported."""

    owner: str
    start: int
    exported: tuple[str, ...] = ()
    is_open: bool = False
    """Whether others see what stands here without an export."""
    is_global: bool = False
    """Whether they see it without an import."""


class DeclarationReader:
    """Collects the declarations of a file, and the spans of what belongs to none."""

    def __init__(
        self,
        path: str,
        source: ScriptSource,
        hidden: HiddenParts,
        exported: Mapping[str, tuple[str, ...]],
        *,
        is_open: bool,
    ) -> None:
        self._path = path
        self.found: list[Declaration] = []
        self.loose: list[Span] = []
        self._umd: list[int] = []
        self._narrowing = Narrowing(source)
        self._source, self._hidden, self._exported = source, hidden, exported
        self._is_open = is_open

    def read(self, root: Node) -> None:
        """Read a whole file."""
        self._block(root.children, _Place("", 0, (), self._is_open, self._is_open))

    def _block(self, nodes: Iterable[Node], place: _Place) -> None:
        """Read statements; a comment belongs to what follows it."""
        start: int | None = None
        for node in nodes:
            if node.type in ("comment", "decorator"):
                start = node.start_byte if start is None else start
                continue
            if node.type not in (";", "{", "}"):
                first = node.start_byte if start is None else start
                self._statement(node, replace(place, start=first))
            start = None

    def finish(self) -> tuple[Declaration, ...]:
        """All declarations; a global name of the module stands for everything in it."""
        names = frozenset(one.name for one in self.found)
        for index in self._umd:
            self.found[index] = replace(self.found[index], shown=Mentions(names))
        return tuple(map(self._narrowing.seen_in, self.found))

    def _statement(self, node: Node, place: _Place) -> None:
        kind = node.type
        if kind == "export_statement":
            self._export(node, place)
        elif kind == "import_statement":
            for one in clauses.of_import(node, self._exported):
                self._imported(node, one)
        elif kind == "ambient_declaration":
            self._ambient(node, place)
        elif kind in ("internal_module", "module"):
            self._namespace(node, place)
        elif kind in _VARIABLES:
            self._variables(node, place)
        elif kind in MEMBER_BLOCKS:
            self._type(node, place)
        elif kind in FUNCTIONS or kind == "import_alias":
            name = node.child_by_field_name("name") or node.named_children[0]
            self._declare(text_of(name), place, node, self._hidden.of(node))
        elif kind == "expression_statement":
            self._expression(node, place)
        else:
            self._other(node, place)
        if kind != "expression_statement":
            self._common(node, place)

    def _export(self, node: Node, place: _Place) -> None:
        for one in clauses.of_export(node):
            self._imported(node, one)
        words = [child.type for child in node.children]
        names = ("default",) if "default" in words else ()
        declared = node.child_by_field_name("declaration")
        value = node.child_by_field_name("value")
        place = replace(place, exported=names, is_open=place.is_open or not names)
        if declared is not None:
            self._statement(declared, place)
        elif value is not None:
            inner = value.child_by_field_name("name") if value.type in FUNCTIONS else None
            name = text_of(inner) or "default"
            self._declare(name, place, node, self._hidden.of(value))
        elif "=" in words:
            place = replace(place, exported=("default", WHOLE), is_open=False)
            self._declare("export=", place, node)
        elif words[1:3] == ["as", "namespace"]:
            name = text_of(node.children[3])
            self._umd.append(len(self.found))
            self._declare(name, replace(place, exported=(name,)), node)
        elif node.child_by_field_name("source") is None:
            self.loose.append((node.start_byte, node.end_byte))

    def _ambient(self, node: Node, place: _Place) -> None:
        for child in node.named_children:
            if child.type == "statement_block":  # of `declare global`
                self._block(child.children, _Place("", 0, (), is_open=True, is_global=True))
            elif child.type != "comment":
                self._statement(child, place)

    def _namespace(self, node: Node, place: _Place) -> None:
        named, body = (node.child_by_field_name(field) for field in ("name", "body"))
        module = string_of(named)
        statements = body.children if body is not None else []
        if module is not None:
            # Others know what is in it by the names there, and as what it is called.
            name = ANY_MODULE if ALL in module else f'"{module}"'
            self._declare(name, replace(place, exported=(name,), is_open=False), node)
            self._block(statements, _Place("", 0, (), is_open=True, is_global=True))
            return
        inner = [(body.start_byte, body.end_byte)] if body is not None else []
        for part in text_of(named).split("."):
            span = (place.start, node.end_byte)
            self._add(part.strip(), place, without(span, inner), is_member=bool(place.owner))
            owner = f"{place.owner}.{part.strip()}".lstrip(".")
            place = replace(place, owner=owner, exported=(), is_open=True)
        is_listed = any("export_clause" in (c.type for c in one.children) for one in statements)
        self._block(statements, replace(place, is_open=is_listed or _is_ambient(node)))

    def _variables(self, node: Node, place: _Place) -> None:
        declarators = [one for one in node.named_children if one.type == "variable_declarator"]
        if not declarators:
            return
        head = (place.start, declarators[0].start_byte)
        for one in declarators:
            holes = list(self._hidden.of(one))
            spans = [head, *without((one.start_byte, one.end_byte), holes)]
            if is_exports(one.child_by_field_name("value")):
                place = replace(place, exported=EVERYTHING)
            for name in bound(one.child_by_field_name("name")):
                self._add(name, place, spans, holes, is_member=self._is_member(place))
                if holes and one.child_by_field_name("type") is not None:
                    self._narrowing.add((name,), holes, name)

    def _type(self, node: Node, place: _Place) -> None:
        """A class, an interface, an enum or a type with its members."""
        name = text_of(node.child_by_field_name("name")) or "default"
        owner = f"{place.owner}.{name}".lstrip(".")
        parts = members_of(node, self._hidden)
        spans = without((place.start, node.end_byte), parts.holes)
        names = {member.name for member in parts.members} if parts.has_bases else set[str]()
        self._add(name, place, spans, is_member=self._is_member(place), members=names)
        # Who sees a type without importing it may see its members without naming the type.
        for member in parts.members:
            shown = without(member.span, member.hidden)
            # A member's own name is no mention of what is called so at the top.
            said = without(member.span, (*member.hidden, *member.key))
            inner = Mentions() if not member.hidden else self._source.mentions(member.hidden)
            self.found.append(
                Declaration(
                    member.name,
                    owner,
                    (member.name,) if place.is_global else (),
                    self._source.digest(shown),
                    self._source.mentions(said, names & {member.name}),
                    inner,
                    of_owner=True,
                )
            )

    def _expression(self, node: Node, place: _Place) -> None:
        child = node.named_children[0] if node.named_child_count else None
        if child is not None and child.type == "internal_module":
            self._namespace(child, place)
            return
        span = (place.start, node.end_byte)
        given = list(assigned(node))
        for one in given:
            target = replace(place, owner=one.owner, exported=one.exported, is_open=False)
            self._add(one.name, target, [span], is_member=bool(one.owner))
        if not given:
            self.loose.append(span)
            self._common(node, place)
            arguments = child.child_by_field_name("arguments") if child is not None else None
            if arguments is not None:  # what is called may assert something
                checked = (arguments.start_byte, arguments.end_byte)
                self._narrowing.add(self._source.mentions([checked]).names, [span])

    def _other(self, node: Node, place: _Place) -> None:
        """Statements that run; a `var` in one is the file's."""
        span = (place.start, node.end_byte)
        self.loose.append(span)
        if node.type in _BRANCHES:
            self._narrowing.add(self._source.mentions([span]).names, [span])
            for name in hoisted(self._path, node):
                self._add(name, place, [span])

    def _common(self, node: Node, place: _Place) -> None:
        """What JavaScript exports from within a statement, even from a function."""
        for one in exported_inside(self._path, node):
            target = replace(place, owner=one.owner, exported=one.exported, is_open=False)
            span = (place.start, node.end_byte)
            self._add(one.name, target, [span], is_member=bool(one.owner))

    def _imported(self, node: Node, one: Import) -> None:
        """The names that an import binds, and those that an export hands on."""
        module = () if one.target.startswith(".") else (f'"{one.target}"',)
        is_type = any(child.type == "type" for child in node.children)
        attributes = [
            (child.start_byte, child.end_byte)
            for child in node.children
            if child.type == "import_attribute"
        ]
        named: dict[str, list[str]] = {}
        for binding in one.bindings:
            name = binding.local or binding.exported
            named.setdefault(name, []).append(binding.exported)
            if name:
                words = {binding.name, name, ANY_MODULE, *module} - {ALL, WHOLE}
                outside = self._source.digest(
                    attributes, *binding, one.target, one.kind, str(is_type)
                )
                exported = (binding.exported,) if binding.exported else ()
                # It is the namespace itself, which its binding hands on.
                shown = Mentions(frozenset(words), bare=frozenset())
                self.found.append(Declaration(name, "", exported, outside, shown, NO_WORDS))

    def _is_member(self, place: _Place) -> bool:
        return bool(place.owner) and place.is_open

    def _declare(self, name: str, place: _Place, node: Node, hidden: Iterable[Span] = ()) -> None:
        holes = list(hidden)
        spans = without((place.start, node.end_byte), holes)
        self._add(name, place, spans, holes, is_member=self._is_member(place))

    def _add(
        self,
        name: str,
        place: _Place,
        spans: list[Span],
        hidden: Iterable[Span] = (),
        *,
        is_member: bool = False,
        members: Iterable[str] = (),
    ) -> None:
        exported = place.exported
        if place.owner and place.is_global:
            exported = (*exported, name)
        elif not place.owner:
            own = (name,) if place.is_open else ()
            own += (ALL,) if place.is_global and name in _BUILT_IN else ()
            exported = tuple(dict.fromkeys((*exported, *own, *self._exported.get(name, ()))))
        self.found.append(
            Declaration(
                name,
                place.owner,
                exported,
                self._source.digest(spans, *exported),
                self._source.mentions(spans, members),
                self._source.mentions(hidden),
                of_owner=is_member,
            )
        )


def _is_ambient(node: Node) -> bool:
    """Whether it stands in something that is declared only: then all of it is exported."""
    parent = node.parent
    while parent is not None and parent.type != "program":
        if parent.type == "ambient_declaration":
            return True
        parent = parent.parent
    return False
