"""Files named in comments: `/// <reference>`, pragmas, and the types of JSDoc."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, WHOLE, Binding, Import
from understudy.syntax.script import clauses
from understudy.syntax.script.grammar import (
    JAVASCRIPT,
    parse,
    string_of,
    text_of,
    unescaped,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = "(comment) @comment"
_MARKS = (b"///", b"@jsx")
_REFERENCE = re.compile(
    r"///\s*<\s*reference\s(?:[^>]*?\s)?(path|types|lib)\s*=\s*(['\"])([^'\"]+)\2", re.IGNORECASE
)
_JSX_SOURCE = re.compile(r"@jsxImportSource\s+([^\s*]+)")
_TYPE = re.compile(r"\bimport\s*\(\s*(['\"`])([^'\"`\n]+)\1\s*\)(?:\s*\.\s*([\w$]+))?")
_IMPORT_TAG = re.compile(r"@import\b([^@]*?['\"][^'\"\n]+['\"])", re.DOTALL)
_BORDER = re.compile(r"^[ \t]*\*+(?!/)", re.MULTILINE)


def query(path: str, text: bytes) -> str:
    """What to look for in a text; a quick look rules out most."""
    is_documented = _is_documented(path) and b"/**" in text and b"import" in text
    return _QUERY if is_documented or any(mark in text for mark in _MARKS) else ""


def imports(path: str, nodes: Iterable[Node]) -> Iterator[Import]:
    """What the comments of a file name; JSDoc says something to checkers in JavaScript alone."""
    for comment in nodes:
        content = text_of(comment)
        if content.startswith("///"):
            yield from _references(content)
        elif content.startswith("/*"):
            for match in _JSX_SOURCE.finditer(content):
                yield Import(f"{match[1]}/jsx-runtime", "jsx", (Binding(WHOLE, ALL),))
            if content.startswith("/**") and "import" in content and _is_documented(path):
                yield from _documented(path, _BORDER.sub("", content))


def _is_documented(path: str) -> bool:
    return path.endswith(JAVASCRIPT)


def _references(content: str) -> Iterator[Import]:
    for match in _REFERENCE.finditer(content):
        word = match[1].lower()
        kind = "reference" if word == "path" else word
        yield Import(match[3], kind, (Binding(ALL, ALL),))


def _documented(path: str, content: str) -> Iterator[Import]:
    for match in _TYPE.finditer(content):
        name = match[3]
        binding = Binding(name, name) if name else Binding(WHOLE, "import")
        yield Import(unescaped(match[2]), "jsdoc", (binding,))
    for match in _IMPORT_TAG.finditer(content):
        tree = parse(path, f"import {match[1].strip()}".encode())
        for node in tree.root_node.children if tree is not None else ():
            if node.type == "import_statement" and string_of(node.child_by_field_name("source")):
                for found in clauses.of_import(node, {}):
                    yield Import(found.target, "jsdoc", found.bindings)
