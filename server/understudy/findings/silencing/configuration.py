"""The values of a configuration file, whatever its format, by their keys."""

from __future__ import annotations

import configparser
import json
from collections.abc import Mapping, Sequence
from typing import cast

from understudy.values.json_input import loads_with_comments
from understudy.values.toml import loads as loads_toml

Key = tuple[str, ...]

_DEEPEST = 10
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_NAMING = ("module", "files", "includes", "path")
"""Keys that tell tables of a list apart, so that one that is put in front moves none."""


def value_of(path: str, text: str) -> Mapping[str, object] | None:
    """What a configuration file holds; None where it cannot be read."""
    name = path.rpartition("/")[2]
    try:
        if name.endswith(".toml") or name == "staticcheck.conf":
            return loads_toml(text)
        if name.endswith((".json", ".jsonc")):
            return _table(loads_with_comments(text))
        if name == ".clangd":
            return _yaml_documents(text)
        if name.endswith((".yml", ".yaml")) or name == ".clang-tidy":
            return _yaml(text)
        if name == ".eslintrc":
            return _table(loads_with_comments(text)) if text.lstrip()[:1] in "{/" else _yaml(text)
        return _ini(text)
    except (ValueError, configparser.Error, RecursionError):
        return None


def flat(whole: Mapping[str, object]) -> dict[Key, object]:
    """Every value by the keys that lead to it; tables are values, too."""
    found: dict[Key, object] = {}
    _flatten(whole, (), found)
    return found


def _flatten(table: Mapping[str, object], above: Key, found: dict[Key, object]) -> None:
    for name, value in table.items():
        key = (*above, str(name))
        found[key] = value
        if len(key) >= _DEEPEST:
            continue
        if isinstance(value, Mapping):
            _flatten(cast("Mapping[str, object]", value), key, found)
        elif isinstance(value, Sequence) and not isinstance(value, str):
            listed = cast("Sequence[object]", value)
            tables: dict[str, object] = {}
            for number, one in enumerate(listed):
                if isinstance(one, Mapping):
                    labelled = cast("Mapping[object, object]", one)
                    tables[_label(labelled, number)] = labelled
            _flatten(tables, key, found)


def _label(table: Mapping[object, object], number: int) -> str:
    naming = next((table[name] for name in _NAMING if name in table), number)
    if isinstance(naming, list) and len(cast("list[object]", naming)) == 1:
        naming = cast("list[object]", naming)[0]
    return json.dumps(naming, default=str)


def _table(value: object) -> Mapping[str, object] | None:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else None


def _yaml(text: str) -> Mapping[str, object] | None:
    import yaml  # noqa: PLC0415 - few have such a file

    try:
        return _table(yaml.safe_load(text))
    except yaml.YAMLError:
        return None


def _yaml_documents(text: str) -> Mapping[str, object] | None:
    """The documents of a text, each by its number."""
    import yaml  # noqa: PLC0415 - few have such a file

    try:
        return {str(number): one for number, one in enumerate(yaml.safe_load_all(text))}
    except yaml.YAMLError:
        return None


def _ini(text: str) -> Mapping[str, object]:
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=", ":"))
    parser.optionxform = str  # pyright: ignore[reportAttributeAccessIssue] - as its reference says
    parser.read_string(text)
    return {
        section: {
            name: _TRUTH.get(value.lower(), value)
            for name, value in parser.items(section, raw=True)
        }
        for section in parser.sections()
    }
