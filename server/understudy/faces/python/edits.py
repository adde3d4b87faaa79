"""The edits that a branch takes, as typed dictionaries (docs/reference/edits.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from understudy.values.errors import BadInput


class Replace(TypedDict):
    """Put `new` where `old` stands, which must be exactly once."""

    kind: Literal["replace"]
    path: str
    old: str
    new: str


class Write(TypedDict):
    """Make the file this text, whether it is there or not."""

    kind: Literal["write"]
    path: str
    text: str


class Delete(TypedDict):
    """Delete the file."""

    kind: Literal["delete"]
    path: str


class Rename(TypedDict):
    """Move the file; not onto another one."""

    kind: Literal["rename"]
    path: str
    to: str


class Patch(TypedDict):
    """Apply a unified or git diff, or a `*** Begin Patch` block."""

    kind: Literal["diff"]
    text: str


class WorkspaceEdit(TypedDict):
    """Apply a WorkspaceEdit of the LSP; its positions count in UTF-16."""

    kind: Literal["workspaceEdit"]
    edit: Mapping[str, Any]


Edit = Replace | Write | Delete | Rename | Patch | WorkspaceEdit | Mapping[str, Any]
"""One edit; a mapping that a model wrote is looked at as strictly."""

Edits = str | Sequence[Edit]
"""A diff, or a list of edits: applied in order, whole or not at all."""


def listed(edits: Edits) -> list[Any]:
    """The edits as the host takes them."""
    return [{"kind": "diff", "text": edits}] if isinstance(edits, str) else list(edits)


def words(given: Sequence[str], where: str) -> list[str]:
    """Strings as the host takes them; raises BadInput for one string, which is a sequence, too."""
    if isinstance(given, str):
        raise BadInput("bad-params", f"{given!r} is one string; give a list of strings", where)
    return list(given)
