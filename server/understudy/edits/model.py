"""The kinds of edits, and how they are read from a caller's JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from understudy.edits.fields import (
    Json,
    a_list,
    an_object,
    field,
    refuse_unknown,
    text_field,
)
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen


@frozen(slots=True)
class DiffEdit:
    """A unified or git diff, or a `*** Begin Patch` block."""

    text: str


@frozen(slots=True)
class WorkspaceEdit:
    """An LSP WorkspaceEdit (3.17), as the JSON object it came as."""

    edit: Json


@frozen(slots=True)
class Replace:
    """Replace the one occurrence of `old` in a file."""

    path: str
    old: str
    new: str


@frozen(slots=True)
class Write:
    """Create or overwrite a file."""

    path: str
    text: str


@frozen(slots=True)
class Delete:
    """Delete a file."""

    path: str


@frozen(slots=True)
class Rename:
    """Rename a file, never onto another."""

    path: str
    to: str


MAX_FILES = 10_000
"""Files of one batch of a caller's; so many take a few seconds."""
_DIFF_HEAD = re.compile(r"^(?:\+\+\+ |\*\*\* \w+ File:)", re.MULTILINE)
Edit = DiffEdit | WorkspaceEdit | Replace | Write | Delete | Rename


def parse_edits(raw: object) -> tuple[Edit, ...]:
    """Read an edit batch from JSON values; `where` of an error is like `edits[2].path`.

    Raises BadInput: `bad-field` (mistyped), `missing-field`, `unexpected-field`, `unknown-kind`.
    """
    return tuple(
        _parse_edit(an_object(item, f"edits[{index}]"), f"edits[{index}]")
        for index, item in enumerate(a_list(raw, "edits"))
    )


def refuse_no_edits(edits: Sequence[object], where: str = "edits") -> None:
    """Raise BadInput `no-edits` for a list that edits nothing: whoever asks about it meant more."""
    if not edits:
        raise BadInput("no-edits", "the list holds no edit, so there is nothing to apply", where)
    for index, edit in enumerate(edits):
        if isinstance(edit, WorkspaceEdit) and edits_nothing(edit.edit):
            raise BadInput("no-edits", "the workspace edit is empty", f"{where}[{index}].edit")


def edits_nothing(edit: Json) -> bool:
    """Whether an LSP WorkspaceEdit names no document at all."""
    operations = edit.get("documentChanges")
    return not (edit.get("changes") if operations is None else operations)


def refuse_many(raw: object) -> None:
    """Raise BadInput `too-many-files` for a batch that names more files than one may."""
    n_files = 0
    for edit in cast("list[object]", raw) if isinstance(raw, list) else []:
        fields: Json = cast("Json", edit) if isinstance(edit, dict) else {}
        n_files += 1
        text, inner = fields.get("text"), fields.get("edit")
        if fields.get("kind") == "diff" and isinstance(text, str):
            n_files += max(0, len(_DIFF_HEAD.findall(text)) - 1)
        parts: Json = cast("Json", inner) if isinstance(inner, dict) else {}
        for part in parts.values():
            n_files += len(cast("list[object]", part)) if isinstance(part, list | dict) else 0
    if n_files > MAX_FILES:
        text = f"about {n_files} files; at most {MAX_FILES} in one batch, the next in another"
        raise BadInput("too-many-files", text, "edits")


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
