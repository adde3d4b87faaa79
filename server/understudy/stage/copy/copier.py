"""Makes a copy of a folder, or brings an older one up to date by what differs on either side."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import sys
import time
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path

from understudy.stage.copy.copied import UNSURE, Copied, Manifest, Pair
from understudy.stage.inside.disk_use import BYTES_A_FILE
from understudy.stage.live import FileMark
from understudy.stage.overlay.upper import mark_of
from understudy.stage.scratch import remove_tree
from understudy.values.errors import OutsideFailure

DEPENDENCIES = frozenset(
    (".nox", ".pixi", ".tox", ".venv", ".yarn", "bower_components", "node_modules", "venv")
)
"""Folders of installed packages: large, and seldom written to by what a stage runs."""
MAX_ENTRIES, MAX_BYTES = 500_000, 20 * 1024**3
"""A folder with more than this is not copied: error `stage-too-large`."""
CLOCK_NS = 20_000_000
"""The time that the kernel gives to changed files may rest for so long."""

_READ = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
_FICLONE = 0x40049409
NO_CLONES = frozenset(
    (errno.EOPNOTSUPP, errno.EXDEV, errno.EINVAL, errno.ENOTTY, errno.ENOSYS, errno.EPERM)
)


class Copier:
    """One walk through a folder and its copy; `known` is what the copy began with, if there is one.

    `hidden` are paths that are left out. Nobody else may write to the copy meanwhile. `bring`
    raises OSError where it cannot be; then what `known` says is still right, if less is kept.
    A link that leads below the first of `moved` leads to the same place below the second.
    """

    def __init__(
        self,
        source: Path,
        target: Path,
        *,
        link_dependencies: bool,
        hidden: Set[str] = frozenset(),
        known: Manifest | None = None,
        moved: tuple[Path, Path] | None = None,
    ) -> None:
        self._source, self._target = str(source), str(target)
        self._moved = moved
        self._link_dependencies = link_dependencies
        self._hidden = hidden
        self._known = {} if known is None else known.entries
        self._clones = self._can_clone() if known is None else known.method == "reflink"
        self._entries = self._bytes = self._n_bytes = 0
        self._now: dict[str, Pair] = {}
        self._copied = Copied("reflink" if self._clones else "plain")
        self._newest_ns = 0

    def bring(self) -> Copied:
        """Let the copy be as the folder is; its manifest is in the result."""
        waiting = [""]
        finished: list[str] = []
        while waiting:
            prefix = waiting.pop()
            finished.append(prefix)
            waiting += self._fill(prefix, self._opened(prefix))
        for prefix in reversed(finished):  # times last: each entry made in it changed its folder's
            self._finish(prefix)
        self._copied.sort()
        self._copied.manifest = Manifest(self._copied.method, self._now, self._n_bytes)
        return self._copied

    def rest(self) -> None:
        """Let the kernel's clock go on: whoever writes to the copy then changes its marks."""
        if (rests_ns := self._newest_ns + CLOCK_NS - time.time_ns()) > 0:
            time.sleep(min(rests_ns, CLOCK_NS) / 1e9)

    def _opened(self, prefix: str) -> dict[str, os.DirEntry[str]]:
        """Make a folder of the copy, or open it for us; what is in it."""
        place = self._target + "/" + prefix
        try:
            os.mkdir(place, 0o700)
        except FileExistsError:
            mode = os.lstat(place).st_mode
            if not stat.S_ISDIR(mode):
                raise
            if mode & stat.S_IRWXU != stat.S_IRWXU:
                os.chmod(place, stat.S_IRWXU)
            with os.scandir(place) as entries:
                return {entry.name: entry for entry in entries}
        return {}

    def _fill(self, prefix: str, there: dict[str, os.DirEntry[str]]) -> list[str]:
        """Bring what lies right in a folder, and remove what does not; the folders below."""
        below: list[str] = []
        for entry in self._list(prefix):
            path = prefix + entry.name
            old = there.get(entry.name)
            if path in self._hidden:
                self._copied.left_out.append(path)
            elif not entry.is_dir(follow_symlinks=False):
                if self._is_kept(entry, path, old) or self._take(entry, path, old):
                    there.pop(entry.name, None)
            elif self._is_replaced(entry):
                if self._put_instead(entry, path, old):
                    there.pop(entry.name, None)
            else:
                there.pop(entry.name, None)
                if old is not None and not old.is_dir(follow_symlinks=False):
                    os.unlink(old.path)
                below.append(path + "/")
        for stray in there.values():
            _remove(stray)
        return below

    def _list(self, prefix: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(self._source + "/" + prefix) as entries:
                found = list(entries)
        except OSError:
            self._copied.unreadable.append(prefix or ".")
            return
        self._entries += len(found)
        if self._entries > MAX_ENTRIES:
            raise _too_large(f"more than {MAX_ENTRIES} files", self._source)
        yield from found

    def _is_kept(self, entry: os.DirEntry[str], path: str, old: os.DirEntry[str] | None) -> bool:
        """Whether nobody has changed it since it was copied, there or here."""
        known = self._known.get(path)
        if known is None or old is None:
            return False
        with suppress(FileNotFoundError):  # the user's has gone just now
            theirs, ours = entry.stat(follow_symlinks=False), old.stat(follow_symlinks=False)
            if known == (mark_of(theirs), mark_of(ours)):
                self._count(theirs.st_size)
                self._note(path, known, ours)
                return True
        return False

    def _is_replaced(self, entry: os.DirEntry[str]) -> bool:
        """Whether a folder of installed packages is linked or left out instead."""
        return not self._clones and _is_dependencies(entry)

    def _put_instead(
        self, entry: os.DirEntry[str], path: str, old: os.DirEntry[str] | None
    ) -> bool:
        """Link such a folder, if that is wanted; whether there is anything."""
        if not self._link_dependencies:
            self._copied.left_out.append(path + "/")
            return False
        self._copied.linked.append(path + "/")
        if not self._is_kept(entry, path, old):
            theirs = entry.stat(follow_symlinks=False)
            self._make_room(old)
            os.symlink(entry.path, self._target + "/" + path)
            self._noted(path, mark_of(theirs))
        return True

    def _take(self, entry: os.DirEntry[str], path: str, old: os.DirEntry[str] | None) -> bool:
        """Copy a file or a link; whether there is anything."""
        began_ns = time.time_ns()
        target = self._target + "/" + path
        if entry.is_symlink():
            self._make_room(old)
            before = entry.stat(follow_symlinks=False)
            os.symlink(self._destination(entry.path), target)
            self._noted(path, _sure(before, began_ns))
            return True
        if not entry.is_file(follow_symlinks=False):
            self._copied.special.append(path)
            return False
        try:
            reader = os.open(entry.path, _READ)
        except OSError:
            self._copied.unreadable.append(path)
            return False
        self._make_room(old)
        with os.fdopen(reader, "rb") as source, open(target, "xb") as stream:
            before = os.fstat(source.fileno())
            self._count(before.st_size)
            if not (self._clones and clone(source.fileno(), stream.fileno())):
                shutil.copyfileobj(source, stream, 1024 * 1024)
            stream.flush()
            with suppress(FileNotFoundError):  # the user has removed it meanwhile
                shutil.copystat(entry.path, target)
            is_same = mark_of(os.fstat(source.fileno())) == mark_of(before)
        self._noted(path, _sure(before, began_ns) if is_same else UNSURE)
        return True

    def _make_room(self, old: os.DirEntry[str] | None) -> None:
        if old is not None:
            _remove(old)

    def _noted(self, path: str, theirs: FileMark) -> None:
        """Note what was just now put into the copy."""
        ours = os.lstat(self._target + "/" + path)
        self._copied.n_taken += 1
        self._newest_ns = max(self._newest_ns, ours.st_ctime_ns)
        self._note(path, (theirs, mark_of(ours)), ours)

    def _note(self, path: str, pair: Pair, ours: os.stat_result) -> None:
        self._now[path] = pair
        self._n_bytes += max(getattr(ours, "st_blocks", 0) * 512, BYTES_A_FILE)

    def _count(self, n_bytes: int) -> None:
        self._bytes += 0 if self._clones else n_bytes
        if self._bytes > MAX_BYTES:
            raise _too_large(f"more than {MAX_BYTES // 1024**3} GiB", self._source)

    def _finish(self, prefix: str) -> None:
        """Give a folder the mode, times and attributes of the user's."""
        source, target = self._source + "/" + prefix, self._target + "/" + prefix
        began_ns = time.time_ns()
        ours, theirs = os.lstat(target), UNSURE
        with suppress(OSError):
            status = os.stat(source)
            theirs = mark_of(status)
            if self._known.get(prefix) != (theirs, mark_of(ours)):
                theirs = _sure(status, began_ns)
                _drop_attributes(source, target)
                shutil.copystat(source, target)
        if self._known.get(prefix) != (theirs, mark_of(ours)):
            ours = os.lstat(target)
            self._newest_ns = max(self._newest_ns, ours.st_ctime_ns)
        self._note(prefix, (theirs, mark_of(ours)), ours)

    def _destination(self, link: str) -> str:
        """Where a copied link leads: inside the folder to the copy, else where it led before."""
        text = os.readlink(link)
        folder = os.path.dirname(link)
        aimed = os.path.normpath(os.path.join(folder, text))
        inside = aimed == self._source or aimed.startswith(self._source + "/")
        if not inside:
            if self._moved is not None and Path(aimed).is_relative_to(self._moved[0]):
                return str(self._moved[1] / Path(aimed).relative_to(self._moved[0]))
            return aimed
        if text.startswith(os.sep):
            return self._target + aimed[len(self._source) :]
        return os.path.relpath(aimed, folder)

    def _can_clone(self) -> bool:
        """Whether the first file of some size can be cloned to the target's file system."""
        if sys.platform != "linux":
            return False
        probe = Path(self._target + ".probe")
        for folder, _, names in os.walk(self._source):
            for name in names:
                sample = Path(folder, name)
                try:
                    if sample.is_symlink() or not sample.is_file() or not sample.stat().st_size:
                        continue
                    with sample.open("rb") as source, probe.open("wb") as stream:
                        return clone(source.fileno(), stream.fileno())
                except OSError:
                    continue
                finally:
                    probe.unlink(missing_ok=True)
        return False


def clone(source: int, target: int) -> bool:
    """Share the blocks of an open file; False where it cannot be done here."""
    import fcntl  # noqa: PLC0415 - not on Windows

    try:
        fcntl.ioctl(target, _FICLONE, source)
    except OSError as error:
        if error.errno in NO_CLONES:
            return False
        raise
    return True


def _sure(status: os.stat_result, began_ns: int) -> FileMark:
    """The mark of what was looked at then, if any later change is certain to change it."""
    return mark_of(status) if status.st_ctime_ns < began_ns - CLOCK_NS else UNSURE


def _remove(entry: os.DirEntry[str]) -> None:
    if not entry.is_dir(follow_symlinks=False):
        os.unlink(entry.path)
        return
    remove_tree(Path(entry.path))
    if os.path.lexists(entry.path):
        raise OSError(errno.ENOTEMPTY, "cannot be removed", entry.path)


def _drop_attributes(source: str, target: str) -> None:
    """Take away the extended attributes of a folder that the user's has not."""
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in set(os.listxattr(target)) - set(os.listxattr(source)):
                os.removexattr(target, name)


def _is_dependencies(entry: os.DirEntry[str]) -> bool:
    return entry.name in DEPENDENCIES or os.path.exists(entry.path + "/pyvenv.cfg")


def _too_large(text: str, where: str) -> OutsideFailure:
    return OutsideFailure("stage-too-large", f"the folder is too large to be copied: {text}", where)
