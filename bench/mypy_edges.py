"""Prints which file takes from which in the working folder, as mypy says; run as a script.

A line is `[importer, target, is_direct]`: what it imports itself, and where a name that it uses is
declared, however it came to have it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping

from mypy.build import PRI_INDIRECT, State, build
from mypy.find_sources import create_source_list
from mypy.fscache import FileSystemCache
from mypy.options import Options
from mypy.refinfo import get_undocumented_ref_info_json


def main() -> None:
    """Judge the folder, and print what each of its modules takes."""
    options = Options()
    options.incremental, options.cache_dir = False, os.devnull
    options.export_types = options.preserve_asts = True
    options.python_executable = sys.executable
    cache = FileSystemCache()
    found = build(create_source_list(["."], options, cache), options, fscache=cache)
    paths = {name: _inside(state) for name, state in found.graph.items()}
    edges: set[tuple[str, str, bool]] = set()
    for name, state in found.graph.items():
        path = paths[name]
        if path is None:
            continue
        taken = [
            (module, state.priorities.get(module) != PRI_INDIRECT) for module in state.dependencies
        ]
        if state.tree is not None:
            for one in get_undocumented_ref_info_json(state.tree, found.types):
                taken += [(module, False) for module in _module_of(str(one["target"]), paths)]
        for module, is_direct in taken:
            target = paths.get(module)
            if target is not None and target != path:
                edges.add((path, target, is_direct))
    for edge in sorted(edges):
        sys.stdout.write(json.dumps(edge) + "\n")


def _inside(state: State) -> str | None:
    path = os.path.relpath(state.path) if state.path else ".."
    return None if path.startswith("..") else path.replace(os.sep, "/")


def _module_of(name: str, modules: Mapping[str, str | None]) -> Iterator[str]:
    while name and name not in modules:
        name = name.rpartition(".")[0]
    if name:
        yield name


if __name__ == "__main__":
    main()
