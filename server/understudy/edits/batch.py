"""Apply an edit batch: in order, each item on the result of the one before, whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from understudy.edits.apply_patch import apply_patch
from understudy.edits.draft import Draft, DraftChange, Tree
from understudy.edits.model import (
    Delete,
    DiffEdit,
    Edit,
    Rename,
    Replace,
    WorkspaceEdit,
    Write,
)
from understudy.edits.parse_patch import parse_patch
from understudy.edits.workspace_edit import apply_workspace_edit
from understudy.values.errors import BadInput
from understudy.values.texts import Text

_SHOWN_MATCHES = 5


def apply_edits(edits: Sequence[Edit], tree: Tree) -> Mapping[str, DraftChange]:
    """The changes a batch makes to a tree, by normalised path; the tree itself is only read.

    Raises BadInput with a `where` like `edits[1] src/a.py hunk 2 (line 40)`.
    """
    draft = Draft(tree)
    for index, edit in enumerate(edits):
        _apply_at(edit, draft, f"edits[{index}]")
    return draft.changes()


def _apply_at(edit: Edit, draft: Draft, place: str) -> None:
    try:
        _apply(edit, draft)
    except BadInput as error:
        where = place if error.where is None else f"{place} {error.where}"
        raise type(error)(error.code, error.text, where) from error


def _apply(edit: Edit, draft: Draft) -> None:
    if isinstance(edit, DiffEdit):
        apply_patch(parse_patch(edit.text), draft)
    elif isinstance(edit, WorkspaceEdit):
        apply_workspace_edit(edit.edit, draft)
    elif isinstance(edit, Replace):
        path = draft.resolve(edit.path)
        draft.replace(path, _replaced(draft.need(path), edit, path))
    elif isinstance(edit, Write):
        _write(draft, draft.resolve(edit.path), edit.text)
    elif isinstance(edit, Delete):
        draft.remove(draft.resolve(edit.path))
    else:
        assert isinstance(edit, Rename)
        draft.move(draft.resolve(edit.path), draft.resolve(edit.to))


def _write(draft: Draft, path: str, content: str) -> None:
    """Encoding and BOM of an existing file are kept, the line ends are the caller's."""
    old = draft.read(path)
    if old is None:
        draft.create(path, Text(content))
    else:
        draft.replace(path, old.replaced(content.removeprefix("\ufeff") if old.bom else content))


def _replaced(text: Text, edit: Replace, path: str) -> Text:
    content = text.content
    if not edit.old:
        raise BadInput("no-match", "'old' is empty, so it matches everywhere", path)
    old, new = edit.old, edit.new
    if old not in content and "\r\n" in content and "\r" not in old:
        # Callers see CRLF files with plain line ends; the text is the same, its ends stay.
        old, new = old.replace("\n", "\r\n"), new.replace("\r\n", "\n").replace("\n", "\r\n")
    places = _occurrences(content, old)
    if not places:
        raise BadInput("no-match", _no_match(content, old), path)
    if len(places) > 1:
        numbers = [content.count("\n", 0, place) + 1 for place in places[:_SHOWN_MATCHES]]
        lines = ", ".join(map(str, numbers))
        more = len(places) > _SHOWN_MATCHES
        count = f"more than {_SHOWN_MATCHES}" if more else str(len(places))
        reason = f"'old' occurs {count} times (lines {lines}); add text around it"
        raise BadInput("ambiguous-match", reason, path)
    start = places[0]
    return text.replaced(content[:start] + new + content[start + len(old) :])


def _occurrences(content: str, part: str) -> list[int]:
    """The offsets of the first occurrences, overlapping ones too, one more than are shown."""
    places: list[int] = []
    place = content.find(part)
    while place >= 0 and len(places) <= _SHOWN_MATCHES:
        places.append(place)
        place = content.find(part, place + 1)
    return places


def _no_match(content: str, old: str) -> str:
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    alike = [
        str(number)
        for number, line in enumerate(content.split("\n"), 1)
        if first and line.strip() == first
    ]
    if not alike:
        return "'old' does not occur in the file, nor does its first line"
    more = ", ..." if len(alike) > _SHOWN_MATCHES else ""
    lines = ", ".join(alike[:_SHOWN_MATCHES]) + more
    return f"'old' does not occur in the file; its first line, white space aside, is at {lines}"
