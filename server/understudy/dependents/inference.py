"""What of a file a checker sees that infers no result from the body of a function."""

from __future__ import annotations

from dataclasses import replace

from understudy.syntax.code_spans import all_mentions
from understudy.syntax.model import Declaration, FileDeclarations


def as_written(found: FileDeclarations) -> FileDeclarations:
    """The declarations with nothing in their outside that is only inferred."""
    if all(one.signature is None for one in found.declarations):
        return found
    return replace(found, declarations=tuple(map(without_result, found.declarations)))


def without_result(one: Declaration) -> Declaration:
    """A declaration with nothing in its outside that is inferred from a body."""
    if one.signature is None:
        return one
    outside, shown, kind = one.signature
    inner = all_mentions((one.inner, one.shown))
    return replace(one, outside=outside, shown=shown, inner=inner, unknown_result=kind)
