"""TypeScript's and JavaScript's imports, path aliases and ambient declarations."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Mapping
from typing import cast

SUFFIXES = (
    ".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs",
)  # fmt: skip

_COMMENT = r"/\*(?:[^*]|\*(?!/)){0,2000}\*/|//[^\n]*\n"
_SPECIFIER = re.compile(
    r"(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\(|<reference\s+(?:path|types)\s*=)"
    rf"(?:\s|{_COMMENT})*"
    r"(['\"`])([^'\"`\n]+)\1"
)
_MODULE = re.compile(r"^[ \t]*(?:import\b(?!\s*\()|export\b)|\bimport\.meta\b", re.MULTILINE)
_COMMON_JS = re.compile(r"\brequire\s*\(|\bmodule\.exports\b|\bexports\.\w")
_AUGMENTS = re.compile(r"\bdeclare\s+(?:global\b|module\s*['\"])")
_JSON_NOISE = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)


def read(
    path: str, content: str, aliases: Mapping[str, tuple[str, ...]]
) -> tuple[set[str], set[tuple[str, ...]], bool]:
    """Paths, bare module names, and whether the file's declarations are seen everywhere."""
    folder = path.rpartition("/")[0]
    paths: set[str] = set()
    names: set[tuple[str, ...]] = set()
    for match in _SPECIFIER.finditer(content):
        specifier = match.group(2)
        if specifier.startswith(".") or "reference" in match.group(0):
            joined = posixpath.normpath(posixpath.join(folder, specifier))
            if not joined.startswith(".."):
                paths.update({_without_suffix(joined), joined})
            continue
        aliased = _resolve_alias(specifier, aliases)
        paths.update(aliased)
        segments = tuple(part for part in _without_suffix(specifier).split("/") if part)
        # Where a bare name leads is the package manager's business: its last part must match.
        if segments:
            names.add(segments[-1:])
    return paths, names, _is_ambient(path, content)


def aliases_of(config: str, folder: str) -> dict[str, tuple[str, ...]]:
    """Path aliases of one tsconfig text: pattern -> root-relative targets, `*` kept in both."""
    try:
        data = loads_with_comments(config)
    except ValueError:
        return {}
    options = _mapping(_mapping(data).get("compilerOptions"))
    base = options.get("baseUrl")
    start = posixpath.join(folder, base) if isinstance(base, str) else folder
    aliases: dict[str, tuple[str, ...]] = {}
    for pattern, targets in _mapping(options.get("paths")).items():
        listed = cast("list[object]", targets) if isinstance(targets, list) else []
        aliases[pattern] = tuple(
            posixpath.normpath(posixpath.join(start, target))
            for target in listed
            if isinstance(target, str)
        )
    if isinstance(base, str):
        aliases.setdefault("*", (posixpath.normpath(posixpath.join(start, "*")),))
    return aliases


def loads_with_comments(text: str) -> object:
    """Parse JSON that may hold comments and trailing commas; raises ValueError."""
    try:
        return json.loads(_JSON_NOISE.sub(lambda match: match.group(1) or "", text))
    except RecursionError as error:
        raise ValueError("it goes too deep") from error


def _resolve_alias(specifier: str, aliases: Mapping[str, tuple[str, ...]]) -> set[str]:
    found: set[str] = set()
    for pattern, targets in aliases.items():
        head, star, tail = pattern.partition("*")
        if star:
            if not (specifier.startswith(head) and specifier.endswith(tail)):
                continue
            middle = specifier[len(head) : len(specifier) - len(tail)]
        elif specifier == pattern:
            middle = ""
        else:
            continue
        found.update(_without_suffix(target.replace("*", middle)) for target in targets)
    return found


def _is_ambient(path: str, content: str) -> bool:
    if _AUGMENTS.search(content):
        return True
    if _MODULE.search(content):
        return False
    is_javascript = path.endswith((".js", ".jsx", ".mjs", ".cjs"))
    return not (is_javascript and _COMMON_JS.search(content))


def _without_suffix(path: str) -> str:
    for suffix in SUFFIXES:
        if path.endswith(suffix):
            return path[: -len(suffix)]
    return path


def _mapping(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
