"""Edits of one exported function each, made in its syntax tree: the same for one seed.

A function counts that stands at the top of a module of the package itself, under a public name
that its file declares once; in TypeScript it is exported there. A sample of them is drawn by seed.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.edits import GeneratedEdit
from tests.support.release_edits import edit_between
from understudy.syntax.grammars import language_of

if TYPE_CHECKING:
    from tree_sitter import Node

_PYTHON = "(module [(function_definition) @f (decorated_definition (function_definition) @f)])"
_TYPESCRIPT = "(program (export_statement !source declaration: (function_declaration) @f))"
_REST = frozenset({"dictionary_splat_pattern", "list_splat_pattern", "rest_pattern"})


@dataclass(frozen=True)
class ExportedFunction:
    """A function with the place of its name: 0-based line and column of its (ASCII) line."""

    path: str
    name: str
    line: int
    column: int
    edits: tuple[GeneratedEdit, ...]


def sample(
    language: str, files: Mapping[str, str], sources: Iterable[str], seed: int, count: int
) -> list[ExportedFunction]:
    """So many of the functions of these files, each with its edits."""
    found = [(path, node) for path in sources for node in _drawn(language, files[path])]
    drawn = random.Random(seed).sample(found, count)  # noqa: S311 - the same in every run
    return [_function(language, path, files[path], node) for path, node in drawn]


def _drawn(language: str, text: str) -> Iterator[Node]:
    """The functions that count; none where bytes are no places, in a text beyond ASCII."""
    nodes = list(_nodes(language, text)) if text.isascii() else []
    n_named = Counter(_name(node) for node in nodes)
    for node in nodes:
        is_public = not _name(node).startswith("_")
        if is_public and n_named[_name(node)] == 1 and _is_below(node.child_by_field_name("body")):
            yield node


def _nodes(language: str, text: str) -> Iterator[Node]:
    from tree_sitter import Parser, Query, QueryCursor  # noqa: PLC0415 - a compiled wheel

    grammar = language_of(language)
    assert grammar is not None, f"the grammar of {language} is not installed"
    root = Parser(grammar).parse(text.encode()).root_node
    query = Query(grammar, _PYTHON if language == "python" else _TYPESCRIPT)
    found = QueryCursor(query).captures(root).get("f", ())
    yield from sorted(found, key=lambda node: node.start_byte)


def _function(language: str, path: str, text: str, node: Node) -> ExportedFunction:
    name = node.child_by_field_name("name")
    assert name is not None, "a declaration has a name"
    made = (
        _edit(path, text, f"{_name(node)}: {kind}", swap) for kind, swap in _changes(language, node)
    )
    place = name.start_point
    return ExportedFunction(path, _name(node), place.row, place.column, tuple(made))


_Swap = tuple[int, int, str]
"""What stands between two places becomes another text."""


def _changes(language: str, node: Node) -> Iterator[tuple[str, _Swap]]:
    name, body, parameters, result = (
        node.child_by_field_name(field) for field in ("name", "body", "parameters", "return_type")
    )
    assert name is not None, "a function has a name"
    assert body is not None, "one without a body is not drawn"
    assert parameters is not None, "a function has parameters"
    is_python = language == "python"
    listed = [one for one in parameters.named_children if one.type != "comment"]
    is_typed = not is_python or any(one.child_by_field_name("type") for one in listed)
    kind = ": int" if is_typed and is_python else ": number" if is_typed else ""
    yield "optional parameter", _optional(listed, parameters, kind, is_python=is_python)
    start = parameters.start_byte + 1
    yield "required parameter", (start, start, f"added{kind}{', ' if listed else ''}")
    if result is not None:
        changed = "complex" if is_python else ": bigint"
        yield "result", (result.start_byte, result.end_byte, changed)
    else:
        yield "result", _first(body, "return 0j", "return Symbol();", is_python=is_python)
    yield "body", _first(body, "len(())", "Math.abs(0);", is_python=is_python)
    yield "renamed", (name.start_byte, name.end_byte, f"renamed_{_name(node)}")


def _optional(listed: list[Node], parameters: Node, kind: str, *, is_python: bool) -> _Swap:
    """A parameter that nobody has to give, behind all others that can be given by place."""
    added = f"added{kind} = 0" if is_python else f"added?{kind}"
    last = listed[-1] if listed else None
    rest = next((one for one in listed if not _REST.isdisjoint(_kinds(one))), None)
    if is_python and rest is not None and "list_splat_pattern" in _kinds(rest):
        rest = next((o for o in listed if "dictionary_splat_pattern" in _kinds(o)), None)
    if rest is not None:
        return (rest.start_byte, rest.start_byte, f"{added}, ")
    end = parameters.start_byte + 1 if last is None else last.end_byte
    return (end, end, f", {added}" if last is not None else added)


def _kinds(parameter: Node) -> set[str]:
    return {parameter.type, *(child.type for child in parameter.named_children)}


def _first(body: Node, python: str, script: str, *, is_python: bool) -> _Swap:
    """A statement in front of all others, under a condition that a checker cannot decide."""
    if not is_python:
        start = body.start_byte + 1
        return (start, start, f" if (Math.random() < 2) {{ {script} }}")
    start = body.start_byte
    indent = " " * body.start_point.column
    return (start, start, f"if id(0) > 1:\n{indent}    {python}\n{indent}")


def _edit(path: str, text: str, label: str, swap: _Swap) -> GeneratedEdit:
    start, end, new = swap
    changed = text[:start] + new + text[end:]
    return edit_between(path, text, changed, f"{path}: {label}")


def _is_below(body: Node | None) -> bool:
    """Whether there is a body that begins a line, as Python's do, or is in brackets."""
    if body is None:
        return False
    before = body.prev_sibling
    return body.type != "block" or before is None or before.end_point.row < body.start_point.row


def _name(function: Node) -> str:
    name = function.child_by_field_name("name")
    return "" if name is None or name.text is None else name.text.decode()
