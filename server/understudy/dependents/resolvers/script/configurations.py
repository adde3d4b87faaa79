"""The compiler's configurations (`tsconfig.json`), with all that they extend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase

from understudy.dependents.resolvers.model import FolderTree
from understudy.dependents.resolvers.script.packages import Package
from understudy.dependents.resolvers.script.paths import (
    Pattern,
    folders_above,
    inside,
    items,
    joined,
    leaves,
    mapping,
    package_and_rest,
    strings,
)
from understudy.values.frozen import frozen
from understudy.values.json_input import loads_with_comments

NAMES = ("tsconfig*.json", "jsconfig*.json", "*.tsconfig.json")
"""Patterns of the names by which configurations are known without being extended."""

Named = Mapping[str, tuple[Package, ...]]
"""The packages of a tree by their names."""

_HERE = "${configDir}"
_MAX_DEPTH = 16
_RUNTIME_MODES = ("react-jsx", "react-jsxdev")
_BY_PACKAGE = ("node16", "node18", "node20", "nodenext")


@frozen(slots=True)
class Configuration:
    """What one configuration says of resolution; all paths from the root of the tree."""

    patterns: tuple[Pattern, ...] = ()
    root_dirs: tuple[str, ...] = ()
    type_roots: tuple[str, ...] = ()
    module_suffixes: tuple[str, ...] = ()
    jsx_source: str = ""
    outputs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Folders of outputs, and where their sources may lie."""
    detection: str = ""
    by_package: bool = False
    """Whether the `type` of a package decides what is a module."""


def read(tree: FolderTree, packages: Named) -> tuple[Configuration, ...]:
    """Every configuration of the tree that has a known name, or that one of those refers to."""
    reader = _Reader(tree, packages)
    found: list[Configuration] = []
    for path in reader.all():
        raw = reader.raw(path)
        if not ("references" in raw and raw.get("files") == [] and "compilerOptions" not in raw):
            found.append(_configuration(path, reader.options(path)))
    return tuple(dict.fromkeys(found))


def needed(tree: FolderTree, packages: Named) -> frozenset[str]:
    """Files that a configuration extends or refers to, and whose text is not there yet."""
    reader = _Reader(tree, packages)
    paths = dict.fromkeys(reader.all())
    for path in paths:
        list(reader.chain(path))
    return frozenset(reader.missing)


_Options = dict[str, tuple[str, object]]
"""Name -> the folder of the file that says it, and what it says."""


class _Reader:
    def __init__(self, tree: FolderTree, packages: Named) -> None:
        self._tree, self._packages = tree, packages
        self._raw: dict[str, dict[str, object]] = {}
        self.missing: set[str] = set()

    def all(self) -> list[str]:
        """The configurations that may be used for a project, in a steady order."""
        pending = sorted(path for path in self._tree.texts if is_configuration(path))
        found: dict[str, None] = {}
        while pending:
            path = pending.pop()
            if path in found:
                continue
            found[path] = None
            folder = path.rpartition("/")[0]
            for entry in items(self.raw(path).get("references")):
                for target in inside(folder, strings(mapping(entry).get("path"))):
                    bare = target.strip("/")
                    file = f"{bare}/tsconfig.json".lstrip("/")
                    pending += self._present((bare, file))
        return sorted(found)

    def raw(self, path: str) -> dict[str, object]:
        """What a file says; nothing where that cannot be read."""
        if path not in self._raw:
            text = self._tree.texts.get(path, b"").decode("utf-8-sig", "replace")
            try:
                self._raw[path] = mapping(loads_with_comments(text))
            except ValueError:
                self._raw[path] = {}
        return self._raw[path]

    def options(self, path: str) -> _Options:
        """The options that hold for a configuration, each from the last file that says it."""
        found: _Options = {}
        for one in self.chain(path):
            folder = one.rpartition("/")[0]
            options = mapping(self.raw(one).get("compilerOptions"))
            found |= {name: (folder, value) for name, value in options.items()}
        return found

    def chain(self, path: str, below: tuple[str, ...] = ()) -> Iterator[str]:
        """What a configuration extends, the furthest first, and itself; circles are cut."""
        if path in below or len(below) > _MAX_DEPTH:
            return
        for name in strings(self.raw(path).get("extends")):
            for base in self._bases(path, name):
                yield from self.chain(base, (*below, path))
        yield path

    def _bases(self, path: str, name: str) -> list[str]:
        folder = path.rpartition("/")[0]
        if name.startswith((".", "/")):
            places = inside(folder, (name, f"{name}.json"))
            return self._present(place.strip("/") for place in places)
        package, rest = package_and_rest(name)
        roots = [f"{above}/node_modules/{package}".lstrip("/") for above in folders_above(path)]
        roots += [one.folder for one in self._packages.get(package, ())]
        ends = (rest, f"{rest}.json", f"{rest}/tsconfig.json") if rest else ("tsconfig.json",)
        places = [place for root in roots for place in inside(root, ends)]
        for one in self._packages.get(package, ()):
            places += [*one.exported(rest), *inside(one.folder, strings(one.tsconfig))]
        return self._present(place.strip("/") for place in places)

    def _present(self, paths: Iterator[str] | tuple[str, ...]) -> list[str]:
        files = [path for path in dict.fromkeys(paths) if path in self._tree.files]
        self.missing.update(path for path in files if path not in self._tree.texts)
        return [path for path in files if path in self._tree.texts]


def is_configuration(path: str) -> bool:
    """Whether a file has the name of a configuration."""
    name = path.rpartition("/")[2]
    return any(fnmatchcase(name, pattern) for pattern in NAMES)


def _configuration(path: str, options: _Options) -> Configuration:
    here = path.rpartition("/")[0]

    def places(name: str) -> tuple[str, ...]:
        folder, value = options.get(name, ("", None))
        return _places(here, folder, strings(value))

    def word(name: str) -> str:
        value = options.get(name, ("", None))[1]
        return value if isinstance(value, str) else ""

    roots = places("rootDir") or tuple(f"{here}/{sub}".strip("/") for sub in ("", "src"))
    outputs = tuple((out, roots) for out in (*places("outDir"), *places("declarationDir")))
    source = word("jsxImportSource") or ("react" if word("jsx") in _RUNTIME_MODES else "")
    return Configuration(
        tuple(_patterns(here, options)),
        places("rootDirs"),
        places("typeRoots"),
        tuple(strings(options.get("moduleSuffixes", ("", []))[1])),
        source,
        outputs,
        word("moduleDetection").lower(),
        (word("moduleResolution") or word("module")).lower() in _BY_PACKAGE,
    )


def _patterns(here: str, options: _Options) -> Iterator[Pattern]:
    base = options.get("baseUrl")
    start = _places(here, base[0], strings(base[1])) if base is not None else ()
    folder, paths = options.get("paths", ("", None))
    for pattern, targets in mapping(paths).items():
        listed = list(leaves(targets))
        found = [place for place in listed if place.startswith(_HERE)]
        others = [place for place in listed if not place.startswith(_HERE)]
        # Before TypeScript 4.1 paths were from `baseUrl` alone.
        places = _places(here, start[0] if start else folder, others)
        yield pattern, (*_places(here, folder, found), *places)
    for place in start:
        yield "*", (f"{place}/*".lstrip("/"),)


def _places(here: str, folder: str, paths: list[str]) -> tuple[str, ...]:
    found: list[str | None] = []
    for path in paths:
        if path.startswith(_HERE):
            found.append(joined(here, f".{path.removeprefix(_HERE)}"))
        else:
            found.append(joined(folder, path))
    return tuple(place.strip("/") for place in found if place is not None)
