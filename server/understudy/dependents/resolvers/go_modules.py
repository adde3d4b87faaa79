"""Which folders an import path of Go may lead to: modules, replacements, vendored packages."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from understudy.dependents.resolvers.model import FolderTree

MODULE_FILES: Final = ("go.mod", "go.work", "modules.txt")
"""Names of the files that say what leads where; `modules.txt` lies in a `vendor` folder."""

_STANDARD: Final = "std"
"""The module of the standard library itself: the paths in it do not begin with its name."""

_MAX_LEADS: Final = 8
"""How often one path leads to another before it is taken for a circle."""


class _Lead(NamedTuple):
    """A path and all below it, and the folder or the other path they stand for."""

    path: str
    place: str
    is_folder: bool


class GoFolders:
    """The folders of one tree that an import path may mean.

    Every module of the tree counts for every file: which of them a build takes, only its
    environment says (workspaces, `-mod`, `-modfile`).
    """

    def __init__(self, tree: FolderTree) -> None:
        self._leads = list(_leads(tree.texts))
        self._vendors = [folder for folder in tree.by_folder if f"/{folder}".endswith("/vendor")]
        self._by_last: dict[str, list[str]] = {}
        for folder in tree.by_folder:
            self._by_last.setdefault(folder.rpartition("/")[2], []).append(folder)
        self._has_modules = any(lead.is_folder for lead in self._leads)

    def of(self, path: str, importer: str) -> set[str]:
        """The folders, there or not, in which the files of a package may lie."""
        folder = importer.rpartition("/")[0]
        if path.startswith(("./", "../")) or path in (".", ".."):
            return set(_inside(posixpath.join(folder, path)))
        found = set(self._led(path, _MAX_LEADS))
        inside = f"{folder}/" if folder else ""
        for vendor in self._vendors:
            if inside.startswith(vendor[: -len("vendor")]):
                found.add(f"{vendor}/{path}")
        # The standard library's have no dot; where there is no module, a path ends as a folder's.
        if not found and (not self._has_modules or "." in path.partition("/")[0]):
            found.update(
                known
                for known in self._by_last.get(path.rpartition("/")[2], ())
                if f"/{known}".endswith(f"/{path}")
            )
        return found

    def _led(self, path: str, n_more: int) -> Iterator[str]:
        for lead in self._leads if n_more else ():
            if not lead.path:
                below = path
            elif path == lead.path or path.startswith(f"{lead.path}/"):
                below = path[len(lead.path) + 1 :]
            else:
                continue
            place = posixpath.join(lead.place, below) if below else lead.place
            if lead.is_folder:
                yield from _inside(place)
            elif place != path:
                yield from self._led(place, n_more - 1)


def _inside(place: str) -> Iterator[str]:
    """The normal path of a folder, unless it lies outside of the tree."""
    normal = posixpath.normpath(place) if place else ""
    if not normal.startswith(("..", "/")):
        yield "" if normal == "." else normal


def _leads(texts: Mapping[str, bytes]) -> Iterator[_Lead]:
    for file, text in texts.items():
        folder, _, name = file.rpartition("/")
        if name == "modules.txt":
            if not f"/{folder}".endswith("/vendor"):
                continue
            folder = folder[: -len("/vendor")]
            lines = [[b"replace", *line.split()[1:]] for line in text.splitlines() if b"=>" in line]
            statements = [[word.decode("utf-8", "replace") for word in line] for line in lines]
        elif name in MODULE_FILES:
            statements = list(_statements(text.decode("utf-8", "replace")))
        else:
            continue
        for words in statements:
            if words[0] == "module" and len(words) > 1:
                path = "" if words[1] == _STANDARD else words[1]
                yield _Lead(path, folder, is_folder=True)
            elif words[0] == "replace" and "=>" in words[2:-1]:
                place = words[words.index("=>") + 1]
                is_local = place.startswith(("./", "../")) or place in (".", "..")
                yield _Lead(
                    words[1], posixpath.join(folder, place) if is_local else place, is_local
                )


_MOD_TOKEN: Final = re.compile(r"//.*|\"(?:[^\"\\]|\\.)*\"?|`[^`]*`?|[()]|=>|[^\s()\"`]+")
"""The lexical elements of `go.mod` (Go Modules Reference), line by line."""


def _statements(text: str) -> Iterator[list[str]]:
    """The directives of a `go.mod` or `go.work`, those in blocks with the word of their block."""
    block = ""
    for line in text.splitlines():
        words = list(_words(_MOD_TOKEN.findall(line)))
        if block:
            if words[:1] == [")"]:
                block = ""
            elif words:
                yield [block, *words]
        elif words[1:2] == ["("]:
            block = words[0]
            inner = words[2:]
            if inner[-1:] == [")"]:
                block, inner = "", inner[:-1]
            if inner:
                yield [words[0], *inner]
        elif words:
            yield words


def _words(tokens: Iterable[str]) -> Iterator[str]:
    for token in tokens:
        if token.startswith("//"):
            return
        if token[0] in '"`':
            yield token[1:].removesuffix(token[0])
        else:
            yield token
