"""What the graph says of files that have more than one path, made an answer about each file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from understudy.dependents.bindings import BindingGraph, dependents
from understudy.dependents.reach import Reach
from understudy.shadow.snapshot import Snapshot


def by_all_paths(snapshots: Iterable[Snapshot], files: Iterable[str]) -> list[str]:
    """The files by each of their paths, in any of the snapshots."""
    found = dict.fromkeys(files)
    for snapshot in snapshots:
        links = snapshot.base.folder.links
        if links:
            for path in tuple(found):
                found.update(dict.fromkeys(links.spellings(path)))
    return list(found)


def real_path(snapshots: Iterable[Snapshot], path: str) -> str:
    """The path of a file that is listed."""
    for snapshot in snapshots:
        if snapshot.is_another_path(path):
            return snapshot.base.folder.links.real(path)
    return path


def reach_of_files(
    snapshots: Collection[Snapshot],
    graphs: Collection[BindingGraph],
    changed: Iterable[str],
    found: Mapping[str, Reach],
) -> Mapping[str, Reach]:
    """How a change reaches each file, under its real path.

    A file counts under another path, too, where that says more: its imports lead elsewhere from
    there, or it is reached from there alone, and a file of a real path comes to it that way.
    """
    if not any(snapshot.base.folder.links for snapshot in snapshots):
        return found
    folded: dict[str, Reach] = {}
    everything = {**dict.fromkeys(changed, Reach(0)), **found}
    for path, reach in everything.items():
        real = real_path(snapshots, path)
        names = [real]
        if real != path and _is_another(
            snapshots, graphs, path, real, is_alone=real not in everything
        ):
            names.append(path)
        for name in names:
            known = folded.get(name)
            if known is None or reach.distance < known.distance:
                folded[name] = reach
    return {
        path: replace(
            reach,
            via=real_path(snapshots, reach.via),
            carriers=tuple(real_path(snapshots, one) for one in reach.carriers),
        )
        if reach.via
        else reach
        for path, reach in folded.items()
    }


def _is_another(
    snapshots: Collection[Snapshot],
    graphs: Collection[BindingGraph],
    path: str,
    real: str,
    *,
    is_alone: bool,
) -> bool:
    def targets(graph: BindingGraph, of: str) -> frozenset[str]:
        return frozenset(real_path(snapshots, edge.target) for edge in graph.edges(of))

    if not is_alone and all(targets(graph, path) == targets(graph, real) for graph in graphs):
        return False
    return any(real_path(snapshots, one) == one for one in dependents(graphs, (path,)))
