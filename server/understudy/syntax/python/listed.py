"""Statements about `__all__`: the names that they list, and whether they list more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from understudy.syntax.python.trees import string_of, text_of

if TYPE_CHECKING:
    import tree_sitter

ALL_NAMES = "__all__"

_LISTS = frozenset(
    {"list", "tuple", "set", "list_splat", "expression_list", "argument_list"}
    | {"parenthesized_expression", "binary_operator"}
)
_METHODS = frozenset({"extend", "append", "remove"})


class ListedNames(NamedTuple):
    """What a statement says of `__all__`; `is_whole` is false where a run computes some of it."""

    names: tuple[str, ...]
    is_whole: bool


def listed_in(statement: tree_sitter.Node) -> ListedNames | None:
    """What a simple statement lists; None where `__all__` is not what it changes."""
    if statement.type in ("assignment", "augmented_assignment"):
        target = statement.child_by_field_name("left")
        value = statement.child_by_field_name("right")
        is_known = True
    elif statement.type == "call":
        target, is_known = _receiver(statement)
        value = statement.child_by_field_name("arguments")
    else:
        return None
    if target is None or text_of(target) != ALL_NAMES:
        return None
    names = [] if value is None else list(_names(value))
    return ListedNames(tuple(filter(None, names)), is_known and None not in names)


def _receiver(call: tree_sitter.Node) -> tuple[tree_sitter.Node | None, bool]:
    function = call.child_by_field_name("function")
    if function is None or function.type != "attribute":
        return None, False
    method = function.child_by_field_name("attribute")
    is_known = method is not None and text_of(method) in _METHODS
    return function.child_by_field_name("object"), is_known


def _names(value: tree_sitter.Node) -> Iterator[str | None]:
    """The names in a value, and None for each part that is computed.

    The `__all__` of another module is no such part: it reaches us with that module's names.
    """
    if value.type in _LISTS:
        for child in value.named_children:
            yield from _names(child)
    elif value.type in ("string", "concatenated_string"):
        yield string_of(value)
    elif value.type == "attribute" and text_of(value).rpartition(".")[2] == ALL_NAMES:
        return
    elif value.type != "comment":
        yield None
