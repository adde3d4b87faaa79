"""Real edits: what differs between two releases of a project, whole, by file, by hunk, by half."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.support.edits import GeneratedEdit
from tests.support.sample import Project

_LEAST_FOR_HALVES = 4
"""Lines of a hunk that is taken in halves, too."""


@dataclass(frozen=True)
class _Hunk:
    """Lines `start` to `stop` of the old text become `lines`; `part` names it among others."""

    start: int
    stop: int
    lines: tuple[str, ...]
    part: str


def release_edits(before: Project, after: Project) -> Iterator[GeneratedEdit]:
    """The edits of `before` that lead towards `after`, files in order; the whole release is last.

    Files that only one of them has are in the whole release alone.
    """
    changes: dict[str, str | None] = {}
    for path in sorted({*before.sources, *after.sources}):
        old, new = before.files.get(path), after.files.get(path)
        if old == new:
            continue
        changes[path] = new
        if old is None or new is None:
            continue
        hunks = _hunks(old, new)
        for number, hunk in enumerate(hunks):
            for piece in (hunk, *_halves(hunk)):
                yield _edit(f"{path} hunk {number}{piece.part}", {path: old}, {path: (piece,)})
        if len(hunks) > 1:
            yield _edit(f"{path} whole", {path: old}, {path: tuple(hunks)})
    if len(changes) > 1:
        yield _release(before, changes)


def edit_between(path: str, old: str, new: str, label: str) -> GeneratedEdit:
    """The edit of one file that leads from a text to another."""
    hunks = {path: tuple(_hunks(old, new))}
    return _edit(label, {path: old}, hunks)


def _release(before: Project, changes: Mapping[str, str | None]) -> GeneratedEdit:
    old = {path: before.files.get(path) for path in changes}
    origins = {
        path: _origins(old[path] or "", tuple(_hunks(old[path] or "", text)))
        for path, text in changes.items()
        if text is not None
    }
    return GeneratedEdit("several", "the whole release", dict(changes), old, origins)


def _edit(
    label: str, old: Mapping[str, str], hunks: Mapping[str, tuple[_Hunk, ...]]
) -> GeneratedEdit:
    texts = {path: _applied(old[path], taken) for path, taken in hunks.items()}
    origins = {path: _origins(old[path], taken) for path, taken in hunks.items()}
    return GeneratedEdit("same-file", label, texts, dict(old), origins)


def _hunks(old: str, new: str) -> list[_Hunk]:
    left, right = old.splitlines(keepends=True), new.splitlines(keepends=True)
    codes = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [
        _Hunk(start, stop, tuple(right[first:last]), "")
        for kind, start, stop, first, last in codes
        if kind != "equal"
    ]


def _halves(hunk: _Hunk) -> Iterator[_Hunk]:
    """An edit that somebody has not finished: the first or the last lines of it alone."""
    n_old, n_new = hunk.stop - hunk.start, len(hunk.lines)
    if max(n_old, n_new) >= _LEAST_FOR_HALVES:
        middle, half = hunk.start + n_old // 2, n_new // 2
        yield _Hunk(hunk.start, middle, hunk.lines[:half], ", first half")
        yield _Hunk(middle, hunk.stop, hunk.lines[half:], ", second half")


def _applied(old: str, hunks: Sequence[_Hunk]) -> str:
    lines = old.splitlines(keepends=True)
    for hunk in reversed(hunks):
        lines[hunk.start : hunk.stop] = hunk.lines
    return "".join(lines)


def _origins(old: str, hunks: Sequence[_Hunk]) -> list[int | None]:
    found: list[int | None] = list(range(len(old.splitlines(keepends=True))))
    for hunk in reversed(hunks):
        found[hunk.start : hunk.stop] = [None] * len(hunk.lines)
    return found
