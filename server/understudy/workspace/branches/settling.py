"""A conflict that the user leaves to the agent: its next edit of the file is of both sides' text.

Until an edit has settled all of the file, nothing of the branch is changed by that: the path stays
in conflict, is judged as such, and cannot be accepted. Only edits count that take the marks out of
both sides' text: a whole file could have been written by someone who knows one side, or an older.
What an agent cannot be shown in whole is never left to it, nor what collides since the user asked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from understudy.edits.model import DiffEdit, Edit, Replace
from understudy.edits.parse_patch import parse_patch
from understudy.shadow.asks import SETTLE, Ask
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch, BranchFile
from understudy.values.errors import BadInput, Conflict
from understudy.values.printable import printable
from understudy.values.texts import PackedText
from understudy.workspace.branches.rebase import PathConflict, Rebased, unpacked
from understudy.workspace.branches.tree import PackedChange
from understudy.workspace.branches.wishes import with_wish
from understudy.workspace.workers import Workers

if TYPE_CHECKING:
    from understudy.shadow.merge import MarkedText

MOST_BYTES, MOST_CHARACTERS, MARKS_BYTES = 2000, 300, 40
"""An answer shows so much of all places, and of a line; the marks of one take about so much."""


def with_request(branch: Branch, rebased: Rebased, base: Base, path: str) -> tuple[Branch, Ask]:
    """The branch with an ask for the settling of a path, and that ask; an older one is replaced,
    so that the agent hears of it again.

    Raises BadInput `no-conflict`; `whole-file` where there are no lines that both have changed, or
    where the branch has renamed the file; `too-large` where an agent cannot be shown all of it.
    """
    conflict = rebased.conflicts.get(path)
    if conflict is None:
        raise BadInput("no-conflict", "the branch has no conflict there", path)
    why = _why_not(conflict)
    if why is not None:
        raise why
    first = conflict.regions[0]
    end = first.ours_start + max(1, len(first.ours_lines or ()))
    wish = Ask(0, 0, path, first.ours_start, end, SETTLE)
    asked = without_requests(branch, [path])
    after = with_wish(asked, rebased.snapshot(base), wish)
    ask = replace(after.asks[-1], seen=conflict.theirs)
    return replace(after, asks=(*asked.asks, ask)), ask


async def to_settle(
    branch: Branch, rebased: Rebased, workers: Workers, edits: Iterable[Edit] = ()
) -> dict[str, MarkedText]:
    """Both sides' text of each path in conflict whose settling is asked for.

    Of none where something collides that did not when the user asked. None for edits of which one
    may fit a text that its author does not know, or takes a text elsewhere.
    """
    asked = {
        ask.path: ask.seen
        for ask in branch.asks
        if ask.text == SETTLE and ask.path in rebased.conflicts
    }
    edits = tuple(edits)
    if not asked or not all(isinstance(edit, DiffEdit | Replace) for edit in edits):
        return {}
    diffs = [edit.text for edit in edits if isinstance(edit, DiffEdit)]
    if not await workers.run(_only_modify, diffs, size=sum(map(len, diffs))):
        return {}
    found: dict[str, MarkedText] = {}
    for path, seen in sorted(asked.items(), key=lambda one: one[0]):
        conflict = rebased.conflicts[path]
        if can_be_left(conflict):
            texts = (conflict.base, conflict.ours, conflict.theirs, seen)
            size = sum(text.size for text in texts if text is not None)
            marked = await workers.run(_mark, *texts, branch.id, size=size)
            if marked is not None:
                found[path] = marked
    return found


def with_both_sides(rebased: Rebased, texts: Mapping[str, MarkedText]) -> Rebased:
    """The files as an edit finds them: of these paths both sides, over the user's text of now."""
    files = {
        path: BranchFile(
            rebased.conflicts[path].theirs,
            PackedText.pack(marked.text),
            rebased.files[path].origin,
        )
        for path, marked in texts.items()
    }
    conflicts = {path: one for path, one in rebased.conflicts.items() if path not in texts}
    return replace(rebased, files={**rebased.files, **files}, conflicts=conflicts)


def settled_changes(
    changes: Mapping[str, PackedChange], texts: Mapping[str, MarkedText]
) -> Mapping[str, PackedChange]:
    """What an edit of both sides' texts makes of them, each with the last line's end as the user
    has it.

    Raises Conflict where it leaves a mark, puts one into another file, or takes all away.
    """
    if texts.keys().isdisjoint(changes):
        return changes
    found = dict(changes)
    for path, change in changes.items():
        after = unpacked(change.after)
        for of, marked in texts.items():
            is_left = of == path if after is None else marked.is_left_in(after, of != path)
            if is_left:
                n_places = len(marked.places())
                where = "the place" if n_places == 1 else f"each of the {n_places} places"
                text = f"the user changed the same lines of {of}: settle {where} between "
                text += f"{marked.marks[0]!r} and {marked.marks[2]!r} with one call"
                raise Conflict("conflict", text, path)
        if path in texts and after is not None:
            found[path] = replace(change, after=PackedText.pack(texts[path].ended(after)))
    return found


def without_requests(branch: Branch, settled: Collection[str]) -> Branch:
    """The branch without asks about what was `settled`.

    What is no conflict just now keeps its ask: it may be one over what another window has.
    """
    asks = tuple(ask for ask in branch.asks if ask.text != SETTLE or ask.path not in settled)
    return branch if len(asks) == len(branch.asks) else replace(branch, asks=asks)


def _only_modify(diffs: Iterable[str]) -> bool:
    """Whether diffs only change lines of files; what is no diff is refused where it is applied."""
    try:
        return all(patch.kind == "modify" for text in diffs for patch in parse_patch(text))
    except BadInput:
        return False


def can_be_left(conflict: PathConflict) -> bool:
    """Whether an agent may be asked to settle it."""
    return _why_not(conflict) is None


def _why_not(conflict: PathConflict) -> BadInput | None:
    if not conflict.is_in_lines:
        text = "whole files collide here: only you can say what is to become of it"
        return BadInput("whole-file", text, conflict.path)
    lines = [
        line.rstrip("\r\n")
        for region in conflict.regions
        for line in (*(region.theirs_lines or ()), *(region.ours_lines or ()))
    ]
    size = len(conflict.regions) * MARKS_BYTES + sum(
        len(line.encode("utf-8", "surrogatepass")) + 1 for line in lines
    )
    if size <= MOST_BYTES and all(
        len(line) <= MOST_CHARACTERS and printable(line) == line for line in lines
    ):
        return None
    text = "what collides cannot be shown to an agent whole: settle it in the merge editor"
    return BadInput("too-large", text, conflict.path)


def _mark(
    base: PackedText | None, ours: PackedText | None, theirs: PackedText | None,
    seen: PackedText | None, name: str,
) -> MarkedText | None:  # fmt: skip
    """Both sides in one text, where all that collides did so with the text that was `seen`."""
    from understudy.shadow.merge import marked_text, merge_texts  # noqa: PLC0415 - few collide

    was, one, other, then = map(unpacked, (base, ours, theirs, seen))
    if one is None or other is None or then is None:
        return None
    asked = [replace(region, theirs_start=0) for region in merge_texts(was, one, then).conflicts]
    now = [replace(region, theirs_start=0) for region in merge_texts(was, one, other).conflicts]
    return marked_text(was, one, other, name) if all(one in asked for one in now) else None
