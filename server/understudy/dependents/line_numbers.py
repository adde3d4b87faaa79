"""Whether the lines that code stands on can matter to others: macros of C make names of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from understudy.dependents.bindings import BindingGraph
from understudy.dependents.changes import OutsideChange
from understudy.dependents.reach import Sources

_LINE = "__LINE__"


def is_new_code(
    change: OutsideChange | None,
    graphs: Sequence[BindingGraph],
    sources: Sources,
    path: str,
    closure: Collection[str],
) -> bool:
    """Whether those who compile a file as their own may find other code in it."""
    if change is None or not change.is_layout:
        return True
    return change.lines and lines_matter(graphs, sources, path, closure)


def lines_matter(
    graphs: Sequence[BindingGraph], sources: Sources, path: str, includers: Iterable[str]
) -> bool:
    """Whether a file names a macro that stands for the number of its line.

    The macro may be one of any file that is compiled with it; what cannot be read may have one.
    """
    words = {one: sources.words(one) for one in _compiled_with(graphs, (path, *includers))}
    if any(there is None for there in words.values()):
        return True
    by_line = {_LINE}
    edge: set[str] = {_LINE}
    while edge:
        of_edge = [one for one, there in words.items() if there and not there.isdisjoint(edge)]
        edge = {name for one in of_edge for name in _naming(sources, one, edge)} - by_line
        by_line |= edge
    own = words[path]
    return own is None or not own.isdisjoint(by_line)


def _compiled_with(graphs: Sequence[BindingGraph], paths: Iterable[str]) -> Collection[str]:
    """These files and all that they include."""
    found, edge = set[str](), set(paths)
    while edge:
        found |= edge
        taken = {one.target for graph in graphs for path in edge for one in graph.edges(path)}
        edge = taken - found
    return found


def _naming(sources: Sources, path: str, names: Collection[str]) -> Iterable[str]:
    """What of a file is declared with the help of one of the names."""
    for one in sources.declarations(path):
        for declared in one.declarations:
            if not declared.shown.names.isdisjoint(names):
                yield declared.name
