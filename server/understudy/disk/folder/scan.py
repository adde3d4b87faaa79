"""The user's folder as we see it: a fast walk for fingerprints, and reads of regular files only.

Nothing here writes. A file is told apart by its fingerprint, so that an unchanged one is not read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from fnmatch import translate
from pathlib import Path

from understudy.shadow.folder import Fingerprint
from understudy.shadow.links import NO_LINKS, Links
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.own_folders import is_own, leads_to_own, own_folders
from understudy.values.paths import Root
from understudy.values.stamps import stamp_of
from understudy.values.texts import MAX_TEXT_BYTES

PRUNED = frozenset(
    {
        # version control
        ".git", ".hg", ".jj", ".svn",
        # installed packages: their state goes into the environment's stamp instead
        ".venv", "venv", "node_modules", "site-packages", ".pixi", ".yarn",
        # caches of tools
        "__pycache__", ".cache", ".eggs", ".hypothesis", ".ipynb_checkpoints", ".mypy_cache",
        ".next", ".nox", ".nuxt", ".parcel-cache", ".pytest_cache", ".ruff_cache", ".svelte-kit",
        ".terraform", ".tox", ".turbo",
    }
)  # fmt: skip
"""Names of folders that a scan does not enter. `build`, `dist` and `out` are entered: they are
source folders somewhere, and a name alone must not hide a user's file. A folder with a
`pyvenv.cfg` is an environment under any name."""


@frozen
class Scan:
    """The folder at one moment: fingerprints by path, the environment's stamp, and what is missing.

    `unreadable` are folders that could not be listed, `links` symbolic links to folders, which are
    not followed (inside the root their files stand under their real path). `inside` says where
    the links lead that stay in the root, those to files as well.
    """

    files: Mapping[str, Fingerprint]
    environment: str
    unreadable: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    inside: Links = NO_LINKS


class Selection:
    """Which files a scan lists: by patterns on their names, as `*.py` or `tsconfig.json`."""

    def __init__(self, patterns: Iterable[str]) -> None:
        names: set[str] = set()
        suffixes: list[str] = []
        others: list[str] = []
        for pattern in sorted(set(patterns)):
            rest = pattern[1:] if pattern.startswith("*.") else pattern
            if any(char in rest for char in "*?["):
                others.append(pattern)
            elif rest is pattern:
                names.add(pattern)
            else:
                suffixes.append(rest)
        self._names = names
        self._suffixes = tuple(suffixes)
        self._other = re.compile("|".join(translate(other) for other in others) or r"(?!)")

    def takes(self, name: str) -> bool:
        """Whether a scan lists files of this name."""
        return name in self._names or name.endswith(self._suffixes) or bool(self._other.match(name))

    def covers(self, path: str) -> bool:
        """Whether a scan would list a file at this path, if it were there."""
        *folders, name = path.split("/")
        return self.takes(name) and PRUNED.isdisjoint(folders)


class FolderReader:
    """Reads regular files under a root; anything else (a pipe, a device) is no file to us."""

    def __init__(self, root: Root) -> None:
        # Joined as text: for thousands of small files a Path costs as much as the reading.
        self._prefix = f"{root.path}{os.sep}"

    def read(self, path: str) -> bytes | None:
        """The file's bytes, None if there is no regular file.

        Raises BadInput: `too-large` (without reading it), `unreadable`.
        """
        absolute = self._prefix + path
        if self.fingerprint(path) is None or leads_to_own(absolute):
            return None
        # A pipe that takes the file's place just now must not make us wait for its writer.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(absolute, flags)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput("unreadable", f"cannot read the file: {error.strerror}", path) from error
        with os.fdopen(descriptor, "rb") as stream:
            state = os.fstat(descriptor)
            if not stat.S_ISREG(state.st_mode):
                return None
            if state.st_size > MAX_TEXT_BYTES:
                raise BadInput(
                    "too-large", f"{state.st_size} bytes, the limit is {MAX_TEXT_BYTES}", path
                )
            try:
                return stream.read(MAX_TEXT_BYTES + 1)
            except OSError as error:
                raise BadInput(
                    "unreadable", f"cannot read the file: {error.strerror}", path
                ) from error

    def fingerprint(self, path: str) -> Fingerprint | None:
        """The file's fingerprint now, None if there is no regular file."""
        try:
            state = os.stat(self._prefix + path)  # noqa: PTH116 - see above
        except (OSError, ValueError):
            return None
        return _fingerprint(state)


