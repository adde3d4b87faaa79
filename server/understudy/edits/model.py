"""The kinds of edits, and how they are read from a caller's JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from understudy.edits.fields import (
    Json,
    a_list,
    an_object,
    field,
    refuse_unknown,
    text_field,
)
from understudy.values.errors import BadInput


@dataclass(frozen=True, slots=True)
class DiffEdit:
    """A unified or git diff, or a `*** Begin Patch` block."""

    text: str


@dataclass(frozen=True, slots=True)
class WorkspaceEdit:
    """An LSP WorkspaceEdit (3.17), as the JSON object it came as."""

    edit: Json


@dataclass(frozen=True, slots=True)
class Replace:
    """Replace the one occurrence of `old` in a file."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Write:
    """Create or overwrite a file."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a file."""

    path: str


@dataclass(frozen=True, slots=True)
class Rename:
    """Rename a file, never onto another."""

    path: str
    to: str


Edit = DiffEdit | WorkspaceEdit | Replace | Write | Delete | Rename


def parse_edits(raw: object, where: str = "edits") -> tuple[Edit, ...]:
    """Read an edit batch from JSON values; `where` of an error is like `edits[2].path`.

    Raises BadInput: `bad-field` (mistyped), `missing-field`, `unexpected-field`, `unknown-kind`.
    """
    return tuple(
        _parse_edit(an_object(item, f"{where}[{index}]"), f"{where}[{index}]")
        for index, item in enumerate(a_list(raw, where))
    )


def _parse_edit(raw: Json, where: str) -> Edit:
    kind = text_field(raw, "kind", where)
    reader = _READERS.get(kind)
    if reader is None:
        known = ", ".join(_READERS)
        raise BadInput("unknown-kind", f"no edit kind {kind!r}; there are {known}", f"{where}.kind")
    fields, build = reader
    refuse_unknown(raw, ("kind", *fields), where)
    if kind == "workspaceEdit":
        return WorkspaceEdit(an_object(field(raw, "edit", where), f"{where}.edit"))
    return build(*(text_field(raw, name, where) for name in fields))


_READERS: Mapping[str, tuple[tuple[str, ...], Callable[..., Edit]]] = {
    "diff": (("text",), DiffEdit),
    "workspaceEdit": (("edit",), WorkspaceEdit),
    "replace": (("path", "old", "new"), Replace),
    "write": (("path", "text"), Write),
    "delete": (("path",), Delete),
    "rename": (("path", "to"), Rename),
}
