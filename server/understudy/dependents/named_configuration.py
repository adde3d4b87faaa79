"""The files that a configuration names: those that it extends, refers to, imports or reads.

Whatever may be meant is named, also what is not there yet: never one too few. The texts are other
people's: what may take long is told beforehand (`is_read_at_once`), and long ones are not read.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from os.path import expanduser, expandvars
from types import MappingProxyType
from typing import Literal, NamedTuple, cast

from understudy.dependents.families import family_of
from understudy.dependents.programs_reading import literals_read
from understudy.dependents.resolvers.script.paths import folders_above, package_and_rest
from understudy.syntax.nesting import is_deep
from understudy.values import toml
from understudy.values.globs import glob_fits
from understudy.values.json_input import loads_with_comments

LONGEST = 256 * 1024
"""Bytes of the longest text that is read; nobody writes a longer one by hand."""

_LONGEST_AT_ONCE, _LONGEST_SLOW, _MOST_DOTS = 16 * 1024, 2 * 1024, 200
"""YAML is read slowly, and of broken programs, or a dotted key of TOML, the time is quadratic."""

_MOST = 1000
"""Names that one text has at most: more are a list of something else."""

_LONGEST_NAME = 1024
_IN_NO_NAME = ("\0", "\n", "*", "://")
_DATA = (
    *(".json", ".jsonc", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf", ".txt"),
    *(".ignore", ".gitignore", ".list", ".properties", ".env"),
)
_PROGRAMS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_COMPILED = {".js": (".ts", ".tsx"), ".mjs": (".mts",), ".cjs": (".cts",), ".jsx": (".tsx",)}
"""How a module is written that others name as what it becomes."""

_WITHIN = ("/package.json", *(f"/index{end}" for end in _PROGRAMS))
_QUOTES = re.compile("[\"'`\n]")
_EXTENDS = re.compile(
    r"\bextends[\"']?\s{0,9}[:(]\s{0,9}(\[[^\]]{0,4096}\]|[\"'`][^\"'`\n]{0,1024}[\"'`])"
)
"""What a program of configuration gives as what it extends, or has a compatible one read."""

Extends = Mapping[str, tuple[str, ...]]
"""Glob of a file -> the dotted keys in it that name files; the first glob that fits decides."""

USUAL: Extends = MappingProxyType({"*": ("extends", "extend")})
"""What tools call it of which nothing else is known."""

_CALLS = frozenset(("require", "dynamic"))
_REFERENCE = "path"
"""The last part of a key that names a project: a folder, or its configuration."""


class Name(NamedTuple):
    """What stands in a configuration for a file.

    `module`: a program imports it. `read`: a program may open it by that name, from its own folder
    or from where it runs. `file`: data names it, as a file or in a package. `project`: the same,
    but a folder stands for its `tsconfig.json`.
    """

    text: str
    how: Literal["module", "read", "file", "project"]


def may_name(path: str, text: bytes, extends: Extends) -> bool:
    """Whether it is worth reading: most files of configuration name no other."""
    if is_program(path) or rb"\u" in text:  # a key may be written so
        return True
    return any(key.rpartition(".")[2].encode() in text for key in _keys(path, extends))


def is_read_at_once(path: str, text: bytes) -> bool:
    """Whether `names_in` takes some hundredths of a second at most, whatever the text says."""
    is_quick = path.endswith((".json", ".jsonc", ".toml"))
    if len(text) > (_LONGEST_AT_ONCE if is_quick else _LONGEST_SLOW) or is_deep(text):
        return False
    return max(line.count(b".") for line in text.split(b"\n")) < _MOST_DOTS


def names_in(path: str, text: bytes, extends: Extends) -> tuple[Name, ...] | None:
    """What stands in a configuration as the name of another file; None: it may be any."""
    if len(text) > LONGEST or is_deep(text):
        return None
    if is_program(path):
        found = _named_by_program(path, text)
    else:
        content = text.decode("utf-8-sig", "replace")
        found = _named_by_data(path, content, _keys(path, extends))
    if found is None:
        return None
    names = tuple(dict.fromkeys(name for name in found if _is_name(name.text)))
    return names if len(names) <= _MOST else None


def places(importer: str, name: Name) -> Iterator[tuple[str, ...]]:
    """The root-relative paths that a name may mean where it stands; `..` is above the root.

    They come in groups: where one of a group is there, later ones are not looked for. Of a package
    the folders above the root come last, as `../node_modules/...`, without end.
    """
    folder = posixpath.dirname(importer)
    text = name.text
    if name.how == "read":
        yield _joined(folder, text), *(_joined(one, text.lstrip("/")) for one in (folder, ""))
        return
    if text.startswith((".", "/")) or name.how != "module":
        yield tuple(_joined(folder, one) for one in _spellings(importer, name))
    if not text.startswith((".", "/")) and not importer.endswith(".toml"):
        for above in _folders_from(folder):
            yield _of_package(f"{above}node_modules/", importer, name)


def package_of(place: str) -> str:
    """The folder of the package in whose `node_modules` a place is, with its own name."""
    above, installed, below = place.rpartition("node_modules/")
    return above + installed + package_and_rest(below)[0]


def is_program(path: str) -> bool:
    """Whether a file of configuration is a program, whose imports count."""
    return family_of(path) == "script"


def _keys(path: str, extends: Extends) -> tuple[str, ...]:
    return next((keys for glob, keys in extends.items() if glob_fits(glob, path)), ())


def _named_by_program(path: str, text: bytes) -> list[Name] | None:
    """What a program imports, and the data whose names stand in it."""
    from understudy.dependents.readers import imports_of  # noqa: PLC0415 - it loads parsers

    imports, content = imports_of(path, text), text.decode("utf-8", "replace")
    if imports is None:
        return None
    if any(not one.target and one.kind in _CALLS for one in imports.imports):
        return None  # only a run tells
    targets = [one.target for one in imports.imports]
    found = [Name(one, "module") for one in targets if one and not one.startswith("node:")]
    pieces = dict.fromkeys(_QUOTES.split(content))
    found += (Name(one, "module") for one in pieces if one.startswith(("./", "../")))
    found += (Name(one, "read") for one in pieces if one.endswith(_DATA))
    found += (Name(one, "read") for one in literals_read(content))
    for given in _EXTENDS.findall(content):
        found += (Name(one, "file") for one in _QUOTES.split(given)[1::2])
    return found


def _named_by_data(path: str, text: str, keys: Iterable[str]) -> list[Name] | None:
    try:
        table = _parsed(path, text)
    except ValueError:
        return _half_written(path, text, {key.rpartition(".")[2] for key in keys})
    found: list[Name] = []
    try:
        for key in keys:
            parts = key.split(".")
            found += (_named(parts[-1], one) for one in _at(table, parts, set()))
    except RecursionError:
        return None
    return found


def _parsed(path: str, text: str) -> object:
    """What a file holds, by its name, else by how it begins; raises ValueError."""
    if path.endswith(".toml"):
        return toml.loads(text.replace("\r\n", "\n"))
    is_json = path.endswith((".json", ".jsonc"))
    if is_json or text.lstrip().startswith(("{", "/")):
        with suppress(*() if is_json else (ValueError,)):
            return loads_with_comments(text)
    elif not path.endswith((".yml", ".yaml")):
        with suppress(ValueError):
            return toml.loads(text.replace("\r\n", "\n"))
    return _yaml(text)


def _yaml(text: str) -> object:
    import yaml  # noqa: PLC0415 - few have such a file

    try:
        # Every scalar is a text: what YAML makes of some fails in ways of its own.
        return yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 - it makes nothing but texts
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(str(error)) from error


def _half_written(path: str, text: str, keys: set[str]) -> list[Name]:
    """The names behind such keys in a text that is no longer, or not yet, in order."""
    from understudy.syntax.data import imports  # noqa: PLC0415 - it loads parsers

    name = path if path.endswith(imports.SUFFIXES) else f"{path}.json"
    read = imports.read(name, text.encode("utf-8", "replace"))
    return [_named(one.kind, one.target) for one in read.imports if one.kind in keys]


def _named(key: str, text: str) -> Name:
    return Name(text, "project" if key == _REFERENCE else "file")


def _at(value: object, keys: list[str], seen: set[tuple[int, int]]) -> Iterator[str]:
    """The texts at a path of keys, and in all below; each element of a list counts.

    A list or table of YAML may stand in many places, in itself, too: `seen` are those looked into.
    """
    if isinstance(value, str):
        if not keys:
            yield value
        return
    place = (id(value), len(keys))
    if not isinstance(value, list | Mapping) or place in seen:
        return
    seen.add(place)
    if isinstance(value, list):
        for one in cast("list[object]", value):
            yield from _at(one, keys, seen)
        return
    table = cast("Mapping[str, object]", value)
    if keys:
        yield from _at(table.get(keys[0]), keys[1:], seen)
    else:
        for one in table.values():
            yield from _at(one, keys, seen)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_NAME and not any(sign in name for sign in _IN_NO_NAME)


def _spellings(importer: str, name: Name) -> tuple[str, ...]:
    """What a name may stand for: nothing is added where it has an ending, or none ever is."""
    text = name.text
    if name.how == "module":
        stem, own = posixpath.splitext(text)
        if own in (*_PROGRAMS, *_COMPILED, ".json"):
            return (text, *(stem + one for one in _COMPILED.get(own, ())))
        ends = ("", ".json", *_PROGRAMS, *_WITHIN)
    elif importer.endswith(".toml"):
        return tuple(dict.fromkeys((text, expandvars(expanduser(text)))))  # noqa: PTH111 - a text
    elif text.endswith((*_DATA, *_PROGRAMS)):
        ends = ("",)
    elif name.how == "project":
        ends = ("", "/tsconfig.json")
    else:
        ends = ("", ".json", ".js", ".cjs", ".mjs", "/tsconfig.json", "/package.json", "/index.js")
    return tuple(text + end for end in ends)


def _joined(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))


def _folders_from(folder: str) -> Iterator[str]:
    """A folder and all above it, each with its `/`; those above the root never end."""
    is_above = folder.startswith("..")
    inside = () if is_above else folders_above(f"{folder}/x")
    yield from (f"{one}/" if one else "" for one in inside)
    above = f"{folder}/" if is_above else "../"
    while True:
        yield above
        above += "../"


def _of_package(above: str, importer: str, name: Name) -> tuple[str, ...]:
    package, rest = package_and_rest(name.text)
    if rest:
        own = _spellings(importer, name)
    else:
        own = f"{name.text}/index.js", f"{name.text}/tsconfig.json"
    places_in = (f"{package}/package.json", *own)
    return tuple(posixpath.normpath(above + one) for one in places_in)
