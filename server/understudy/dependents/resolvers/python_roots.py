"""The folders that configuration files make starts of Python's absolute names."""

from __future__ import annotations

import configparser
import json
import posixpath
import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple, cast

from understudy.values import toml
from understudy.values.json_input import loads_with_comments

NAMES: Final = (
    "pyproject.toml",
    "pyrightconfig.json",
    "mypy.ini",
    ".mypy.ini",
    "setup.cfg",
    "pytest.ini",
    "tox.ini",
    "ty.toml",
    "pyrefly.toml",
)

_PATHS = frozenset(
    {
        "extra-paths",
        "extraPaths",
        "mypy_path",
        "pythonpath",
        "root",
        "search-path",
        "search_path",
        "stubPath",
        "where",
    }
)
"""Settings that hold folders: of pyright, mypy, ty, pyrefly, pytest and setuptools."""

_RENAMED = frozenset({"package-dir", "package_dir"})
_SEPARATORS = re.compile(r"[,:;\s]+")


class Roots(NamedTuple):
    """What configuration says of starts: folders, and folders of packages by other names."""

    opened: frozenset[str]
    renamed: Mapping[str, frozenset[str]]


def roots_in(texts: Mapping[str, bytes]) -> Roots:
    """The starts that the texts of configuration files name, all that cannot be read left out."""
    opened: set[str] = set()
    renamed: dict[str, set[str]] = {}
    for path, text in texts.items():
        folder = path.rpartition("/")[0]
        for key, value in _settings(_read(path, text.decode(errors="replace"))):
            if key in _PATHS:
                opened.update(_folder(folder, each) for each in _strings(value))
            elif key in _RENAMED:
                for name, each in _pairs(value):
                    renamed.setdefault(name, set()).add(_folder(folder, each))
    opened |= renamed.pop("", set())
    return Roots(frozenset(opened), {name: frozenset(found) for name, found in renamed.items()})


def _read(path: str, text: str) -> object:
    try:
        if path.endswith(".toml"):
            return toml.loads(text)
        if path.endswith(".json"):
            return loads_with_comments(text)
        parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
        parser.read_string(text)
        return {name: dict(parser.items(name)) for name in parser.sections()}
    except (ValueError, configparser.Error, json.JSONDecodeError):
        return {}


def _settings(value: object) -> Iterator[tuple[str, object]]:
    """All keys with their values, at any depth: sections differ from tool to tool."""
    if isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            yield key, item
            yield from _settings(item)
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _settings(item)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, _SEPARATORS.split(value))
        yield value
    elif isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _strings(item)


def _pairs(value: object) -> Iterator[tuple[str, str]]:
    """The packages of a `package_dir` with their folders; "" is all of them."""
    if isinstance(value, dict):
        for name, folder in cast("dict[str, object]", value).items():
            if isinstance(folder, str):
                yield name, folder
    elif isinstance(value, str):
        for line in _SEPARATORS.split(value.replace(" =", "=").replace("= ", "=")):
            name, equals, folder = line.partition("=")
            if equals:
                yield name.strip(), folder.strip()


def _folder(base: str, path: str) -> str:
    """A folder as the tree names it; "" is its root."""
    for variable in ("$MYPY_CONFIG_FILE_DIR", "${workspaceFolder}", "<rootdir>"):
        path = path.replace(variable, ".")
    found = posixpath.normpath(posixpath.join(base, path))
    return "" if found == "." else found
