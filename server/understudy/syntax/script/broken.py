"""Imports in text that is not written to its end: read from the tokens that are there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, WHOLE, Binding, Import
from understudy.syntax.script.grammar import leaves, string_of, text_of, unescaped

if TYPE_CHECKING:
    from tree_sitter import Node

_STRING = "string"
_QUOTES = ("'", '"', "`")
_STARTS = ("import", "export")
_WORDS = (*_STARTS, "from", "as", "type", "require", "typeof")
_N_BEFORE = 2000
"""More tokens than one import has."""
_N_AFTER = 4
"""Tokens after a statement with an error that may still belong to it."""


def imports(errors: Iterable[Node]) -> Iterator[Import]:
    """What the tokens of all statements with errors may import, whole ones or not."""
    for statement in _statements(errors):
        yield from _read(_tokens(statement))


def is_known(error: Node) -> bool:
    """Whether it is the grammar that does not know what stands there: nothing is hidden by it.

    It has neither `export type *` nor `import("x").T<U>`, nor `in` and `out` before the parameters
    of a type.
    """
    kinds = [child.type for child in error.children]
    parent = error.parent
    if parent is not None and parent.type in ("type_parameters", "type_parameter"):
        return {*kinds} <= {"identifier", "type_identifier"}
    return (kinds == ["type"] and parent is not None and parent.type == "export_statement") or (
        kinds == ["type_arguments"] and not error.children[0].has_error
    )


def opens_namespace(error: Node) -> bool:
    """Whether a namespace or an augmentation begins in an error."""
    words = {text_of(child) for child in error.children if child.child_count == 0}
    return not words.isdisjoint(("namespace", "module", "global"))


def _statements(errors: Iterable[Node]) -> Iterable[Node]:
    """The statements at the top that hold errors, each once."""
    found: dict[int, Node] = {}
    for error in errors:
        node, parent = error, error.parent
        if is_known(error):
            continue
        while parent is not None and parent.type != "program":
            node, parent = parent, parent.parent
        found[node.id] = node
    return found.values()


def _tokens(statement: Node) -> Iterator[tuple[str, str]]:
    after = statement.next_sibling
    rest = islice(leaves(after), _N_AFTER) if after is not None else ()
    for leaf in chain(leaves(statement), rest):
        value = string_of(leaf)
        if value is not None:
            yield _STRING, value
        elif leaf.type == "string_fragment":
            yield _STRING, unescaped(text_of(leaf))
        elif leaf.type not in _QUOTES and leaf.type != "comment" and leaf.text:
            yield "", text_of(leaf)


def _read(tokens: Iterable[tuple[str, str]]) -> Iterator[Import]:
    before: list[str] = []
    for kind, text in tokens:
        if kind != _STRING:
            if text == ";" or len(before) > _N_BEFORE:
                before.clear()
            before.append(text)
            continue
        last = before[-1] if before else ""
        if last == "from":
            start = next((i for i, word in enumerate(before) if word in _STARTS), 0)
            yield Import(text, "import", tuple(dict.fromkeys(_taken(before[start:]))))
        elif last == "import":
            yield Import(text, "import", (Binding(WHOLE),))
        elif last == "(" and before[-2:-1] in (["require"], ["import"]):
            way = "require" if before[-2] == "require" else "dynamic"
            yield Import(text, way, (Binding(WHOLE, ALL),))
        before.clear()


def _taken(before: list[str]) -> Iterator[Binding]:
    """What the words before `from` may take: as a name, and as a default outside brackets."""
    is_export = "export" in before
    is_bare = True
    for index, word in enumerate(before):
        after = before[index + 2] if before[index + 1 : index + 2] == ["as"] else word
        if word in ("{", "}"):
            is_bare = word == "}"
        elif word == "*":
            name = after if after.isidentifier() else ""
            exported = name if is_export else ""
            yield Binding(WHOLE, name, exported) if name else Binding(ALL, "", ALL)
        elif word in _WORDS or not word.replace("$", "_").isidentifier():
            continue
        elif before[index - 1 : index] != ["as"]:
            yield Binding(word, after, after if is_export else "")
            if is_bare:
                yield Binding("default", after)
    yield Binding(WHOLE)
