"""Whether a file's declarations are seen without an import, as far as configurations tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from understudy.dependents.resolvers.script.configurations import Configuration
from understudy.dependents.resolvers.script.packages import Package
from understudy.dependents.resolvers.script.paths import folders_above
from understudy.syntax.model import FileImports
from understudy.syntax.script.imports import GLOBAL

_DECLARATIONS = (".d.ts", ".d.mts", ".d.cts")
_ALWAYS_MODULES = (".mts", ".cts", ".mjs", ".cjs")
_LEGACY, _FORCE = "legacy", "force"


def scope_of(
    path: str,
    imports: FileImports,
    configurations: Iterable[Configuration],
    packages: Mapping[str, Package],
) -> str:
    """`global`, or "" for a module; global where configurations of the tree disagree."""
    if not imports.scope or any(one.kind in ("augment", "umd") for one in imports.imports):
        return imports.scope
    listed = tuple(configurations)
    if path.endswith(_DECLARATIONS) or any(one.detection == _LEGACY for one in listed):
        return GLOBAL
    if path.endswith(_ALWAYS_MODULES):
        return ""
    if not listed:
        return GLOBAL
    in_module = any(_nearest(path, packages))
    is_forced = all(one.detection == _FORCE or (one.by_package and in_module) for one in listed)
    return "" if is_forced else GLOBAL


def _nearest(path: str, packages: Mapping[str, Package]) -> Iterable[bool]:
    """Whether the nearest package is one of modules; nothing where there is none."""
    for folder in folders_above(path):
        if folder in packages:
            yield packages[folder].is_module
            return
