"""A branch: one agent's edits over a base, as an immutable value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from types import MappingProxyType

from understudy.findings.line_map import line_map
from understudy.shadow.asks import SETTLE, Ask
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.texts import PackedText


@frozen(slots=True)
class BranchFile:
    """One path a branch touches: the base text it was edited over, and the text it has now.

    `base` None: the path did not exist. `after` None: the branch deletes it. `origin` is the path
    it was renamed from, if any; the old path then stands in the branch as deleted.
    """

    base: PackedText | None
    after: PackedText | None
    origin: str | None = None


@frozen
class Branch:
    """One agent's edits; `revision` counts the batches applied so far. Times in s since 1970.

    `asks` are what the user wants changed in it, and `n_asked` is the highest number that one of
    them has had; they are no part of its content.
    """

    id: str
    title: str
    created: float
    used: float
    files: Mapping[str, BranchFile] = field(default_factory=dict[str, BranchFile])
    revision: int = 0
    asks: tuple[Ask, ...] = ()
    n_asked: int = 0

    def with_files(self, changes: Mapping[str, BranchFile], used: float) -> Branch:
        """The branch after one more batch of edits; a path that is as its base again is dropped."""
        files = {**self.files, **changes}
        kept = {path: file for path, file in files.items() if not _is_unchanged(file)}
        asks = asks_after(self.asks, self.files, kept) if self.asks else ()
        return replace(
            self, files=MappingProxyType(kept), revision=self.revision + 1, used=used, asks=asks
        )

    def fitted(self, files: Mapping[str, BranchFile]) -> Branch:
        """The same branch with other texts of its files: as they are over a base of now."""
        asks = asks_after(self.asks, self.files, files) if self.asks else ()
        return replace(self, files=files, asks=asks)

    @property
    def stamp(self) -> Stamp:
        """Names the branch's content: what `ifStamp` of an edit is compared with."""
        parts: list[str | None] = [self.id, str(self.revision)]
        for path in sorted(self.files):
            file = self.files[path]
            parts += [path, file.after.digest if file.after else None, file.origin]
        return stamp_of(parts)


def _is_unchanged(file: BranchFile) -> bool:
    if file.base is None or file.after is None:
        return file.base is file.after is None
    return file.base.digest == file.after.digest


def asks_after(
    asks: Iterable[Ask], before: Mapping[str, BranchFile], after: Mapping[str, BranchFile]
) -> tuple[Ask, ...]:
    """The asks that are still open: those about lines that another text has, too, at their place.

    One whose lines are edited, or whose file is no more the branch's, is settled; one for the
    settling of a conflict ends with the conflict alone, which nobody knows of here.
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
        unedited = new.base if ask.seen is None else ask.seen
        text = unedited if old is None else old.after
        moved = _moved(ask, text, new.after)
        if ask.text == SETTLE:
            left.append(replace(moved or ask, path=path, seen=ask.seen))
        elif moved is not None:
            left.append(replace(moved, path=path, seen=None))
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
