"""Names that lead into the folder itself: TypeScript path aliases and packages of a monorepo."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping
from typing import cast

from understudy.dependents.script_imports import aliases_of

ALIAS_FILES = ("tsconfig.json", "tsconfig.base.json", "jsconfig.json", "package.json")


def aliases_in(configs: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """All aliases of the given configuration files (root-relative path -> text)."""
    aliases: dict[str, tuple[str, ...]] = {}
    for path in sorted(configs):
        folder = path.rpartition("/")[0]
        found = (
            _package(configs[path], folder)
            if path.endswith("package.json")
            else aliases_of(configs[path], folder)
        )
        for pattern, targets in found.items():
            aliases[pattern] = tuple(dict.fromkeys((*aliases.get(pattern, ()), *targets)))
    return aliases


def _package(text: str, folder: str) -> dict[str, tuple[str, ...]]:
    """A package's own name leads to its folder, its usual source folders and its stated entries."""
    try:
        data: object = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(data, dict):
        return {}
    fields = cast("dict[str, object]", data)
    name = fields.get("name")
    if not isinstance(name, str) or not name or not folder:
        return {}
    entries = [fields.get(key) for key in ("types", "typings", "main", "module", "source")]
    stated = [posixpath.normpath(posixpath.join(folder, e)) for e in entries if isinstance(e, str)]
    starts = [folder, f"{folder}/src", f"{folder}/lib"]
    return {
        name: (*starts, *stated),
        f"{name}/*": tuple(f"{start}/*" for start in starts),
    }