def scan(root: Root, selection: Selection, installed: Iterable[Path] = ()) -> Scan:
    """Walk the root; `installed` are folders outside it whose change is the environment's.

    Raises BadInput `unreadable-root` when the root itself cannot be listed.
    """
    walk = _Walk(selection, str(root.path))
    waiting = [(str(root.path), "")]
    while waiting:
        folder, prefix = waiting.pop()
        waiting += walk.enter(folder, prefix)
    if "." in walk.unreadable:
        raise BadInput("unreadable-root", "the folder cannot be listed", str(root.path))
    environment = [*walk.environment, *_marks(str(folder) for folder in installed)]
    return Scan(
        walk.files,
        stamp_of(sorted(environment)),
        tuple(sorted(walk.unreadable)),
        tuple(sorted(walk.links)),
        Links(walk.inside) if walk.inside else NO_LINKS,
    )


class _Walk:
    """What has been found so far."""

    def __init__(self, selection: Selection, root: str) -> None:
        self._takes = selection.takes
        self._root = root
        self._own = frozenset(own_folders())
        self.files: dict[str, Fingerprint] = {}
        self.environment: list[str] = []
        self.unreadable: list[str] = []
        self.links: list[str] = []
        self.inside: dict[str, str] = {}

    def enter(self, folder: str, prefix: str) -> list[tuple[str, str]]:
        """List one folder; returns the folders in it that are to be entered next."""
        deeper: list[tuple[str, str]] = []
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    name = entry.name
                    if name in PRUNED or name.endswith(".egg-info"):
                        self.environment += _package_marks(name, entry.path)
                    elif entry.is_dir(follow_symlinks=False):
                        if entry.path not in self._own:
                            deeper.append((entry.path, f"{prefix}{name}/"))
                    elif name == "pyvenv.cfg" and prefix:
                        self._forget(prefix)
                        self.environment += _package_marks("venv", folder)
                        return []
                    elif entry.is_symlink():
                        self._list_link(entry, prefix + name)
                    elif self._takes(name):
                        self._list(entry, prefix + name)
        except OSError:
            self.unreadable.append(prefix.rstrip("/") or ".")
        return deeper

    def _list(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            mark = _fingerprint(entry.stat(follow_symlinks=False))
        except OSError:
            return  # gone since the listing
        if mark is not None:
            self.files[path] = mark

    def _list_link(self, entry: os.DirEntry[str], path: str) -> None:
        try:
            state = entry.stat()
        except OSError:
            return  # a link to nothing: there is no such file
        mark = _fingerprint(state)
        if mark is None:
            if stat.S_ISDIR(state.st_mode):
                self.links.append(path)
                self._follow(entry.path, path)
        elif self._takes(entry.name) and not leads_to_own(entry.path):
            self.files[path] = mark
            self._follow(entry.path, path)

    def _follow(self, absolute: str, path: str) -> None:
        """Note where a link leads, if a scan lists what is there."""
        real = os.path.realpath(absolute)
        if real == self._root:
            self.inside[path] = ""
        elif real.startswith(f"{self._root}{os.sep}") and not is_own(real):
            parts = real[len(self._root) + 1 :].replace(os.sep, "/").split("/")
            if PRUNED.isdisjoint(parts):
                self.inside[path] = "/".join(parts)

    def _forget(self, prefix: str) -> None:
        for known in (self.files, self.inside):
            for path in [path for path in known if path.startswith(prefix)]:
                del known[path]


def _fingerprint(state: os.stat_result) -> Fingerprint | None:
    if not stat.S_ISREG(state.st_mode):
        return None
    changed = 0 if os.name == "nt" else state.st_ctime_ns  # the time of creation there
    return Fingerprint(state.st_mtime_ns, state.st_size, state.st_ino, changed)


def _package_marks(name: str, folder: str) -> Iterator[str]:
    """Times that an install changes: of the folder, of the lists kept in it, of site-packages."""
    if name == "node_modules":
        lists = (".package-lock.json", ".yarn-integrity", ".modules.yaml", "@types")
        yield from _marks([folder, *(f"{folder}/{entry}" for entry in lists)])
    elif "venv" in name or name.endswith(("site-packages", ".egg-info")):
        yield from _marks([folder, f"{folder}/pyvenv.cfg", f"{folder}/Lib/site-packages"])
        yield from _marks(str(path) for path in Path(folder).glob("lib/python*/site-packages"))


def _marks(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        with suppress(OSError):  # not every package manager keeps each of these
            yield f"{path} {Path(path).stat().st_mtime_ns}"
