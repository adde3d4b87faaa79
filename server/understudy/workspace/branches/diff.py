"""The verb `diff`: a branch's edits as git would show them."""

from __future__ import annotations

from understudy.edits.render import unified_diff
from understudy.values.texts import PackedText
from understudy.workspace.branches.rebase import Rebased, rename_source, unpacked
from understudy.workspace.branches.reports import BranchDiff
from understudy.workspace.workers import Workers


async def diff_files(rebased: Rebased, workers: Workers) -> BranchDiff:
    """The diff of every file, in the order of their paths; a rename is one entry."""
    sources = {path: rename_source(rebased.files, path) for path in rebased.files}
    renamed = frozenset(sources.values())
    parts: list[str] = []
    for path in sorted(rebased.files):
        if path in renamed:
            continue
        file, source = rebased.files[path], sources[path]
        before = file.base if source is None else rebased.files[source].base
        size = sum(text.size for text in (before, file.after) if text is not None)
        parts.append(await workers.run(diff_packed, before, file.after, path, source, size=size))
    return BranchDiff("".join(parts), tuple(sorted(rebased.conflicts)))


def diff_packed(
    before: PackedText | None, after: PackedText | None, path: str, origin: str | None
) -> str:
    """The diff of one file, as `unified_diff` makes it; what is in it is unpacked here."""
    return unified_diff(unpacked(before), unpacked(after), path, origin)
