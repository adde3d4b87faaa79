"""What the user asks an agent to change in a branch, and how it keeps its place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from understudy.findings.line_map import line_map
from understudy.values.texts import PackedText

if TYPE_CHECKING:  # a branch has asks
    from understudy.shadow.branch import BranchFile


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish about lines of the branch's text of a file: 0-based, the end exclusive.

    `number` is its own within the branch, `revision` the branch's when it was made. An empty `text`
    says only that the lines are not as they should be.
    """

    number: int
    revision: int
    path: str
    start: int
    end: int
    text: str


def asks_after(
    asks: Iterable[Ask], before: Mapping[str, BranchFile], after: Mapping[str, BranchFile]
) -> tuple[Ask, ...]:
    """The asks that are still open: those about lines that another text has, too, at their place.

    One whose lines are edited, or whose file is no more the branch's, is settled.
    """
    renamed = {file.origin: path for path, file in after.items() if file.origin is not None}
    left: list[Ask] = []
    for ask in asks:
        old, path = before.get(ask.path), renamed.get(ask.path, ask.path)
        new = after.get(path)
        if new is None:
            if old is None:  # the branch only reaches that file
                left.append(ask)
            continue
        text = new.base if old is None else old.after
        moved = _moved(ask, text, new.after)
        if moved is not None:
            left.append(replace(moved, path=path))
    return tuple(left)


def _moved(ask: Ask, before: PackedText | None, after: PackedText | None) -> Ask | None:
    if after is None or before is None:
        return None
    if before.digest == after.digest:
        return ask
    lines = line_map(before.unpack().content, after.unpack().content)
    places = [lines.to_after(line) for line in range(ask.start, ask.end)]
    first, last = places[0], places[-1]
    if first is None or last is None or None in places or last - first != len(places) - 1:
        return None
    return replace(ask, start=first, end=last + 1)
