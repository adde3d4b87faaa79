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
class RealEdit(GeneratedEdit):
    """An edit between releases; `part_of` is the larger one that it is a piece of, if any."""

    is_half: bool = False
    part_of: RealEdit | None = None


@dataclass(frozen=True)
class _Hunk:
    """Lines `start` to `stop` of the old text become `lines`; `part` names it among others."""

    start: int
    stop: int
    lines: tuple[str, ...]
    part: str


def release_edits(before: Project, after: Project) -> Iterator[RealEdit]:
    """The edits of `before` that lead towards `after`, files in order; the whole release is last.

    Files that only one of them has are in the whole release alone.
    """
    paths = sorted({*before.sources, *after.sources})
    changes = {
        path: after.files.get(path)
        for path in paths
        if before.files.get(path) != after.files.get(path)
    }
    by_file = {
        path: tuple(_hunks(before.files.get(path) or "", new or ""))
        for path, new in changes.items()
    }
    release = _release(before, changes, by_file) if len(changes) > 1 else None
    for path, new in changes.items():
        old, hunks = before.files.get(path), by_file[path]
        if old is None or new is None:
            continue
        texts = {path: old}
        larger = release
        if len(hunks) > 1:
            larger = _edit(f"{path} whole", texts, {path: hunks}, release)
        for number, hunk in enumerate(hunks):
            whole = _edit(f"{path} hunk {number}", texts, {path: (hunk,)}, larger)
            yield whole
            for half in _halves(hunk):
                label = f"{whole.label}{half.part}"
                yield _edit(label, texts, {path: (half,)}, whole, is_half=True)
        if larger is not None and larger is not release:
            yield larger
    if release is not None:
        yield release


def edit_between(path: str, old: str, new: str, label: str) -> RealEdit:
    """The edit of one file that leads from a text to another."""
    return _edit(label, {path: old}, {path: tuple(_hunks(old, new))})


def _release(
    before: Project, changes: Mapping[str, str | None], by_file: Mapping[str, Sequence[_Hunk]]
) -> RealEdit:
    old = {path: before.files.get(path) for path in changes}
    origins = {
        path: _origins(old[path] or "", by_file[path])
        for path, text in changes.items()
        if text is not None
    }
    return RealEdit("several", "the whole release", dict(changes), old, origins)


def _edit(
    label: str,
    old: Mapping[str, str],
    hunks: Mapping[str, tuple[_Hunk, ...]],
    part_of: RealEdit | None = None,
    *,
    is_half: bool = False,
) -> RealEdit:
    texts = {path: _applied(old[path], taken) for path, taken in hunks.items()}
    origins = {path: _origins(old[path], taken) for path, taken in hunks.items()}
    return RealEdit("same-file", label, texts, dict(old), origins, is_half=is_half, part_of=part_of)


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
