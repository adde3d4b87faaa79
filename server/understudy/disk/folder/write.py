"""The one place that writes into the user's folder: an accept, all files or none.

The plan is recorded before the first byte. Every file is then prepared beside its target before the
first is renamed into place, and looked at once more right before. When the disk fails half-way,
what was written is put back; what a kill leaves half done, `folder_recovery` finishes by the plan.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Protocol

from understudy.disk.atomic import Prepared, flush_folder, prepare, temporary_name
from understudy.disk.folder.scan import FolderReader
from understudy.shadow.folder import Fingerprint
from understudy.values.errors import Conflict, NotPutBack, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root

UNCHANGED = "; the folder is as it was"
"""How the text of a failure ends that has left nothing behind."""

_IN_USE = frozenset((errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT))
_N_FLUSHING = 8
"""Files that are flushed at the same time: the disk takes them together."""


@frozen
class Attributes:
    """The permission bits and the (user, group) of a file."""

    mode: int
    owner: tuple[int, int]


@frozen
class FileChange:
    """New bytes for a path (None: delete it), and the state of the file that they were made for.

    A new file gets these attributes, or takes those of `like`, the path that it was renamed from.
    """

    path: str
    data: bytes | None
    expected: Fingerprint | None
    like: str | None = None
    attributes: Attributes | None = None


@frozen
class WriteStep:
    """How one path is written: `temporary` is the name beside `target`, the real file's path.

    `attributes` are those of the file that is there, or the new file's; None: what the umask
    gives. `link` is where a symbolic link leads that is deleted itself.
    """

    path: str
    target: str
    temporary: str
    attributes: Attributes | None
    link: str | None = None


@frozen
class WritePlan:
    """All that an accept will touch: its files, and the folders that it makes, outermost first."""

    steps: tuple[WriteStep, ...]
    folders: tuple[str, ...]


class PlanRecord(Protocol):
    """Where a plan is kept until it is done; both return once it is on disk, or raise."""

    def begin(self, plan: WritePlan) -> None:
        """Nothing is written yet."""
        ...

    def prepared(self) -> None:
        """Every file lies prepared; from here on the accept is finished, not taken back."""
        ...


class BrokenOff(Exception):
    """The process ends; what is half done is left to the next start."""


def write_changes(
    root: Root,
    changes: Sequence[FileChange],
    record: PlanRecord | None = None,
    *,
    temporaries: Mapping[str, str] | None = None,
    stop: Event | None = None,
) -> None:
    """Write all changes, deletions last; symbolic links inside the root are followed.

    Folders that the deletions leave empty go, too, as git has it. `temporaries` are the names of a
    plan that is recorded already, by path.
    Raises Conflict `conflict` where a file is no longer as expected, BadInput `outside-root`,
    OutsideFailure `accept-failed`. The folder is then as before, unless it is NotPutBack, whose
    text names what could not be put back. Raises BrokenOff soon after `stop` is
    set, and what `record` raises.
    """
    work = _Work(root, stop or Event())
    here: str | None = None
    try:
        for change in changes:
            here = change.path
            work.plan(change, (temporaries or {}).get(change.path))
        here = None
        if record is not None:
            record.begin(WritePlan(tuple(work.steps.values()), tuple(work.missing)))
        for path, error in work.prepare(changes):
            here = path
            raise error
        if record is not None:
            record.prepared()
        for change in sorted(changes, key=lambda change: change.data is None):
            here = change.path
            work.commit(change)
        here = None
        work.flush()
    except (OSError, UnderstudyError) as error:
        left = work.undo()
        if left:
            text = f"{_say(error)}; these are as the branch has them and were not put back: "
            raise NotPutBack("accept-failed", text + ", ".join(left), here) from error
        if isinstance(error, UnderstudyError):
            raise
        raise OutsideFailure("accept-failed", f"{_say(error)}{UNCHANGED}", here) from error
    remove_emptied(root, [change.path for change in changes if change.data is None])


def remove_emptied(root: Root, deleted: Sequence[str]) -> None:
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
    stop: Event
    steps: dict[str, WriteStep] = field(default_factory=lambda: {})
    missing: dict[str, None] = field(default_factory=lambda: {})
    prepared: dict[str, Prepared] = field(default_factory=lambda: {})
    originals: dict[str, bytes] = field(default_factory=lambda: {})
    made_folders: list[Path] = field(default_factory=lambda: [])
    undos: list[tuple[str, Callable[[], bool]]] = field(default_factory=lambda: [])
    unflushed: dict[Path, None] = field(default_factory=lambda: {})
    _reals: dict[str, str] = field(default_factory=lambda: {})

    def __post_init__(self) -> None:
        self._reader = FolderReader(self.root)

    def plan(self, change: FileChange, temporary: str | None) -> None:
        """Find out where a change goes; nothing is written."""
        self.root.relative(change.path)  # a link may lead elsewhere by now
        self._compare(change)
        link = self.root.absolute(change.path)
        attributes = change.attributes
        if attributes is None and (change.expected is not None or change.like is not None):
            with suppress(FileNotFoundError):
                attributes = _attributes(self.root.absolute(change.like or change.path).stat())
        is_link = link.is_symlink()
        target = self._inside(link.resolve()) if is_link else self._real(change.path)
        self.steps[change.path] = WriteStep(
            change.path,
            target,
            temporary or temporary_name(target.rpartition("/")[2]),
            attributes,
            os.fspath(link.readlink()) if change.data is None and is_link else None,
        )
        if change.data is not None:
            self._note_missing(target.rpartition("/")[0])

    def prepare(self, changes: Sequence[FileChange]) -> list[tuple[str, Exception]]:
        """Prepare all that is written, several at a time; the paths where that failed, and why."""
        for name in self.missing:
            folder = self.root.absolute(name)
            folder.mkdir()
            self.made_folders.append(folder)
            self.unflushed[folder.parent] = None
        written = [change for change in changes if change.data is not None]
        with ThreadPoolExecutor(_N_FLUSHING, "accept") as pool:
            # A share for each thread: a task for each file costs as much as its preparing.
            shares = [written[first::_N_FLUSHING] for first in range(_N_FLUSHING)]
            return [failure for failure in pool.map(self._prepare_share, shares) if failure]

    def _prepare_share(self, changes: Sequence[FileChange]) -> tuple[str, Exception] | None:
        for change in changes:
            try:
                self.prepared[change.path] = self._prepare(change)
            except Exception as error:  # noqa: BLE001 - of a thread: it is raised by who asked
                return change.path, error
        return None

    def commit(self, change: FileChange) -> None:
        """Put one change in its place, unless the file is not as expected any more."""
        self._heed_stop()
        step = self.steps[change.path]
        target = self.root.absolute(step.target)
        link = self.root.absolute(change.path)
        original = self.originals.pop(change.path, None)
        if original is None and change.expected is not None:
            original = target.read_bytes()
        self._compare(change)
        if change.data is not None:
            self.prepared[change.path].commit()
            mine = self._reader.fingerprint(change.path)
            self.undos.append((change.path, lambda: self._put_back(step, mine, original)))
            del self.prepared[change.path]
            self.unflushed[target.parent] = None
        elif step.link is not None:
            link.unlink()
            self.undos.append((change.path, lambda: _relink(link, step.link)))
            self.unflushed[link.parent] = None
        else:
            link.unlink()
            self.undos.append((change.path, lambda: self._put_back(step, None, original)))
            self.unflushed[link.parent] = None

    def flush(self) -> None:
        """Make all renames and deletions survive a power cut."""
        with ThreadPoolExecutor(_N_FLUSHING, "accept") as pool:
            for _ in pool.map(flush_folder, self.unflushed):
                pass

    def undo(self) -> list[str]:
        """Take everything back; returns the paths where that failed, sorted."""
        for step in self.steps.values():
            with suppress(OSError):  # a temporary file that cannot go away harms nobody
                remove_temporary(self.root, step)
        left = [path for path, take_back in reversed(self.undos) if not take_back()]
        for folder in reversed(self.made_folders):
            try:
                folder.rmdir()
            except OSError as error:
                if error.errno not in _IN_USE:  # else somebody has put a file there
                    left.append(self._inside(folder))
        with suppress(OSError):  # a folder is gone: then so is what was to be flushed
            self.flush()
        return sorted(left)

    def _real(self, path: str) -> str:
        """The root-relative path of what is no link itself; of many in a folder, asked for once."""
        above, _, name = path.rpartition("/")
        if above not in self._reals:
            self._reals[above] = self._inside(self.root.absolute(above).resolve())
        return f"{self._reals[above]}/{name}".removeprefix("./")

    def _inside(self, real: Path) -> str:
        return real.relative_to(self.root.path).as_posix()

    def _note_missing(self, folder: str) -> None:
        """Note the folders on the way to this one that are not there, outermost first."""
        if folder and folder not in self.missing and not self.root.absolute(folder).exists():
            self._note_missing(folder.rpartition("/")[0])
            self.missing[folder] = None

    def _prepare(self, change: FileChange) -> Prepared:
        self._heed_stop()
        step = self.steps[change.path]
        assert change.data is not None
        mode = owner = None
        if step.attributes is not None:
            mode, owner = step.attributes.mode, step.attributes.owner
        target = self.root.absolute(step.target)
        if change.expected is not None:  # compared before this and after it
            self.originals[change.path] = target.read_bytes()
        return prepare(target, change.data, mode, owner, step.temporary)

    def _heed_stop(self) -> None:
        if self.stop.is_set():
            raise BrokenOff

    def _compare(self, change: FileChange) -> None:
        """Raise Conflict unless the file is as expected; where none is, nothing may be."""
        now = self._reader.fingerprint(change.path)
        in_the_way = now is None and os.path.lexists(self.root.absolute(change.path))
        if now != change.expected or (change.expected is None and in_the_way):
            raise Conflict("conflict", "the file was changed meanwhile", change.path)

    def _put_back(self, step: WriteStep, mine: Fingerprint | None, original: bytes | None) -> bool:
        """Restore a file that is still as we left it; False if it is not, or cannot be."""
        target = self.root.absolute(step.target)
        try:
            if self._reader.fingerprint(step.target) != mine:
                return False
            if original is None or step.attributes is None:
                target.unlink()
            else:
                kept = step.attributes
                prepare(target, original, kept.mode, kept.owner, step.temporary).commit()
        except OSError:
            return False
        return True


def remove_temporary(root: Root, step: WriteStep) -> None:
    """Remove what was prepared for a step, if it is there."""
    root.absolute(step.target).with_name(step.temporary).unlink(missing_ok=True)


def _relink(link: Path, destination: str | None) -> bool:
    """Make a symbolic link again; False if that fails."""
    try:
        link.symlink_to(destination or "")
    except OSError:
        return False
    return True


def _attributes(state: os.stat_result) -> Attributes:
    return Attributes(stat.S_IMODE(state.st_mode), (state.st_uid, state.st_gid))


def _say(error: OSError | UnderstudyError) -> str:
    return error.text if isinstance(error, UnderstudyError) else str(error.strerror or error)
