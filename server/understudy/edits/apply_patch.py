"""Apply a parsed patch to the draft of a batch."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.edits.draft import Draft
from understudy.edits.patch import FilePatch, Hunk
from understudy.edits.splice import apply_hunks, hunk_place, is_whole
from understudy.values.errors import BadInput
from understudy.values.texts import Text


def apply_patch(patches: Sequence[FilePatch], draft: Draft) -> None:
    """Apply the patches of a diff's files, in order.

    Raises BadInput: `exists` and `no-such-file`, what `Draft` raises for paths, and what
    `apply_hunks` raises for places.
    """
    for patch in patches:
        if patch.kind == "create":
            _create(patch, draft, draft.resolve(patch.paths[0]))
        elif patch.kind == "delete":
            _delete(patch, draft)
        elif patch.kind == "modify":
            _modify(patch, draft)
        else:
            _rename_or_copy(patch, draft)


def _create(patch: FilePatch, draft: Draft, path: str) -> None:
    if draft.read(path) is not None:
        raise BadInput("exists", "the diff adds this file, but it exists already", path)
    for number, hunk in enumerate(patch.hunks, 1):
        if hunk.old:
            text = "a new file cannot have kept or removed lines"
            raise BadInput("malformed-diff", text, hunk_place(path, number, hunk))
    if len(patch.hunks) > 1:
        raise BadInput("malformed-diff", "a new file takes one hunk", path)
    draft.create(path, apply_hunks(Text(""), patch.hunks, path))


def _delete(patch: FilePatch, draft: Draft) -> None:
    path = _existing(patch.paths, draft)
    text = draft.need(path)
    if not patch.says_only_path and not is_whole(text, patch.hunks):
        reason = "the diff deletes the file, but its lines are not the file's"
        raise BadInput("hunk-mismatch", reason, path)
    draft.remove(path)


def _modify(patch: FilePatch, draft: Draft) -> None:
    path = _existing(patch.paths, draft)
    text = draft.read(path)
    if text is None and _adds_only(patch.hunks):
        draft.create(path, apply_hunks(Text(""), patch.hunks, path))
    else:
        draft.replace(path, apply_hunks(draft.need(path), patch.hunks, path))


def _rename_or_copy(patch: FilePatch, draft: Draft) -> None:
    assert patch.to is not None
    path, to = draft.resolve(patch.paths[0]), draft.resolve(patch.to)
    text = apply_hunks(draft.need(path), patch.hunks, path)
    if patch.kind == "rename":
        draft.move(path, to)
        draft.replace(to, text)
    else:
        draft.create(to, text)


def _existing(paths: Sequence[str], draft: Draft) -> str:
    """The first spelling that names a file, else the likeliest."""
    first = draft.resolve(paths[0])
    if draft.read(first) is not None:
        return first
    for path in paths[1:]:
        other = draft.resolve(path)
        if draft.read(other) is not None:
            return other
    return first


def _adds_only(hunks: Sequence[Hunk]) -> bool:
    """`@@ -0,0 +1,n @@` for a file that is not there: a new one, told without /dev/null."""
    return len(hunks) == 1 and not hunks[0].old and hunks[0].start == 0
