"""Imports that are calls: `importlib.import_module("a.b")` and its like."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache, partial
from operator import add
from typing import TYPE_CHECKING

from understudy.syntax.model import LOADED, WHOLE, Binding, Import, Unsayable
from understudy.syntax.python.trees import Parsed, is_at_the_top, string_of, text_of

if TYPE_CHECKING:
    import tree_sitter

_GIVING_ANYTHING = frozenset({"importorskip", "run_module"})
"""Of whose result no checker knows the module."""

_MOST_TEXTS, _MOST_TERMS = 64, 50
"""How many texts one import may have, and of how many terms: both grow with each name in a sum."""

_NAMES = frozenset({"import_module", "__import__"}) | _GIVING_ANYTHING


def dynamic_imports(parsed: Parsed, aliases: Collection[str]) -> Iterator[Import]:
    """The modules that calls import, "" where a run tells; `aliases` call such functions.

    A name for one stands for each text that an assignment gives to it. Raises Unsayable.
    """
    wanted = [name.encode() for name in sorted(_NAMES.union(aliases))]
    given = cache(partial(_texts_given, parsed))  # for each call it would be a search
    for name in parsed.words(*wanted):
        function = name.parent
        if function is None or function.type != "attribute":
            function = name
        call = function.parent
        if call is None or call.type != "call" or function.end_byte != name.end_byte:
            continue
        arguments = call.child_by_field_name("arguments")
        if arguments is not None and arguments.start_byte >= function.end_byte:
            gives_module = text_of(name) not in _GIVING_ANYTHING
            binding = _binding(call, function) if gives_module else Binding(WHOLE)
            for target in _targets(arguments, lambda node: _texts_of(node, given)):
                yield Import(target, "dynamic", (binding,))


def _targets(
    arguments: tree_sitter.Node, texts_of: Callable[[tree_sitter.Node], list[str]]
) -> list[str]:
    """The first argument, put behind the second where it is a relative name in a named package."""
    positional: list[list[str]] = []
    named: dict[str, list[str]] = {}
    for argument in arguments.named_children:
        value = argument.child_by_field_name("value")
        key = argument.child_by_field_name("name")
        if argument.type == "keyword_argument" and key is not None and value is not None:
            named[text_of(key)] = texts_of(value)
        elif argument.type != "comment":
            positional.append(texts_of(argument))
    targets = positional[0] if positional else named.get("name", [])
    packages = positional[1] if len(positional) > 1 else named.get("package", [])
    found = _combined(targets, packages or [""], _in_package)
    return found or [""]


def _in_package(target: str, package: str) -> str:
    name = target.lstrip(".")
    depth = len(target) - len(name)
    if not depth or not package:
        return target
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - depth + 1], name]).rstrip(".")


_TextsGiven = Callable[[bytes], list[str]]


def _texts_of(node: tree_sitter.Node, given: _TextsGiven) -> list[str]:
    """What an expression may say, as far as it is made of literals and of names for them."""
    terms: list[tree_sitter.Node] = []
    while node.type == "binary_operator" and node.child_count == 3 and node.children[1].type == "+":
        node, _, right = node.children
        terms.append(right)
    if len(terms) >= _MOST_TERMS:
        raise Unsayable
    texts = _texts_of_term(node, given)
    for term in reversed(terms):
        texts = _combined(texts, _texts_of_term(term, given), add)
    return texts


def _combined(starts: list[str], ends: list[str], together: Callable[[str, str], str]) -> list[str]:
    """Each with each."""
    if len(starts) * len(ends) > _MOST_TEXTS:
        raise Unsayable
    return [together(start, end) for start in starts for end in ends]


def _texts_of_term(node: tree_sitter.Node, given: _TextsGiven) -> list[str]:
    text = string_of(node)
    if text is not None:
        return [text]
    name = node.child_by_field_name("attribute") if node.type == "attribute" else node
    return given(name.text or b"") if name is not None and name.type == "identifier" else []


def _texts_given(parsed: Parsed, name: bytes) -> list[str]:
    """The texts that assignments give to a name."""
    found: dict[str, None] = {}
    for place in parsed.words(name):
        target = place.parent if place.parent and place.parent.type == "attribute" else place
        above = target.parent
        if above is None or above.type != "assignment":
            continue
        if above.child_by_field_name("left") == target:
            value = above.child_by_field_name("right")
            text = None if value is None else string_of(value)
            if text is not None:
                found[text] = None
    return list(found)


def _binding(call: tree_sitter.Node, function: tree_sitter.Node) -> Binding:
    """What stands for the module that a call gives: a name, or the beginning of the call."""
    above = call.parent
    if above is None or above.type in ("module", "block", "expression_statement"):
        return Binding(WHOLE)
    name = above.child_by_field_name("left")
    if above.type == "assignment" and name is not None and name.type == "identifier":
        return Binding(LOADED, text_of(name), text_of(name) if is_at_the_top(above) else "")
    while function.type == "attribute" and function.children:
        function = function.children[0]
    return Binding(LOADED, text_of(function) if function.type == "identifier" else "")
