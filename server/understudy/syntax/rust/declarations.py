"""What a Rust text declares, and how much of it others can see; a coarse reading."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from understudy.syntax.code_spans import all_mentions, digest_of
from understudy.syntax.grammars import language_of
from understudy.syntax.model import FileDeclarations
from understudy.syntax.rust.items import ItemReader

if TYPE_CHECKING:
    from tree_sitter import Parser, Query


def read(path: str, text: bytes) -> FileDeclarations:
    """All items that a text declares, those in modules, types and implementations among them.

    The body of a function shows where callers depend on it: in a constant one, an asynchronous one,
    and one that returns `impl`. What a macro makes at the top may be anything, and is in the frame;
    so is all code of who writes macros as functions, and of a build script, which writes texts and
    conditions. What is taken by names that stand nowhere is told by those in `unseen.py`.
    """
    if language_of("rust") is None:
        return FileDeclarations((), digest_of(text), is_sound=False)
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    root = _parser().parse(text).root_node
    code = bytearray(text)
    for comment in QueryCursor(_comments()).captures(root).get("comment", ()):
        start, end = comment.start_byte, comment.end_byte
        code[start:end] = _NOT_NEWLINE.sub(b" ", text[start:end])
    reader = ItemReader(bytes(code))
    reader.items(root, ())
    reader.ended(root)
    if path.rpartition("/")[2] == _BUILD_SCRIPT:
        reader.frame.append(bytes(code))
    return FileDeclarations(
        tuple(reader.found),
        digest_of(*reader.frame),
        reader.is_whole and not root.has_error,
        all_mentions(reader.loose),
        around=all_mentions(reader.around),
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


_BUILD_SCRIPT: Final = "build.rs"
_NOT_NEWLINE: Final = re.compile(rb"[^\n]")
