"""Names that lead into the folder itself: TypeScript path aliases, packages, Go modules."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from typing import cast

from understudy.dependents import go_imports
from understudy.dependents.script_imports import aliases_of

ALIAS_FILES = ("tsconfig*.json", "jsconfig*.json", "package.json", *go_imports.MODULE_FILES)
"""Patterns of the names of files that hold aliases."""

_ALIAS_FILE = re.compile(r"(?:^|/)(?:(?:[tj]sconfig[^/]*|package)\.json|go\.mod)$")


def holds_aliases(path: str) -> bool:
    """Whether a root-relative path fits one of ALIAS_FILES."""
    return _ALIAS_FILE.search(path) is not None


def aliases_in(configs: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """All aliases of the given configuration files (root-relative path -> text)."""
    aliases: dict[str, tuple[str, ...]] = {}
    for path in sorted(configs):
        folder = path.rpartition("/")[0]
        if path.endswith(go_imports.MODULE_FILES):
            found = go_imports.modules_in(configs[path], folder)
        elif path.endswith("package.json"):
            found = _package(configs[path], folder)
        else:
            found = aliases_of(configs[path], folder)
        for pattern, targets in found.items():
            aliases[pattern] = tuple(dict.fromkeys((*aliases.get(pattern, ()), *targets)))
    return aliases


def _package(text: str, folder: str) -> dict[str, tuple[str, ...]]:
    """A package's own name leads to its folder, its usual source folders and its stated entries."""
    try:
        data: object = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(data, dict):
        return {}
    fields = cast("dict[str, object]", data)
    aliases = dict(_entries(fields.get("imports"), "", folder))
    name = fields.get("name")
    if not isinstance(name, str) or not name:
        return aliases
    aliases |= _entries(fields.get("exports"), name, folder)
    if not folder:
        return aliases
    entries = [fields.get(key) for key in ("types", "typings", "main", "module", "source")]
    stated = [posixpath.normpath(posixpath.join(folder, e)) for e in entries if isinstance(e, str)]
    starts = [folder, f"{folder}/src", f"{folder}/lib"]
    usual = {name: (*starts, *stated), f"{name}/*": tuple(f"{start}/*" for start in starts)}
    return {key: (*aliases.get(key, ()), *usual.get(key, ())) for key in aliases | usual}


def _entries(table: object, name: str, folder: str) -> dict[str, tuple[str, ...]]:
    """The `imports` or `exports` of a package: specifier -> the files it may lead to."""
    if not isinstance(table, dict):
        return {name: _targets(table, folder)} if table is not None else {}
    listed = cast("dict[str, object]", table)
    if name and not any(key.startswith(".") for key in listed):  # conditions for the package itself
        return {name: _targets(listed, folder)}
    return {
        key if not name else posixpath.normpath(posixpath.join(name, key)): _targets(value, folder)
        for key, value in listed.items()
    }


def _targets(value: object, folder: str) -> tuple[str, ...]:
    """All paths in a target, whatever the condition for each."""
    if isinstance(value, str):
        return (posixpath.normpath(posixpath.join(folder, value)),)
    inner: list[object] = []
    if isinstance(value, dict):
        inner = [*cast("dict[str, object]", value).values()]
    elif isinstance(value, list):
        inner = cast("list[object]", value)
    return tuple(target for one in inner for target in _targets(one, folder))
