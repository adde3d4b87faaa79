"""The names that statements of imports and exports take, and those they give on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, WHOLE, Binding, Import
from understudy.syntax.script.grammar import name_of, string_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

DEFAULT = "default"

Exported = Mapping[str, tuple[str, ...]]
"""Local name -> the names under which the file exports it."""


def exported_locals(exports: Iterable[Node]) -> Exported:
    """What `export { a as b }`, `export default a` and `export = a` say of the file's own names."""
    found: dict[str, tuple[str, ...]] = {}
    for node in exports:
        if node.parent is None or node.parent.type not in ("program", "ERROR"):
            continue
        for local, names in _exported_by(node):
            found[local] = tuple(dict.fromkeys((*found.get(local, ()), *names)))
    return found


def _exported_by(node: Node) -> Iterator[tuple[str, tuple[str, ...]]]:
    if node.child_by_field_name("source") is not None:
        return
    value = node.child_by_field_name("value")
    if value is not None and value.type == "identifier":
        yield text_of(value), (DEFAULT,)
    for index, child in enumerate(node.children):
        if child.type == "=" and index + 1 < node.child_count:
            yield text_of(node.children[index + 1]), (DEFAULT, WHOLE)
        elif child.type == "export_clause":
            for name, alias in _specifiers(child):
                yield name, (alias,)


def of_import(node: Node, exported: Exported) -> Iterator[Import]:
    """An import statement in all its forms."""
    clause = _child(node, "import_clause")
    required = _child(node, "import_require_clause")
    target = string_of((required or node).child_by_field_name("source"))
    if target is None:
        return
    if required is not None:
        bindings = [Binding(WHOLE, text_of(_child(required, "identifier")))]
    elif clause is not None:
        bindings = list(_taken(clause))
    else:
        bindings = [Binding(WHOLE)]
    yield Import(target, "import", tuple(_given_on(bindings, exported)))


def of_export(node: Node) -> Iterator[Import]:
    """An export of what another file has."""
    target = string_of(node.child_by_field_name("source"))
    if target is None:
        return
    bindings: list[Binding] = []
    for child in node.children:
        if child.type == "*":
            bindings.append(Binding(ALL, "", ALL))
        elif child.type == "namespace_export":
            bindings.append(Binding(WHOLE, "", name_of(child.children[-1])))
        elif child.type == "export_clause":
            bindings += [Binding(name, "", alias) for name, alias in _specifiers(child)]
    yield Import(target, "export", tuple(bindings or [Binding(WHOLE)]))


def aliases(nodes: Iterable[Node]) -> Iterator[Import]:
    """`export import x = require("y")`, which the grammar takes for an alias and a call."""
    for node in nodes:
        names = [text_of(child) for child in node.children if child.type == "identifier"]
        statement = node.parent
        after = statement.next_sibling if statement is not None else None
        if names[1:] != ["require"] or after is None or statement is None:
            continue
        call = next(iter(after.named_children), None)
        target = string_of(call.named_children[0]) if call and call.named_children else None
        if target is not None:
            is_exported = statement.type == "export_statement"
            yield Import(
                target, "import", (Binding(WHOLE, names[0], names[0] if is_exported else ""),)
            )


def _taken(clause: Node) -> Iterator[Binding]:
    for child in clause.named_children:
        if child.type == "identifier":
            yield Binding(DEFAULT, text_of(child))
        elif child.type == "namespace_import":
            yield Binding(WHOLE, text_of(_child(child, "identifier")))
        elif child.type == "named_imports":
            pairs = list(_specifiers(child))
            yield from (Binding(name, alias) for name, alias in pairs)
            if not pairs:
                yield Binding(WHOLE)


def _specifiers(clause: Node) -> Iterator[tuple[str, str]]:
    for specifier in clause.named_children:
        if specifier.type in ("import_specifier", "export_specifier"):
            name = name_of(specifier.child_by_field_name("name"))
            yield name, name_of(specifier.child_by_field_name("alias")) or name


def _given_on(bindings: Iterable[Binding], exported: Exported) -> Iterator[Binding]:
    """Each binding once for every name under which the file exports it."""
    for binding in bindings:
        for name in exported.get(binding.local, ()) or ("",):
            yield binding._replace(exported=name)


def _child(node: Node, kind: str) -> Node | None:
    return next((child for child in node.children if child.type == kind), None)
