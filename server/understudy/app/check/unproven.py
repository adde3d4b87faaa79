"""What keeps a check from being clean although no finding speaks against it: what nobody proved."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from understudy.findings.judgement import Difference
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import FileVerdict, Reason


def mark_moved(difference: Difference, paths: Iterable[str]) -> None:
    """The files that moved whenever they were judged are unknown."""
    text = "the file, or one it depends on, kept changing while it was judged"
    _mark(difference, paths, Reason("base-moved", text))


def mark_closed(difference: Difference, closed: Mapping[str, str]) -> None:
    """Folders of which nobody knows what they held are unknown."""
    for path, text in closed.items():
        _mark(difference, [path], Reason("base-unknown", text))


def mark_unjudged(difference: Difference, paths: Sequence[str], only: Sequence[str]) -> None:
    """The changed files that no server judges, or none of `only` where any are named, are unknown,
    where nothing else was or in a strict check.
    """
    text = "no server of the catalogue judges this kind of file"
    if only:
        text = f"none of those asked judges this kind of file: {', '.join(only)}"
    _mark(difference, paths, Reason("no-server", text))


def mark_onlookers(difference: Difference, unknown: Mapping[str, Reason]) -> None:
    """Files that no server judges and that name what the edit changes are unknown."""
    for path, reason in unknown.items():
        _mark(difference, [path], reason)


def mark_unproven(
    difference: Difference, after: Snapshot, changed: Collection[str], unjudged: Collection[str]
) -> None:
    """What changed is unknown where no server has proven anything at all.

    So is a conflict in a file that no server judges: the branch as it is can be had nowhere.
    """
    text = "the branch's edits conflict with what the user changed: rebase the branch"
    _mark(difference, after.conflicts & frozenset(unjudged), Reason("conflict", text))
    if changed and difference.verdict == "clean" and not difference.is_proven:
        text = "no server has proven anything about this edit, on either side"
        _mark(difference, changed, Reason("unproven", text))


def _mark(difference: Difference, paths: Iterable[str], reason: Reason) -> None:
    kept = {file.path: file for file in difference.files}
    for path in paths:
        servers = kept[path].servers if path in kept else ()
        if path not in kept or kept[path].verdict != "findings":
            kept[path] = FileVerdict(path, "unknown", reason, servers)
    difference.files[:] = [kept[path] for path in sorted(kept)]
