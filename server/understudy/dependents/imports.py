"""What one file imports, by its language; over-approximated, never under."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from understudy.dependents import (
    go_imports,
    json_schemas,
    native_includes,
    onlookers,
    python_imports,
    script_imports,
)


@dataclass(frozen=True, slots=True)
class Imports:
    """A file's import targets.

    `paths` are root-relative paths without their extension (or folders), exact; `names` are
    absolute module names as segments, to be matched against the ends of paths. `ambient` says
    that the file's declarations are seen without any import. `mentions` are the names in the code
    of an onlooker (`onlookers.py`).
    """

    paths: frozenset[str] = frozenset()
    names: frozenset[tuple[str, ...]] = frozenset()
    ambient: bool = False
    mentions: frozenset[str] = frozenset()

    def keys(self) -> Iterable[str]:
        """The last segment of every target: how the index finds candidates quickly."""
        for path in self.paths:
            yield path.rpartition("/")[2]
        for name in self.names:
            yield name[-1]


NOTHING = Imports()

_FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "python": python_imports.SUFFIXES,
        "script": script_imports.SUFFIXES,
        "native": native_includes.SUFFIXES,
        "go": go_imports.SUFFIXES,
        "json": json_schemas.SUFFIXES,
    }
)


def imports_of(path: str, content: str, aliases: Mapping[str, tuple[str, ...]]) -> Imports:
    """Read the imports of a file; a language that we do not know has none.

    `aliases` are the names that lead into the folder (`packages.aliases_in`).
    """
    kind = onlookers.kind_of(path)
    if kind is not None:
        code = kind.code(content)
        like = f"{path}{_FAMILIES[kind.families[0]][-1]}"
        found = imports_of(like, code, aliases)
        return replace(found, ambient=False, mentions=onlookers.names_in(code))
    ambient = False
    if path.endswith(python_imports.SUFFIXES):
        paths, names, ambient = python_imports.read(path, content)
    elif path.endswith(script_imports.SUFFIXES):
        paths, names, ambient = script_imports.read(path, content, aliases)
    elif path.endswith(native_includes.SUFFIXES):
        paths, names = native_includes.read(path, content)
    elif path.endswith(go_imports.SUFFIXES):
        paths, names = go_imports.read(path, content, aliases)
    elif path.endswith((*json_schemas.SUFFIXES, json_schemas.TOML)):
        return Imports(frozenset(json_schemas.read(path, content)))
    else:
        return NOTHING
    return Imports(frozenset("" if p == "." else p for p in paths), frozenset(names), ambient)


def family_of(path: str) -> str | None:
    """The kind of files that can import one another: this one's; None where we know of none."""
    return next((name for name, suffixes in _FAMILIES.items() if path.endswith(suffixes)), None)


def target_keys(path: str) -> tuple[str, ...]:
    """The last segments by which a file at `path` can be imported."""
    return tuple(dict.fromkeys(stem.rpartition("/")[2] for stem in _stems(path)))


def imports_target(importer: str, imports: Imports, target: str, packages: Container[str]) -> bool:
    """Whether `importer` may mean the file `target` with one of its imports.

    `packages` are the folders with an `__init__`: an absolute name does not reach into one from
    its middle, unless from a file inside it, for which checkers walk up folder by folder.
    """
    if target in imports.paths:
        return True
    packaged = packages if target.endswith(python_imports.SUFFIXES) else ()
    inside = f"{importer.rpartition('/')[0]}/"
    for candidate in _stems(target):
        if candidate in imports.paths:
            return True
        segments = tuple(candidate.split("/"))
        for wanted in imports.names:
            if segments[-len(wanted) :] != wanted:
                continue
            start = "/".join(segments[: -len(wanted)])
            if not start or start not in packaged or inside.startswith(f"{start}/"):
                return True
    return False


def _stems(path: str) -> list[str]:
    """The ways to spell a file: without its extension, by its folder, without `-stubs`."""
    if path.endswith(go_imports.SUFFIXES):
        return [path.rpartition("/")[0]]
    stem = stem_of(path)
    folder, _, name = stem.rpartition("/")
    stems = [stem, folder] if is_index(name) else [stem]
    if path.endswith(".pyi") and "-stubs/" in path:
        stems += [f"{stem}/".replace("-stubs/", "/").rstrip("/") for stem in stems]
    return stems


def stem_of(path: str) -> str:
    """The path without the extension that an import leaves out."""
    for suffix in (*script_imports.SUFFIXES, *python_imports.SUFFIXES):
        if path.endswith(suffix):
            return path[: -len(suffix)]
    return path


def is_index(name: str) -> bool:
    """Whether a file of this stem is imported by its folder's name."""
    return name in ("__init__", "index")
