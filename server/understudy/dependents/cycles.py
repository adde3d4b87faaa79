"""Cycles of imports that an edit closes or opens: checkers report one in any of its files."""

from __future__ import annotations

from collections.abc import Iterable

from understudy.dependents.bindings import BindingGraph, dependents


def joined_by(before: BindingGraph, after: BindingGraph, changed: Iterable[str]) -> dict[str, str]:
    """The files that are in a cycle with a changed one on one side only -> the changed one.

    A further cycle among files that import one another on both sides joins nobody.
    """
    found: dict[str, str] = {}
    for path in changed:
        targets = [{edge.target for edge in graph.edges(path)} for graph in (before, after)]
        for graph, other, new in (
            (before, after, targets[0] - targets[1]),
            (after, before, targets[1] - targets[0]),
        ):
            if not new:
                continue
            depending = dependents([graph], [path]).keys()
            for target in sorted(new & depending):
                if path not in dependents([other], [target]):
                    found.update(dict.fromkeys(_reached_from(graph, target) & depending, path))
    return found


def _reached_from(graph: BindingGraph, path: str) -> set[str]:
    """The file with all that it imports, over any number of files."""
    found: set[str] = set()
    edge = {path}
    while edge:
        found |= edge
        edge = {one.target for at in edge for one in graph.edges(at)} - found
    return found
