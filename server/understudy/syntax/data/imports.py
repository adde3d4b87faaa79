"""The files that JSON and TOML point at: schemas, and configurations that they extend."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import unquote

from understudy.syntax.grammars import language_of
from understudy.syntax.model import NO_IMPORTS, WHOLE, Binding, FileImports, Import

if TYPE_CHECKING:
    import tree_sitter

TOML = ".toml"
SUFFIXES = (".json", ".jsonc", ".code-workspace", TOML)

_QUERIES = {
    "json": """
(pair
  key: (string (string_content) @key)
  value: [(string) (array) (object)] @value
  (#any-of? @key "$schema" "$ref" "extends" "references"))
""",
    "toml": """
(comment) @comment
(pair (bare_key) @key [(string) (array)] @value (#any-of? @key "extend" "path" "catalogs"))
""",
}
_DIRECTIVE = "#:schema "


def read(path: str, text: bytes) -> FileImports:
    """What decides this file's findings, by relative paths; names of packages and URLs are none."""
    name = "toml" if path.endswith(TOML) else "json"
    parser = _parser(name)
    if parser is None:
        return NO_IMPORTS
    from tree_sitter import QueryCursor  # noqa: PLC0415 - a compiled wheel

    root = parser[0].parse(text).root_node
    found: list[Import] = []
    for _, captures in QueryCursor(parser[1]).matches(root):
        for node in captures.get("comment", ()):
            found += _directive(_text(node))
        for key, value in zip(captures.get("key", ()), captures.get("value", ()), strict=False):
            kind = _text(key)
            found += [_import(target, kind) for target in _strings(value) if target]
    return FileImports(tuple(dict.fromkeys(found)))


def _directive(comment: str) -> Iterator[Import]:
    """The schema that a TOML file names for itself, as tombi and taplo read it."""
    if comment.startswith(_DIRECTIVE):
        target = comment[len(_DIRECTIVE) :].strip().removeprefix("file://")
        yield _import(target, "$schema")


def _import(target: str, kind: str) -> Import:
    # Whatever takes this file takes what it points at.
    return Import(unquote(target.partition("#")[0]), kind, (Binding(WHOLE, "", WHOLE),))


def _strings(node: tree_sitter.Node) -> Iterator[str]:
    """Every string in a value, as it is meant; not the keys of objects."""
    if node.type == "string":
        raw = _text(node)
        if raw[:1] == '"' and raw[:3] != '"""':
            try:
                yield str(json.loads(raw))
            except ValueError:
                yield raw.strip('"')
        else:
            yield raw.strip("'\"")
        return
    for child in node.named_children:
        if child.type == "pair":
            value = child.child_by_field_name("value")
            if value is not None:
                yield from _strings(value)
        else:
            yield from _strings(child)


def _text(node: tree_sitter.Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


@cache
def _parser(name: str) -> tuple[tree_sitter.Parser, tree_sitter.Query] | None:
    language = language_of(name)
    if language is None:
        return None
    from tree_sitter import Parser, Query  # noqa: PLC0415 - a compiled wheel

    return Parser(language), Query(language, _QUERIES[name])
