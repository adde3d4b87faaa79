"""Edits that have the user's tools run something: taken by name alone, never as one of many."""

from __future__ import annotations

from collections.abc import Mapping

from understudy.shadow.links import Links
from understudy.values.errors import Refused
from understudy.values.texts import PackedText
from understudy.workspace.branches.parts import Taken, Wanted
from understudy.workspace.branches.rebase import same
from understudy.workspace.triggers.catalogue import Triggers, all_triggers

_FEW = 5


def set_apart(taken: Taken, wanted: Wanted, links: Links, left: dict[str, str]) -> Taken:
    """What is taken of a wish: where nothing is named, without what runs something.

    `links` are the base's; `left` then has those paths, each with what it runs. Raises Refused
    `by-name-only` where nothing else would be taken; BadInput `bad-setting` for the user's own
    list.
    """
    left.clear()
    if not wanted.is_all:
        return taken
    left.update(triggers_of(taken, links))
    if not left:
        return taken
    rest = taken.without(left)
    if all(same(file.user, file.taken) for file in rest.files.values()):
        raise Refused("by-name-only", f"all that it changes runs something: {_listed(left)}")
    return rest


def triggers_of(taken: Taken, links: Links) -> dict[str, str]:
    """What is taken that runs something: path -> what it runs, and when."""
    table, found = all_triggers(), dict[str, str]()
    for path, file in sorted(taken.files.items()):
        before = file.user if file.source is None else taken.gone[file.source]
        runs = runs_of(table, links, path, file.source, before, file.taken)
        if runs is not None:
            found[path] = runs
    return found


def runs_of(
    table: Triggers,
    links: Links,
    path: str,
    source: str | None,
    before: PackedText | None,
    after: PackedText | None,
) -> str | None:
    """What one change has the user's tools run; None where it is nothing, or changes nothing.

    A tool may come to the file by another path, through a link of the folder.
    """
    if source is None and same(before, after):
        return None
    paths = links.spellings(path)
    if source is None:
        return table.runs(paths, before, after)
    return table.runs([*paths, *links.spellings(source)], before, after, is_renamed=True)


def _listed(left: Mapping[str, str]) -> str:
    told = [f"{path} ({runs})" for path, runs in left.items()]
    rest = len(told) - _FEW
    more = [f"and {rest} more"] if rest > 0 else []
    return f"{', '.join([*told[:_FEW], *more])}; accept it by its path"
