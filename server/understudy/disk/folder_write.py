"""The one place that writes into the user's folder: an accept, all files or none.

Every file is prepared beside its target before the first is renamed into place, and looked at once
more right before. When the disk fails half-way, what was written is put back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from understudy.disk.atomic import Prepared, flush_folder, prepare
from understudy.disk.folder_scan import FolderReader
from understudy.shadow.folder import Fingerprint
from understudy.values.errors import Conflict, OutsideFailure, UnderstudyError
from understudy.values.paths import Root


@dataclass(frozen=True)
class FileChange:
    """New bytes for a path (None: delete it), and the state of the file that they were made for.

    A new file takes the permission bits of `like`, the path that it was renamed from.
    """

    path: str
    data: bytes | None
    expected: Fingerprint | None
    like: str | None = None


def write_changes(root: Root, changes: Sequence[FileChange]) -> None:
    """Write all changes, deletions last; symbolic links inside the root are followed.

    Folders that the deletions leave empty go, too, as git has it.
    Raises Conflict `conflict` where a file is no longer as expected, BadInput `outside-root`,
    OutsideFailure `accept-failed`. The folder is then as before, unless the text of
    `accept-failed` names files that could not be put back.
    """
    work = _Work(root)
    here: str | None = None
    try:
        for change in changes:
            here = change.path
            work.prepare(change)
        for change in sorted(changes, key=lambda change: change.data is None):
            here = change.path
            work.commit(change)
    except (OSError, UnderstudyError) as error:
        left = work.undo()
        if left:
            text = f"{_say(error)}; these files have the new text and were not put back: "
            raise OutsideFailure("accept-failed", text + ", ".join(left), here) from error
        if isinstance(error, UnderstudyError):
            raise
        raise OutsideFailure(
            "accept-failed", f"{_say(error)}; the folder is as it was", here
        ) from error
    _remove_emptied(root, [change.path for change in changes if change.data is None])


def _remove_emptied(root: Root, deleted: Sequence[str]) -> None:
    """Remove the folders of deleted files that hold nothing any more, and those above them."""
    for path in deleted:
        for folder in root.absolute(path).parents:
            if folder == root.path:
                break
            try:
                folder.rmdir()
            except OSError:  # something is in it, or it is a link: then it stays
                break


@dataclass
class _Work:
    """An accept under way: what lies prepared, and how to take back what is done."""

    root: Root
    prepared: dict[str, Prepared] = field(default_factory=lambda: {})
    made_folders: list[Path] = field(default_factory=lambda: [])
    undos: list[tuple[str, Callable[[], bool]]] = field(default_factory=lambda: [])

    def __post_init__(self) -> None:
        self._reader = FolderReader(self.root)

    def prepare(self, change: FileChange) -> None:
        self.root.relative(change.path)  # a link may lead elsewhere by now
        self._compare(change)
        if change.data is None:
            return
        target = self._target(change.path)
        for folder in reversed([*target.parents]):
            if not folder.exists():
                folder.mkdir()
                self.made_folders.append(folder)
        like = None
        if change.expected is not None or change.like is not None:
            with suppress(FileNotFoundError):
                like = self.root.absolute(change.like or change.path).stat()
        mode = None if like is None else stat.S_IMODE(like.st_mode)
        owner = None if like is None else (like.st_uid, like.st_gid)
        self.prepared[change.path] = prepare(target, change.data, mode, owner)

    def commit(self, change: FileChange) -> None:
        target = self._target(change.path)
        link = self.root.absolute(change.path)
        original = target.read_bytes() if change.expected is not None else None
        old = target.stat() if change.expected is not None else None
        self._compare(change)
        if change.data is not None:
            self.prepared[change.path].commit()
            mine = self._reader.fingerprint(change.path)
            self.undos.append((change.path, lambda: self._put_back(target, mine, original, old)))
            del self.prepared[change.path]
            flush_folder(target.parent)
        elif link.is_symlink():
            destination = link.readlink()
            link.unlink()
            self.undos.append((change.path, lambda: _relink(link, destination)))
        else:
            link.unlink()
            self.undos.append((change.path, lambda: self._put_back(target, None, original, old)))
            flush_folder(link.parent)

    def undo(self) -> list[str]:
        """Take everything back; returns the paths where that failed, sorted."""
        for prepared in self.prepared.values():
            with suppress(OSError):  # a temporary file that cannot go away harms nobody
                prepared.abandon()
        left = [path for path, take_back in reversed(self.undos) if not take_back()]
        for folder in reversed(self.made_folders):
            with suppress(OSError):  # somebody has put a file there
                folder.rmdir()
        return sorted(left)

    def _compare(self, change: FileChange) -> None:
        """Raise Conflict unless the file is as expected; where none is, nothing may be."""
        now = self._reader.fingerprint(change.path)
        in_the_way = now is None and os.path.lexists(self.root.absolute(change.path))
        if now != change.expected or (change.expected is None and in_the_way):
            raise Conflict("conflict", "the file was changed meanwhile", change.path)

    def _target(self, path: str) -> Path:
        return self.root.absolute(path).resolve()

    def _put_back(
        self,
        target: Path,
        mine: Fingerprint | None,
        original: bytes | None,
        old: os.stat_result | None,
    ) -> bool:
        """Restore a file that is still as we left it; False if it is not, or cannot be."""
        try:
            now = self._reader.fingerprint(target.relative_to(self.root.path).as_posix())
            if now != mine:
                return False
            if original is None or old is None:
                target.unlink()
            else:
                owner = (old.st_uid, old.st_gid)
                prepare(target, original, stat.S_IMODE(old.st_mode), owner).commit()
        except OSError:
            return False
        return True


def _relink(link: Path, destination: Path) -> bool:
    try:
        link.symlink_to(destination)
    except OSError:
        return False
    return True


def _say(error: OSError | UnderstudyError) -> str:
    return error.text if isinstance(error, UnderstudyError) else str(error.strerror or error)
