"""What a text says as code: two texts that differ in remarks and layout alone have one digest.

Remarks are comments, blank lines and docstrings. One that a tool may obey is code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from understudy.syntax.grammars import language_of
from understudy.syntax.nesting import is_deep

if TYPE_CHECKING:
    from tree_sitter import Node

GRAMMARS: Final = frozenset(
    ("c", "cpp", "css", "go", "java", "javascript", "python", "rust", "tsx", "typescript")
)
"""Those whose comments and layout are known to mean nothing, but for what `_OBEYED` finds."""

_OBEYED: Final = re.compile(
    rb"""
    lint|noqa|nosec|pyright|mypy|pytype|pyre|ruff|flake|pylint|isort|fmt|yapf|black|prettier|biome
    |pragma|cover|istanbul|\b[cv]8\b|@|\bgo:|\+build|\bglobals?\b|export|fall|coding|!|output:
    |\bcgo\b|import|include|deno|webpack|source(?:mapping)?url|\$flow|ignore|disable|enable
    |suppress|skip|expect|\btypes?:|///|/\*\*|>>>|todo\(
    """,
    re.IGNORECASE | re.VERBOSE,
)
_COMMENTS: Final = frozenset(("comment", "line_comment", "block_comment"))
_WHOLE: Final = re.compile(r"string|template|char|regex|text|literal|heredoc")
"""Types of nodes in which a blank is not layout."""


def code_digest(grammar: str, text: bytes) -> str | None:
    """Names the code in a text; None where only the text itself can be compared.

    That is a text in another language, one that the parser does not understand all of, or one that
    is nested too deeply.
    """
    language = language_of(grammar) if grammar in GRAMMARS else None
    if language is None or is_deep(text) or (grammar == "go" and b'import "C"' in text):
        return None
    import tree_sitter  # noqa: PLC0415 - a compiled wheel

    tree = tree_sitter.Parser(language).parse(text)
    if tree.root_node.has_error:
        return None
    digest = hashlib.sha256()
    for piece in _pieces(tree.root_node, text):
        digest.update(len(piece).to_bytes(4, "big"))
        digest.update(piece)
    return digest.hexdigest()


def _pieces(root: Node, text: bytes) -> Iterator[bytes]:
    """The tree's leaves in order, within brackets for the nodes that hold them."""
    stack: list[Node | bytes] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, bytes):
            yield node
            continue
        if _is_remark(node, text):
            continue
        if not node.child_count or (node.is_named and _WHOLE.search(node.type)):
            yield text[node.start_byte : node.end_byte]
            continue
        yield b"(" + node.type.encode()
        stack.append(b")")
        stack += _parts(node, text)


def _parts(node: Node, text: bytes) -> list[Node | bytes]:
    """The children, last first, and what stands between them that no child has."""
    parts: list[Node | bytes] = []
    end = node.start_byte
    for child in node.children:
        between = text[end : child.start_byte].strip()
        if between:
            parts.append(between)
        parts.append(child)
        end = child.end_byte
    rest = text[end : node.end_byte].strip()
    return ([*parts, rest] if rest else parts)[::-1]


def _is_remark(node: Node, text: bytes) -> bool:
    """Whether nobody but a reader takes notice of the node."""
    if node.type not in _COMMENTS and not _is_docstring(node):
        return False
    return _OBEYED.search(text, node.start_byte, node.end_byte) is None


def _is_docstring(node: Node) -> bool:
    """Whether it is a statement that is a string, in front of all others of a body with others.

    A body of nothing else would be another one without it.
    """
    parent = node.parent
    if node.type != "string" or parent is None or parent.type not in ("block", "module"):
        return False
    statements = [child for child in parent.named_children if child.type not in _COMMENTS]
    return len(statements) > 1 and statements[0] == node
