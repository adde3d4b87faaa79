"""What commands changed, read from the layer that took their writes and compared by content.

overlayfs marks a deletion with a character device 0:0 and a replaced folder with an attribute;
it also copies files up that were only touched, so that only contents tell.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import BinaryIO

from understudy.stage.beneath import open_beneath
from understudy.stage.model import Changes, FileType, StageChange
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.texts import MAX_TEXT_BYTES

OPAQUE: Mapping[bool, str] = {False: "user.overlay.opaque", True: "trusted.overlay.opaque"}
"""Whether overlays keep their marks in `trusted.*` -> the attribute of a replaced folder."""
_CHUNK = 1 << 20
_MAX_DEPTH = 150
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@frozen(slots=True)
class Layer:
    """An overlay: descriptors of its upper and of the user's folder under it, where it is mounted.

    By the descriptor it is the same folder, also when the user has moved it, or made another.
    `prefix` is root-relative and ends with `/`, empty for the root itself. `opaque` is the
    attribute that marks a replaced folder; a command may set any other by that name's look.
    """

    upper: int
    lower: int
    prefix: str
    opaque: str


@frozen(slots=True)
class LayerEntry:
    """A file or a link: where its content can be read (or the content itself)."""

    type: FileType
    size: int
    executable: bool
    folder: int
    path: str
    data: bytes | None = None
    mark: tuple[int, ...] = ()


@dataclass
class Touched:
    """What a layer has: entries that stand in it, names that it hides, what no patch holds."""

    upper: int
    lower: int
    mark: str
    is_over: Callable[[], bool]
    enters: Callable[[str], bool] = lambda _: True
    """Which folders are looked into, by their path."""
    only: str | None = None
    """The one path that is of interest; None: all are."""
    present: dict[str, LayerEntry] = field(default_factory=lambda: {})
    hidden: set[str] = field(default_factory=set[str])
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def walk(self, path: str, *, has_lower: bool, opaque: bool) -> None:
        """Collect a folder of the upper; `has_lower`: the user has a folder there, too."""
        if path.count("/") > _MAX_DEPTH:
            self.skipped[path] = f"nested more than {_MAX_DEPTH} folders deep"
            return
        with _folder(self.upper, path) as upper:
            names = self._names(upper, path)
            opaque = opaque or _has_mark(upper, self.mark)
            for name in names:
                if self.is_over():
                    return
                with suppress(FileNotFoundError):  # a command that still runs has removed it
                    status = os.stat(name, dir_fd=upper, follow_symlinks=False)
                    self._look(_join(path, name), status, has_lower=has_lower, opaque=opaque)
        if opaque and has_lower:
            with suppress(OSError), _folder(self.lower, path) as lower:
                for name in set(self._names(lower, path)) - set(names):
                    self._hide(_join(path, name))

    def _look(self, path: str, status: os.stat_result, *, has_lower: bool, opaque: bool) -> None:
        below = _status(self.lower, path) if has_lower else None
        was_folder = below is not None and stat.S_ISDIR(below.st_mode)
        if stat.S_ISDIR(status.st_mode):
            if not self.enters(path):
                return
            if below is not None and not was_folder:
                self.hidden.add(path)
            self.walk(path, has_lower=was_folder, opaque=opaque)
            return
        if below is not None:
            self._hide(path)
        entry = _entry(self.upper, path, status)
        if entry is not None:
            self.present[path] = entry
        elif not _is_whiteout(status):
            self.skipped[path] = "neither a file nor a link"

    def _hide(self, path: str) -> None:
        """Note every file of the user's that is no longer seen."""
        status = _status(self.lower, path)
        if status is None or not stat.S_ISDIR(status.st_mode):
            self.hidden.add(path)
            return
        if not self.enters(path):
            return
        with suppress(OSError), _folder(self.lower, path) as folder:
            for name in self._names(folder, path):
                if self.is_over():
                    return
                self._hide(_join(path, name))

    def _names(self, folder: int, path: str) -> list[str]:
        """What there is in an open folder, as far as it is of interest."""
        if self.only is None:
            return sorted(os.listdir(folder))
        if path and not self.only.startswith(f"{path}/"):
            return []
        name = self.only[len(path) + bool(path) :].partition("/")[0]
        try:
            os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError:
            return []
        return [name]


