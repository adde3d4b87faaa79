"""What a script imports, and whether its declarations are seen without any import.

Kinds of imports: `import`, `export`, `require`, `dynamic` (`import()`), `reference`, `types` and
`lib` (`/// <reference>`), `jsdoc`, `jsx` (the runtime that a pragma names), `augment` (`declare
module "x"`, `declare global`), `umd` (`export as namespace`), `mock` and `url`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, NO_IMPORTS, Binding, FileImports, Import
from understudy.syntax.script import broken, clauses, comments, uses
from understudy.syntax.script.grammar import (
    JAVASCRIPT,
    Captures,
    captures,
    in_utf8,
    name_of,
    parse,
    text_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

GLOBAL = "global"
"""The scope of scripts and of what adds to it."""

STATEMENTS = """
(import_statement) @import
(export_statement) @export
(import_alias) @alias
(call_expression function: (import)) @dynamic
(module name: (string)) @augment
(ambient_declaration "global") @global
(meta_property) @meta
(ERROR) @error
"""
"""All statements that name other files, and what tells a module from a script."""


def read(path: str, text: bytes) -> FileImports:
    """All imports of a text, half-written ones too; a text without a grammar has none."""
    text = in_utf8(text)
    tree = parse(path, text)
    if tree is None:
        return NO_IMPORTS
    # One query, as each walks the whole tree: what a text cannot have is not asked for.
    parts = (STATEMENTS, uses.query(path, text), comments.query(path, text))
    return imports_in(path, captures(path, "".join(parts), tree.root_node))


def imports_in(path: str, nodes: Captures) -> FileImports:
    """All imports among what the queries of `read`, or more, have found in a text."""
    found = chain(
        _statements(nodes),
        clauses.aliases(nodes.get("alias", ())),
        _augmentations(nodes),
        uses.imports(nodes),
        comments.imports(path, nodes.get("comment", ())),
        broken.imports(nodes.get("error", ())),
    )
    imports = tuple(dict.fromkeys(found))
    is_seen = any(one.kind in ("augment", "umd") for one in imports)
    return FileImports(imports, GLOBAL if is_seen or not is_module(path, nodes) else "")


def _statements(nodes: Captures) -> Iterator[Import]:
    exported = clauses.exported_locals(nodes.get("export", ()))
    for node in nodes.get("import", ()):
        yield from clauses.of_import(node, exported)
    for node in nodes.get("export", ()):
        yield from clauses.of_export(node)


def _augmentations(nodes: Captures) -> Iterator[Import]:
    for node in nodes.get("augment", ()):
        yield Import(name_of(node.child_by_field_name("name")), "augment", (Binding(ALL, ALL),))
    for _ in nodes.get("global", ()):
        yield Import(GLOBAL, "augment", ())
    for node in nodes.get("export", ()):
        words = [child.type for child in node.children]
        if words[1:3] == ["as", "namespace"]:
            yield Import(text_of(node.children[3]), "umd", ())


def is_module(path: str, nodes: Captures) -> bool:
    """Whether something at the top makes it a module; what stands in a namespace does not."""
    if path.endswith(JAVASCRIPT) and uses.is_common_js(nodes):
        return True
    if any(_is_top(node) for node in nodes.get("import", ())):
        return True
    if any(text_of(node).startswith("import") for node in nodes.get("meta", ())):
        return True
    # A namespace that is not closed yet, whose exports seem to stand at the top.
    if any(broken.opens_namespace(node) for node in nodes.get("error", ())):
        return False
    return any(_is_top(node) for node in nodes.get("export", ()))


def _is_top(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "program"
