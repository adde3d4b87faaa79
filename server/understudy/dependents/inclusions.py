"""Texts that are part of another one: Rust's `include!` gives them all that is in scope there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from understudy.dependents.bindings import TEXT, BindingGraph
from understudy.dependents.changes import OutsideChange


def included_by(
    graphs: Sequence[BindingGraph],
    reached: Sequence[str],
    changes: Mapping[str, OutsideChange | None],
) -> dict[str, str]:
    """The Rust files that a reached one includes, over any number of them -> the one that does.

    A text need not name what it takes of a trait that is in scope where it is included.
    """
    found: dict[str, str] = {}
    edge = [path for path in reached if graphs[0].family_of(path) == "rust"]
    while edge:
        path = edge.pop()
        change = changes.get(path)
        if change is not None and change.is_inside:
            continue
        for target in {one for graph in graphs for one in _included(graph, path)}:
            if target not in found:
                found[target] = path
                edge.append(target)
    return found


def _included(graph: BindingGraph, path: str) -> list[str]:
    """What it includes; all that it takes from, where a run of the program tells what."""
    imports = graph.imports_of(path).imports
    names = {one.target.rpartition("/")[2] for one in imports if one.kind.split()[0] == "include"}
    targets = [target for target, binding in graph.edges(path) if binding == TEXT]
    return [one for one in targets if "" in names or one.rpartition("/")[2] in names]
