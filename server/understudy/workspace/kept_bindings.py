"""The bindings of a folder's last state, kept on disk so that a new process need not read it all.

A file's part holds as long as its fingerprint does. What a process needs of it is taken apart when
it is asked for: most questions look at a few files.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, Generic, TypeVar

from understudy.dependents.bindings import LinkedFile, LinkedFiles
from understudy.dependents.resolvers.model import Edge
from understudy.disk.kept_file import read_kept, write_kept
from understudy.shadow.folder import Fingerprint
from understudy.syntax.model import Binding, FileImports, Import
from understudy.values.frozen import frozen
from understudy.values.stamps import stamp_of
from understudy.values.version import __version__

T = TypeVar("T")

SCHEMA = 1
"""Of what is written below; a file with another number is made anew."""

UNSETTLED = Fingerprint(-1, -1, -1, -1)
"""Of a file that may have changed while it was read: no file is ever like it."""

_TABLES = ("imports", "linked", "importers")


@frozen
class KeptBindings:
    """One state of a folder: `marks` are the fingerprints of its files as they were read.

    `configuration` are the paths whose texts decided where imports lead, `others` and `unreadable`
    as in `FolderBindings`.
    """

    marks: Mapping[str, Fingerprint]
    others: Mapping[str, str]
    configuration: Sequence[str]
    unreadable: frozenset[str]
    files: LinkedFiles


def read_bindings(file: Path) -> KeptBindings | None:
    """What is kept there, if this version of ours wrote it."""
    body = read_kept(file, _maker())
    if body is None:
        return None
    length = int.from_bytes(body[:8], "big")
    return _decoded(json.loads(bytes(body[8 : 8 + length])), body[8 + length :])


def write_bindings(file: Path, state: KeptBindings) -> bool:
    """Replace what is kept there; says whether that could be done."""
    return write_kept(file, _maker(), _encoded(state))


@cache
def _maker() -> bytes:
    """Names all that decides what is written: the schema, our readers, and the grammars.

    By the states of their files: what an upgrade puts in their place has another inode or time.
    """
    parts = [str(SCHEMA), __version__, sys.version]
    for package in ("understudy.syntax", "understudy.dependents", "tree_sitter_language_pack"):
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
            parts += _states_below(folder)
    return stamp_of(parts).encode()


def _states_below(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    yield from _states_below(entry.path)
            else:
                state = entry.stat()
                yield f"{entry.path} {state.st_size} {state.st_mtime_ns} {state.st_ino}"


class _Table(Mapping[str, T], Generic[T]):
    """Values by path, each decoded when it is asked for."""

    def __init__(
        self, places: Mapping[str, tuple[int, int]], data: memoryview, decode: Callable[[Any], T]
    ) -> None:
        self._places, self._data, self._decode = places, data, decode
        self._found: dict[str, T] = {}

    def __getitem__(self, path: str) -> T:
        found = self._found.get(path)
        if found is None:
            start, end = self._places[path]
            found = self._found[path] = self._decode(json.loads(bytes(self._data[start:end])))
        return found

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _encoded(state: KeptBindings) -> bytes:
    files = state.files
    paths = list(dict.fromkeys((*state.marks, *files.imports, *files.importers)))
    number = {path: at for at, path in enumerate(paths)}
    marks = [state.marks.get(path, UNSETTLED) for path in paths]
    header: dict[str, Any] = {
        "paths": paths,
        "marks": [
            list(column)
            for column in zip(
                *((mark.mtime_ns, mark.size, mark.inode, mark.changed_ns) for mark in marks),
                strict=True,
            )
        ],
        "listed": [number[path] for path in state.marks],
        "others": dict(state.others),
        "configuration": list(state.configuration),
        "unreadable": sorted(state.unreadable),
        "scopes": {scope: list(of) for scope, of in files.scopes.items()},
        "protocols": list(files.protocols),
    }
    tables: tuple[Mapping[str, object], ...] = (
        {path: _plain_imports(one) for path, one in files.imports.items()},
        {path: _plain_linked(one, number) for path, one in files.linked.items()},
        {
            path: [[number[importer], took] for importer, took in one.items()]
            for path, one in files.importers.items()
        },
    )
    parts: list[bytes] = []
    for name, table in zip(_TABLES, tables, strict=True):
        blobs = [_dumped(value) for value in table.values()]
        header[name] = [[number[path] for path in table], [len(blob) for blob in blobs]]
        parts += blobs
    head = _dumped(header)
    return b"".join((len(head).to_bytes(8, "big"), head, *parts))


def _decoded(header: dict[str, Any], data: memoryview) -> KeptBindings:
    paths: list[str] = header["paths"]
    marks: list[Fingerprint] = list(map(Fingerprint, *header["marks"])) if paths else []
    listed: list[int] = header["listed"]
    places: list[Mapping[str, tuple[int, int]]] = []
    end = 0
    for name in _TABLES:
        of: list[int] = header[name][0]
        ends = list(accumulate(header[name][1], initial=end))
        end = ends[-1]
        places.append(dict(zip((paths[at] for at in of), pairwise(ends), strict=True)))
    imports, linked, importers = places
    return KeptBindings(
        {paths[at]: marks[at] for at in listed},
        header["others"],
        header["configuration"],
        frozenset(header["unreadable"]),
        LinkedFiles(
            _Table(imports, data, _imports),
            _Table(linked, data, lambda plain: _linked(plain, paths)),
            _Table(importers, data, lambda plain: _importers(plain, paths)),
            header["scopes"],
            header["protocols"],
        ),
    )


def _dumped(plain: object) -> bytes:
    return json.dumps(plain, separators=(",", ":")).encode()


def _plain_imports(one: FileImports) -> object:
    return [[[i.target, i.kind, i.bindings] for i in one.imports], one.scope, one.condition]


def _imports(plain: Any) -> FileImports:  # noqa: ANN401 - as it was written above
    imports, scope, condition = plain
    return FileImports(
        tuple(Import(target, kind, _bindings(took)) for target, kind, took in imports),
        scope,
        condition,
    )


def _plain_linked(one: LinkedFile, number: Mapping[str, int]) -> object:
    edges = [[number[target], binding] for target, binding in one.edges]
    return [edges, sorted(one.keys), one.scope, one.has_protocols]


def _linked(plain: Any, paths: list[str]) -> LinkedFile:  # noqa: ANN401 - as above
    edges, keys, scope, has_protocols = plain
    return LinkedFile(
        tuple(Edge(paths[at], Binding(*binding)) for at, binding in edges),
        frozenset(keys),
        scope,
        has_protocols,
    )


def _importers(plain: Any, paths: list[str]) -> Mapping[str, Sequence[Binding]]:  # noqa: ANN401
    return {paths[at]: _bindings(took) for at, took in plain}


def _bindings(plain: Iterable[Iterable[str]]) -> tuple[Binding, ...]:
    return tuple(Binding(*binding) for binding in plain)
