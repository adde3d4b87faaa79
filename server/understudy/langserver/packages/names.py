"""The packages of a profile: `TOOL NAME`, the server itself first, what it needs after it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from understudy.values.stamps import stamp_of

_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
_VERSION = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
_FORMS: Mapping[str, re.Pattern[str]] = MappingProxyType(
    {
        "pip": re.compile(rf"({_NAME}(?:\[{_NAME}(?:,{_NAME})*\])?)(?:[=~]=({_VERSION}))?"),
        "npm": re.compile(rf"((?:@{_NAME}/)?{_NAME})(?:@[~^]?({_VERSION}))?"),
        "go": re.compile(rf"({_NAME}\.{_NAME}(?:/[A-Za-z0-9._~-]+)+)@({_VERSION})"),
        "cargo": re.compile(rf"({_NAME})(?:@({_VERSION}))?"),
        "apt": re.compile(r"([a-z0-9][a-z0-9.+-]*)()"),
    }
)
"""A name in the tool's own registry and a version: no address, no path, no option."""
_AT = MappingProxyType({"pip": "==", "npm": "@", "go": "@v", "cargo": "@"})
"""What stands before an exact version."""
_KEY_CHARACTERS = 40


def mistakes(install: str | None, packages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys of a profile that say how to get it, each with what is wrong there."""
    if install is None and not packages:
        yield "install", "it or `packages` must say how to get it"
    for index, package in enumerate(packages):
        tool, _, name = package.partition(" ")
        if tool not in _FORMS:
            yield f"packages[{index}]", f"must begin with its tool: one of {', '.join(_FORMS)}"
        elif not _FORMS[tool].fullmatch(name):
            form = "PATH@VERSION" if tool == "go" else "NAME, perhaps with a version"
            yield f"packages[{index}]", f"must be `{tool} {form}`, as its registry has it"


def of_ours(packages: Iterable[str]) -> tuple[str, ...]:
    """Those that need no root: all but the system's."""
    return tuple(package for package in packages if not package.startswith("apt "))


def install_text(packages: Iterable[str]) -> str:
    """How a person would install them."""
    return "; ".join(f"{tool} install {' '.join(names)}" for tool, names in by_tool(packages))


def by_tool(packages: Iterable[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each tool with the names that it installs, in their order."""
    found: dict[str, list[str]] = {}
    for package in packages:
        tool, _, name = package.partition(" ")
        found.setdefault(tool, []).append(name)
    return ((tool, tuple(names)) for tool, names in found.items())


def key_of(packages: Iterable[str]) -> str:
    """A file's name for them; profiles of equal packages share one installation."""
    ours = of_ours(packages)
    plain = re.sub(r"[^A-Za-z0-9]+", "-", _parts(ours[0])[1]).strip("-").lower()
    return f"{plain[-_KEY_CHARACTERS:]}-{stamp_of(ours)[:8]}"


def pinned(packages: Iterable[str], version: str | None) -> tuple[str, ...]:
    """Those of ours, the server itself at this version, where its package leaves that open."""
    first, *others = of_ours(packages)
    tool, name, asked = _parts(first)
    is_open = asked in ("", "latest") or str(version).startswith(f"{asked}.")
    if version is not None and tool in _AT and is_open:
        first = f"{tool} {name}{_AT[tool]}{version}"
    return (first, *others)


def _parts(package: str) -> tuple[str, str, str]:
    tool, _, rest = package.partition(" ")
    found = _FORMS[tool].fullmatch(rest)
    assert found is not None
    return tool, found[1], found[2] or ""
