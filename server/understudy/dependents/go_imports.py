"""What a Go file imports: packages, which are folders, and always its own."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

SUFFIXES = (".go",)

MODULE_FILES = ("go.mod",)
"""Names of the files that say which import path leads to a folder."""

PREFIX = "go:"
"""Tells a module's path from other languages' aliases."""

_MODULE = re.compile(r"^[ \t]*module[ \t]+\"?([^\s\"]+)", re.MULTILINE)
_REPLACED = re.compile(
    r"^[ \t]*(?:replace[ \t]+)?(\S+)(?:[ \t]+v\S+)?[ \t]*=>[ \t]*(\.\S*)", re.MULTILINE
)
_IMPORTS = re.compile(
    r"^[ \t]*import\b[ \t]*(?:\(([^)]{0,50000})|((?:[\w.]+[ \t]+)?[\"`][^\"`\n]+[\"`]))",
    re.MULTILINE,
)
_PATH = re.compile(r"[\"`]([^\"`\n]+)[\"`]")
_EMBED = re.compile(r"^//go:embed[ \t]+([^\r\n]+)", re.MULTILINE)


def read(
    path: str, content: str, aliases: Mapping[str, tuple[str, ...]]
) -> tuple[set[str], set[tuple[str, ...]]]:
    """The folders of its own package and of those it imports; names where no module is known."""
    folder = path.rpartition("/")[0] or "."
    paths = {folder}
    names: set[tuple[str, ...]] = set()
    modules = {key.removeprefix(PREFIX): f for key, f in aliases.items() if key.startswith(PREFIX)}
    for block in _IMPORTS.finditer(content):
        for match in _PATH.finditer(block[1] or block[2]):
            imported = match[1]
            found = _in_modules(imported, modules)
            paths.update(found)
            # The standard library's have no dot, and inside a module only they have none.
            if not found and (not modules or "." in imported.partition("/")[0]):
                names.add(tuple(part for part in imported.split("/") if part))
    for match in _EMBED.finditer(content):
        paths.update(posixpath.normpath(posixpath.join(folder, p)) for p in match[1].split())
    return paths, names


def modules_in(text: str, folder: str) -> dict[str, tuple[str, ...]]:
    """The aliases of a `go.mod`: its module's path leads to its folder, a replaced one's elsewhere.

    Nothing leads out of the root.
    """
    match = _MODULE.search(text)
    leads = [] if match is None else [(match[1], folder or ".")]
    leads += [
        (module, posixpath.normpath(posixpath.join(folder, place)))
        for module, place in _REPLACED.findall(text)
    ]
    found: dict[str, tuple[str, ...]] = {}
    for module, place in leads:
        if not place.startswith(".."):
            found[f"{PREFIX}{module}"] = (*found.get(f"{PREFIX}{module}", ()), place)
    return found


def _in_modules(imported: str, modules: Mapping[str, tuple[str, ...]]) -> set[str]:
    found: set[str] = set()
    for module, folders in modules.items():
        if imported == module or imported.startswith(f"{module}/"):
            below = imported[len(module) + 1 :]
            found.update(posixpath.normpath(posixpath.join(folder, below)) for folder in folders)
    return found
