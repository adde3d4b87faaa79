"""Imports that are calls: `importlib.import_module("a.b")` and its like."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from understudy.syntax.model import WHOLE, Binding, Import
from understudy.syntax.python.trees import Parsed, is_at_the_top, string_of, text_of

if TYPE_CHECKING:
    import tree_sitter

_NAMES = frozenset({"import_module", "__import__", "importorskip", "run_module"})


def dynamic_imports(parsed: Parsed, aliases: Collection[str]) -> Iterator[Import]:
    """The modules that calls import, "" where a run tells; `aliases` call such functions."""
    wanted = [name.encode() for name in sorted(_NAMES.union(aliases))]
    for name in parsed.words(*wanted):
        function = name.parent
        if function is None or function.type != "attribute":
            function = name
        call = function.parent
        if call is None or call.type != "call" or function.end_byte != name.end_byte:
            continue
        arguments = call.child_by_field_name("arguments")
        if arguments is not None and arguments.start_byte >= function.end_byte:
            yield Import(_target(arguments), "dynamic", (_binding(call),))


def _target(arguments: tree_sitter.Node) -> str:
    """The first argument, put behind the second where it is a relative name in a named package."""
    positional: list[str | None] = []
    named: dict[str, str | None] = {}
    for argument in arguments.named_children:
        value = argument.child_by_field_name("value")
        key = argument.child_by_field_name("name")
        if argument.type == "keyword_argument" and key is not None and value is not None:
            named[text_of(key)] = string_of(value)
        elif argument.type != "comment":
            positional.append(string_of(argument))
    target = positional[0] if positional else named.get("name")
    package = positional[1] if len(positional) > 1 else named.get("package")
    if not target:
        return ""
    name = target.lstrip(".")
    depth = len(target) - len(name)
    if not depth or not package:
        return target
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - depth + 1], name]).rstrip(".")


def _binding(call: tree_sitter.Node) -> Binding:
    """The name that an assignment gives to what the call imports; no name where it is passed on."""
    above = call.parent
    name = None if above is None else above.child_by_field_name("left")
    if above is None or above.type != "assignment" or name is None or name.type != "identifier":
        return Binding(WHOLE)
    return Binding(WHOLE, text_of(name), text_of(name) if is_at_the_top(above) else "")
