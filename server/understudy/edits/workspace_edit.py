"""LSP workspace edits (3.17, "WorkspaceEdit"), read from untrusted JSON."""

from __future__ import annotations

from typing import NamedTuple

from understudy.edits.draft import Draft
from understudy.edits.fields import (
    Json,
    a_list,
    an_object,
    count_field,
    field,
    flag_field,
    refuse_unknown,
    text_field,
)
from understudy.values.errors import BadInput
from understudy.values.positions import LineIndex
from understudy.values.texts import Text


def apply_workspace_edit(edit: Json, draft: Draft) -> None:
    """Apply a workspace edit; `documentChanges` goes before `changes`, as LSP has it.

    Document versions are not looked at: a batch is applied to a snapshot, whose `ifStamp` says what
    a version would. Raises BadInput: `bad-field` and its like, `bad-range`, `overlapping-edits`,
    `unsupported` (snippets, folders, notebooks), `outside-root`, `exists`, `no-such-file`.
    """
    refuse_unknown(edit, ("changes", "documentChanges", "changeAnnotations"), "edit")
    operations = edit.get("documentChanges")
    if operations is not None:
        for index, raw in enumerate(a_list(operations, "edit.documentChanges")):
            where = f"edit.documentChanges[{index}]"
            _apply_operation(an_object(raw, where), draft, where)
        return
    changes = edit.get("changes")
    if changes is not None:
        for uri, edits in an_object(changes, "edit.changes").items():
            _edit_document(draft.resolve_uri(uri), edits, draft, f"edit.changes[{uri!r}]")


def _apply_operation(raw: Json, draft: Draft, where: str) -> None:
    kind = raw.get("kind")
    if kind is None:
        document = an_object(field(raw, "textDocument", where), f"{where}.textDocument")
        path = draft.resolve_uri(text_field(document, "uri", f"{where}.textDocument"))
        _edit_document(path, field(raw, "edits", where), draft, f"{where}.edits")
    elif kind == "create":
        _create(raw, draft, where)
    elif kind == "rename":
        _rename(raw, draft, where)
    elif kind == "delete":
        _delete(raw, draft, where)
    else:
        text = "there are 'create', 'rename', 'delete', and edits of a document without a kind"
        raise BadInput("unknown-kind", text, f"{where}.kind")


class _Span(NamedTuple):
    start: int
    end: int
    text: str
    where: str


def _edit_document(path: str, raw: object, draft: Draft, where: str) -> None:
    text = draft.need(path)
    index = LineIndex(text.content)
    spans = [
        _read_edit(item, index, path, f"{where}[{number}]")
        for number, item in enumerate(a_list(raw, where))
    ]
    # A stable sort by the start alone: insertions at one place keep the order of the array.
    spans.sort(key=lambda span: span.start)
    parts: list[str] = []
    done = 0
    last = ""
    for span in spans:
        if span.start < done:
            raise BadInput("overlapping-edits", f"overlaps {last}", f"{path} {span.where}")
        parts += [text.content[done : span.start], span.text]
        done, last = span.end, span.where
    draft.replace(path, text.replaced("".join([*parts, text.content[done:]])))


def _read_edit(item: object, index: LineIndex, path: str, where: str) -> _Span:
    raw = an_object(item, where)
    if "snippet" in raw or raw.get("insertTextFormat") == 2:
        raise BadInput("unsupported", "snippets need a person to fill them in", f"{path} {where}")
    place = an_object(field(raw, "range", where), f"{where}.range")
    start = _offset(place, "start", index, path, f"{where}.range")
    end = _offset(place, "end", index, path, f"{where}.range")
    if end < start:
        raise BadInput("bad-range", "the range ends before it starts", f"{path} {where}.range")
    return _Span(start, end, text_field(raw, "newText", where), where)


def _offset(place: Json, name: str, index: LineIndex, path: str, where: str) -> int:
    raw = field(place, name, where)
    where = f"{where}.{name}"
    position = an_object(raw, where)
    line, character = (
        count_field(position, "line", where),
        count_field(position, "character", where),
    )
    try:
        return index.offset(line, character)
    except BadInput as error:
        raise BadInput(error.code, error.text, f"{path}:{error.where} {where}") from error


def _create(raw: Json, draft: Draft, where: str) -> None:
    path, options = _target(raw, "uri", draft, where), _options(raw, where)
    if draft.read(path) is None:
        draft.create(path, Text(""))
    elif flag_field(options, "overwrite", f"{where}.options"):
        draft.replace(path, Text(""))
    elif not flag_field(options, "ignoreIfExists", f"{where}.options"):
        raise BadInput("exists", "the file exists already", path)


def _rename(raw: Json, draft: Draft, where: str) -> None:
    path, to = _target(raw, "oldUri", draft, where), _target(raw, "newUri", draft, where)
    options = _options(raw, where)
    draft.need(path)
    if draft.read(to) is not None and path != to:
        if flag_field(options, "overwrite", f"{where}.options"):
            draft.remove(to)
        elif flag_field(options, "ignoreIfExists", f"{where}.options"):
            return
    draft.move(path, to)


def _delete(raw: Json, draft: Draft, where: str) -> None:
    path, options = _target(raw, "uri", draft, where), _options(raw, where)
    if draft.read(path) is not None:
        draft.remove(path)
    elif flag_field(options, "recursive", f"{where}.options"):
        raise BadInput("unsupported", "folders cannot be deleted; name the files", path)
    elif not flag_field(options, "ignoreIfNotExists", f"{where}.options"):
        raise BadInput("no-such-file", "there is no such file", path)


def _target(raw: Json, name: str, draft: Draft, where: str) -> str:
    return draft.resolve_uri(text_field(raw, name, where))


def _options(raw: Json, where: str) -> Json:
    options = raw.get("options")
    return {} if options is None else an_object(options, f"{where}.options")
