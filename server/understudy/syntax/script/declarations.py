"""What a script declares, and how much of it other files can see.

TypeScript compares types by their members: each member changes its owner with it. A name that an
import binds is declared, too: it mentions what it stands for, and `"name"` of the module, as an
ambient `declare module "name"` declares it. What `export *` hands on is declared as ALL.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from understudy.syntax.model import NO_IMPORTS, Declaration, FileDeclarations, FileImports
from understudy.syntax.script import broken, clauses, imports, uses
from understudy.syntax.script.grammar import (
    JAVASCRIPT,
    WITH_JSX,
    Captures,
    captures,
    in_utf8,
    parse_again,
    text_of,
)
from understudy.syntax.script.hidden import HiddenParts
from understudy.syntax.script.source import CONTEXTUAL, NO_WORDS, ScriptSource, Span
from understudy.syntax.script.statements import DeclarationReader

if TYPE_CHECKING:
    from tree_sitter import Node

_NOTHING = FileDeclarations((), "", is_sound=False)
_PARTS = """
(comment) @comment
(return_statement (_)) @result
(yield_expression) @result
(MISSING) @missing
"""
_TYPES = "(predefined_type) @type"
_PRAGMA = re.compile(r"@ts-(?:no)?check\b|@jsx|^///\s*<|@flow\b")
_TYPEDEF = re.compile(r"@(?:typedef|callback)\b\s*(?:\{(?:[^{}]|\{[^{}]*\})*\}\s*)?([\w$]+)")
_FACTORY = re.compile(r"@jsx(?:Frag)?\s+([\w$]+)")
MARKUP_NAMES = frozenset(("React", "JSX", "h", "Fragment"))
"""What markup may mean by the usual configurations."""


def read(path: str, text: bytes) -> FileDeclarations:
    """All declarations of a text; one without a grammar is not sound."""
    return read_with_imports(path, text)[1]


def read_with_imports(path: str, text: bytes) -> tuple[FileImports, FileDeclarations]:
    """All that a text imports and declares, from one tree."""
    text = in_utf8(text)
    tree = parse_again(path, text)
    if tree is None:
        return NO_IMPORTS, _NOTHING
    root = tree.root_node
    nodes = captures(path, imports.STATEMENTS + uses.query(path, text) + _PARTS, root)
    comments = nodes.get("comment", ())
    is_module = imports.is_module(path, nodes)
    silent, markup = _silent(path, comments), _markup(path, comments)
    marks = frozenset(_span(node) for node in comments if b"@deprecated" in (node.text or b""))
    known = frozenset(_imported(nodes)) & CONTEXTUAL

    def taken_apart(known: frozenset[str]) -> tuple[ScriptSource, DeclarationReader]:
        types = _keywords(path, root) if known else []
        source = ScriptSource(text, sorted(silent + types), marks.union(types), known, markup)
        reader = DeclarationReader(
            path,
            source,
            HiddenParts(path, nodes.get("result", ())),
            clauses.exported_locals(nodes.get("export", ())),
            is_open=not is_module,
        )
        reader.read(root)
        return source, reader

    source, reader = taken_apart(known)
    more = CONTEXTUAL & {one.name for one in reader.found if not one.owner}
    if more - known:
        source, reader = taken_apart(known | more)
    declarations = (*reader.finish(), *_documented(path, comments, source))
    frame = source.digest((), str(is_module), *_frame(root, comments))
    loose = source.mentions(reader.loose)
    declared = FileDeclarations(declarations, frame, _is_sound(root, nodes), loose)
    return imports.imports_in(path, nodes), declared


def _is_sound(root: Node, nodes: Captures) -> bool:
    if not root.has_error:
        return True
    errors = nodes.get("error", ())
    missing = nodes.get("missing", ())
    return (
        bool(errors or missing)
        and all(broken.is_known(node) for node in errors)
        and all(node.type == ";" for node in missing)
    )


def _silent(path: str, comments: Iterable[Node]) -> list[Span]:
    """The comments that name nothing: those that hold types are JSDoc, and that in JavaScript."""
    is_documented = path.endswith(JAVASCRIPT)
    return [
        _span(node) for node in comments if not (is_documented and text_of(node).startswith("/**"))
    ]


def _keywords(path: str, root: Node) -> list[Span]:
    """Where a word such as `any` is a type, whatever else the file calls by it."""
    if path.endswith(JAVASCRIPT):
        return []
    return [_span(node) for node in captures(path, _TYPES, root).get("type", ())]


def _span(node: Node) -> Span:
    return node.start_byte, node.end_byte


def _imported(nodes: Captures) -> Iterator[str]:
    """The names that imports bind."""
    for node in nodes.get("import", ()):
        for one in clauses.of_import(node, {}):
            yield from (binding.local for binding in one.bindings)


def _markup(path: str, comments: Iterable[Node]) -> frozenset[str]:
    """The names that markup means in this file; none where it can have no markup."""
    if not path.endswith(WITH_JSX):
        return frozenset()
    named = (name for node in comments for name in _FACTORY.findall(text_of(node)))
    return MARKUP_NAMES | frozenset(named)


def _documented(path: str, comments: Iterable[Node], source: ScriptSource) -> Iterator[Declaration]:
    """The types that JSDoc declares; every one can be imported."""
    for node in comments if path.endswith(JAVASCRIPT) else ():
        text = text_of(node)
        if not text.startswith("/**"):
            continue
        span = (node.start_byte, node.end_byte)
        for name in _TYPEDEF.findall(text):
            shown = source.mentions((span,))
            yield Declaration(name, "", (name,), source.digest((span,)), shown, NO_WORDS)


def _frame(root: Node, comments: Iterable[Node]) -> Iterator[str]:
    """Pragmas, references, and directives such as `"use strict"`."""
    yield from (text for node in comments if _PRAGMA.search(text := text_of(node)))
    for node in root.children:
        if node.type == "comment" or node.type == "hash_bang_line":
            continue
        first = node.children[0] if node.child_count else None
        if node.type != "expression_statement" or first is None or first.type != "string":
            return
        yield text_of(first)
