"""Files named in expressions: `require`, `import()`, mocks of tests, URLs of workers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from understudy.syntax.model import ALL, WHOLE, Binding, Import
from understudy.syntax.script.grammar import JAVASCRIPT, Captures, name_of, string_of, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

_QUERY = """
((call_expression function: (identifier) @_name) @require (#eq? @_name "require"))
((call_expression function: (member_expression property: (property_identifier) @_name)) @call
  (#any-of? @_name "mock" "unmock" "doMock" "doUnmock" "dontMock" "setMock" "deepUnmock"
    "requireActual" "requireMock" "importActual" "importMock" "createMockFromModule"
    "unstable_mockModule" "resolve"))
(new_expression) @new
"""
_COMMON_JS = """
((identifier) @common (#any-of? @common "module" "exports"))
"""
_WORDS = (b"require", b"URL", b"Worker", b"ock(", b"Actual", b"resolve")
_LOADERS = ("jest", "vi", "vitest", "import.meta", "require")
_CONSTRUCTORS = ("URL", "Worker", "SharedWorker", "globalThis.URL", "window.Worker")

_AROUND = ("parenthesized_expression", "await_expression", "as_expression", "satisfies_expression",
           "non_null_expression", "type_query")  # fmt: skip
_OF_PROMISES = ("then", "catch", "finally")


def query(path: str, text: bytes) -> str:
    """What to look for in a text; a quick look rules out most."""
    found = _QUERY if any(word in text for word in _WORDS) else ""
    return found + (_COMMON_JS if path.endswith(JAVASCRIPT) and b"exports" in text else "")


def imports(nodes: Captures) -> Iterator[Import]:
    """What `require` and `import()` take, in expressions and types, and files named in calls."""
    for call in nodes.get("require", ()):
        yield Import(_target(call), "require", tuple(_taken(call, "require")))
    for call in nodes.get("dynamic", ()):
        yield Import(_target(call), "dynamic", tuple(_taken(call, "import")))
    for call in nodes.get("call", ()):
        function = call.child_by_field_name("function")
        loader = text_of(function.child_by_field_name("object")) if function else ""
        target = string_of(_first_argument(call))
        if target is not None and loader in _LOADERS:
            yield Import(target, "mock", (Binding(WHOLE, ALL),))
    for made in nodes.get("new", ()):
        name = text_of(made.child_by_field_name("constructor"))
        target = string_of(_first_argument(made)) if name in _CONSTRUCTORS else None
        if target is not None and ":" not in target:
            yield Import(target, "url", (Binding(WHOLE, ALL),))


def is_common_js(nodes: Captures) -> bool:
    """Whether something is required, assigned to `module.exports` or handed `exports`."""
    return "require" in nodes or any(_is_exporting(node) for node in nodes.get("common", ()))


def _is_exporting(name: Node) -> bool:
    parent = name.parent
    if parent is not None and parent.type == "arguments":
        return text_of(name) == "exports"
    if parent is None or parent.type != "member_expression":
        return parent is not None and parent.type == "assignment_expression"
    is_module = text_of(name) == "module"
    return not is_module or text_of(parent.child_by_field_name("property")) == "exports"


def _target(call: Node) -> str:
    return string_of(_first_argument(call)) or ""


def _first_argument(call: Node) -> Node | None:
    arguments = call.child_by_field_name("arguments")
    if arguments is None:
        return None
    return next((one for one in arguments.named_children if one.type != "comment"), None)


def _taken(call: Node, word: str) -> Iterator[Binding]:
    """What the code around a call takes; `word` is the mention where it does not say."""
    node, parent = call, call.parent
    while parent is not None and parent.type in _AROUND:
        node, parent = parent, parent.parent
    kind = parent.type if parent is not None else "program"
    if parent is None or kind == "expression_statement":
        yield Binding(WHOLE)
    elif kind in ("member_expression", "nested_type_identifier", "nested_identifier"):
        name = text_of(parent.child_by_field_name("property") or parent.children[-1])
        taken = Binding(WHOLE, word) if name in _OF_PROMISES or not name else Binding(name, name)
        yield taken
    elif kind == "variable_declarator":
        yield from _declared(parent.child_by_field_name("name"), word)
    elif kind == "assignment_expression" and node == parent.child_by_field_name("right"):
        yield from _assigned(text_of(parent.child_by_field_name("left")), word)
    else:
        yield Binding(WHOLE, word)


def _declared(pattern: Node | None, word: str) -> Iterator[Binding]:
    if pattern is not None and pattern.type == "identifier":
        yield Binding(WHOLE, text_of(pattern))
        return
    taken = [_picked(child) for child in pattern.named_children] if pattern is not None else []
    if pattern is None or pattern.type != "object_pattern" or None in taken or not taken:
        yield Binding(WHOLE, word)
        return
    yield from (binding for binding in taken if binding is not None)


def _picked(part: Node) -> Binding | None:
    """What one part of a destructuring takes; None where it takes apart further."""
    if part.type == "shorthand_property_identifier_pattern":
        return Binding(text_of(part), text_of(part))
    if part.type == "rest_pattern" and part.named_child_count:
        return Binding(WHOLE, text_of(part.named_children[0]))
    if part.type == "object_assignment_pattern":
        left = part.child_by_field_name("left")
        return _picked(left) if left is not None else None
    key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
    if value is not None and value.type == "assignment_pattern":
        value = value.child_by_field_name("left")
    if part.type != "pair_pattern" or value is None or value.type != "identifier":
        return None
    is_computed = key is None or key.type == "computed_property_name"
    return None if is_computed else Binding(name_of(key), text_of(value))


def _assigned(left: str, word: str) -> Iterator[Binding]:
    if left in ("module.exports", "exports"):
        yield Binding(ALL, "", ALL)
        yield Binding("default", "", "default")
        yield Binding(WHOLE, "", WHOLE)
        return
    base, _, name = left.rpartition(".")
    exported = name if base in ("exports", "module.exports") and name.isidentifier() else ""
    yield Binding(WHOLE, "" if exported else word, exported)
