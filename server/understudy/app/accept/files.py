"""What a branch changes, file by file: the kind of change, its hunks, the texts of both sides."""

from __future__ import annotations

from typing import Literal

from understudy.app.accept.apart import runs_of
from understudy.edits.parts import EditPart, parts_of
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText, Text
from understudy.workspace.branches.rebase import rename_source, same, unpacked
from understudy.workspace.session import Session
from understudy.workspace.triggers.catalogue import all_triggers

ChangeKind = Literal["added", "modified", "deleted", "renamed"]


@frozen
class FileChanges:
    """One file that a branch changes; `origin` is the path that it is renamed from.

    With a `conflict` (its reason), the hunks are against the text that the branch was made over.
    `runs` is what the change has the user's tools run, and when.
    """

    path: str
    kind: ChangeKind
    origin: str | None
    conflict: str | None
    parts: tuple[EditPart, ...]
    runs: str | None = None

    @property
    def n_added(self) -> int:
        """Lines that come."""
        return sum(len(part.added) for part in self.parts)

    @property
    def n_removed(self) -> int:
        """Lines that go."""
        return sum(len(part.removed) for part in self.parts)


@frozen
class FileTexts:
    """The user's text of a file and the branch's, None where there is no file."""

    origin: str | None
    before: Text | None
    after: Text | None


async def changed_files(
    session: Session, branch_id: str, base: Base, path: str | None = None
) -> tuple[Branch, list[FileChanges]]:
    """The files of a branch over the base as it is now, by path; not those that the user has too.

    With a `path`, only those that are or were there: no other is compared. Raises BadInput
    `unknown-branch`, and `bad-setting` for the user's own list of what runs something; Moved.
    """
    branch, rebased = await session.branches.fitted(branch_id, base)
    sources = {changed: rename_source(rebased.files, changed) for changed in rebased.files}
    renamed = frozenset(sources.values())
    table, found = all_triggers(), list[FileChanges]()
    for changed in sorted(rebased.files):
        file, source = rebased.files[changed], sources[changed]
        if path not in (None, changed, source):
            continue
        before = file.base if source is None else rebased.files[source].base
        if changed in renamed or (same(before, file.after) and source is None):
            continue
        size = sum(text.size for text in (before, file.after) if text is not None)
        parts = await session.workers.run(_parts_packed, before, file.after, size=size)
        kind: ChangeKind = "modified"
        if source is not None:
            kind = "renamed"
        elif file.after is None:
            kind = "deleted"
        elif before is None:
            kind = "added"
        conflict = rebased.conflicts.get(changed)
        reason = None if conflict is None else conflict.reason
        runs = runs_of(table, base.folder.links, changed, source, before, file.after)
        found.append(FileChanges(changed, kind, source, reason, parts, runs))
    return branch, found


async def texts_of(session: Session, branch_id: str, path: str, base: Base) -> FileTexts:
    """Both sides of one file of a branch; of one that does not fit the base, the branch's own.

    A file without edits of the branch has the user's text on both. Raises BadInput
    `unknown-branch`, and `no-change` where neither has such a file; Moved.
    """
    _, rebased = await session.branches.fitted(branch_id, base)
    file = rebased.files.get(path)
    if file is None:
        own = unpacked(base.packed(path))
        if own is None:
            raise BadInput("no-change", "neither you nor the branch has this file", path)
        return FileTexts(None, own, own)
    source = rename_source(rebased.files, path)
    conflict = rebased.conflicts.get(path)
    before = file.base if source is None else rebased.files[source].base
    if conflict is not None:
        before = conflict.theirs
    return FileTexts(source, unpacked(before), unpacked(file.after))


def _parts_packed(before: PackedText | None, after: PackedText | None) -> tuple[EditPart, ...]:
    return parts_of(unpacked(before), unpacked(after))