def compare(
    layers: list[Layer], written: Mapping[str, bytes | None], is_over: Callable[[], bool]
) -> Changes:
    """All changes of these layers; our own edits (`written`) are what was there before.

    Stops early once `is_over` says so; the result is then of no use.
    """
    found: dict[str, StageChange] = {}
    skipped: dict[str, str] = {}
    for layer in layers:
        inner = [other.prefix for other in layers if other is not layer]
        ours = {
            path[len(layer.prefix) :]: data
            for path, data in written.items()
            if path.startswith(layer.prefix)
            and not any(len(p) > len(layer.prefix) and path.startswith(p) for p in inner)
        }
        touched = Touched(layer.upper, layer.lower, layer.opaque, is_over)
        touched.walk("", has_lower=True, opaque=False)
        for path in touched.present.keys() | touched.hidden | ours.keys():
            if is_over():
                break
            change = _change(path, layer.prefix + path, touched, ours)
            if change is not None:
                found[change.path] = change
        skipped |= {layer.prefix + path: why for path, why in touched.skipped.items()}
    items = tuple(found[path] for path in sorted(found))
    return Changes(items, tuple(sorted(skipped.items())))


def _change(
    path: str, full: str, touched: Touched, written: Mapping[str, bytes | None]
) -> StageChange | None:
    """The difference at one path, None if there is none."""
    status = _status(touched.lower, path)
    before = None if status is None else _entry(touched.lower, path, status)
    if path in written:
        data, runs = written[path], before is not None and before.executable
        before = None if data is None else LayerEntry("file", len(data), runs, -1, path, data)
    after = touched.present.get(path)
    if after is None:
        if before is None:
            return None
        return StageChange(full, "deleted", before.type, was_executable=before.executable)
    if before is None:
        return StageChange(full, "added", after.type, after.size, after.executable)
    if before.executable == after.executable and _same(before, after):
        return None
    return StageChange(
        full, "modified", after.type, after.size, after.executable, before.executable
    )


def _same(one: LayerEntry, other: LayerEntry) -> bool:
    """Whether type and content are equal."""
    if one.type != other.type or one.size != other.size:
        return False
    if one.type == "symlink":
        return _target(one) == _target(other)
    try:
        with _content(one) as left, _content(other) as right:
            while part := left(_CHUNK):
                if part != right(_CHUNK):
                    return False
            return True
    except OSError:
        return False  # not readable any more, or for us: then it was changed


@contextmanager
def _content(entry: LayerEntry) -> Generator[Callable[[int], bytes], None, None]:
    """A function that reads on in the content."""
    if entry.data is not None:
        data, position = entry.data, 0

        def take(size: int) -> bytes:
            nonlocal position
            position += size
            return data[position - size : position]

        yield take
        return
    descriptor = open_beneath(entry.folder, entry.path, _FILE)
    with os.fdopen(descriptor, "rb") as file:
        yield file.read


def _target(entry: LayerEntry) -> str:
    above, _, name = entry.path.rpartition("/")
    with _folder(entry.folder, above) as folder:
        return os.readlink(name, dir_fd=folder)


def _entry(folder: int, path: str, status: os.stat_result) -> LayerEntry | None:
    if stat.S_ISLNK(status.st_mode):
        return LayerEntry("symlink", status.st_size, False, folder, path, mark=mark_of(status))
    if stat.S_ISREG(status.st_mode):
        runs = bool(status.st_mode & stat.S_IXUSR)
        return LayerEntry("file", status.st_size, runs, folder, path, mark=mark_of(status))
    return None


def mark_of(status: os.stat_result) -> tuple[int, ...]:
    """What tells two states of a file apart without reading it."""
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode


def read_still(stream: BinaryIO, path: str) -> tuple[tuple[int, ...], bytes] | None:
    """The mark and the bytes of an open file; None for no regular one, or one that moves just now.

    Raises BadInput `too-large`, unread.
    """
    before = os.fstat(stream.fileno())
    if not stat.S_ISREG(before.st_mode):
        return None
    if before.st_size > MAX_TEXT_BYTES:
        raise BadInput("too-large", f"{before.st_size} bytes, the limit is {MAX_TEXT_BYTES}", path)
    data = stream.read()
    mark = mark_of(before)
    return (mark, data) if mark_of(os.fstat(stream.fileno())) == mark else None


def _status(folder: int, path: str) -> os.stat_result | None:
    """The status of what is at this path, links not followed on the way; None if nothing is."""
    above, _, name = path.rpartition("/")
    try:
        with _folder(folder, above) as parent:
            return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:
        return None


def _is_whiteout(status: os.stat_result) -> bool:
    return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _has_mark(folder: int, mark: str) -> bool:
    """Whether the folder replaces the one below it."""
    with suppress(OSError):
        return os.getxattr(folder, mark) == b"y"
    return False


@contextmanager
def _folder(root: int, path: str) -> Generator[int, None, None]:
    descriptor = open_beneath(root, path or ".", _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
