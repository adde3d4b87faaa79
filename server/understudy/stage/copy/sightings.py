"""Looking through a copy that commands write to: what is not as it was when they began."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from understudy.stage.beneath import open_beneath
from understudy.stage.copy.copied import Manifest
from understudy.stage.live import CapturedFile, FileMark, SeenPath, Sightings
from understudy.stage.overlay.upper import mark_of, read_still

_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0)
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
_MAX_DEPTH = 150
Enters = Callable[[str], bool]


class CopyLook:
    """The copy behind an open folder, and the manifest that says what it began with."""

    def __init__(self, root: int, manifest: Manifest) -> None:
        self._root = root
        self._began = {
            path: ours
            for path, (_, ours) in manifest.entries.items()
            if path and not path.endswith("/")
        }
        self._entered: tuple[Enters, Mapping[str, FileMark]] | None = None

    def look(self, enters: Enters, is_over: Callable[[], bool]) -> Sightings:
        """Every path that is not as it was, but below folders that `enters` refuses.

        Of no use once `is_over` says so.
        """
        walk = self._walk(enters)
        while walk.waiting and not is_over():
            walk.enter(walk.waiting.pop())
        walk.items.update((path, SeenPath("gone")) for path in walk.began.keys() - walk.seen)
        return Sightings(walk.items, walk.skipped)

    def see(self, path: str, enters: Enters) -> SeenPath | None:
        """What `look` has of one path."""
        parts = path.split("/")
        if not all(enters("/".join(parts[:end])) for end in range(1, len(parts))):
            return None
        walk = self._walk(enters)
        try:
            walk.see_one(path)
        except PermissionError:
            return None  # nothing is known of it
        except OSError:
            pass  # nothing is there, or a link or a file in the place of a folder above
        is_gone = path in walk.began and path not in walk.seen
        return SeenPath("gone") if is_gone else walk.items.get(path)

    def _walk(self, enters: Enters) -> _Walk:
        if self._entered is None or self._entered[0] is not enters:
            self._entered = enters, _below_entered(self._began, enters)
        return _Walk(self._root, self._entered[1], enters)

    def take(self, path: str) -> CapturedFile | None:
        """Read a file; raises as `Looked.taken` does."""
        try:
            file = open_beneath(self._root, path, _READ)
        except OSError:
            return None
        with os.fdopen(file, "rb") as stream:
            found = read_still(stream, path)
        return None if found is None else CapturedFile(*found, None, 0)


@dataclass
class _Walk:
    """One look: folders that wait to be entered, what was seen, what is not as it began."""

    root: int
    began: Mapping[str, FileMark]
    enters: Enters
    waiting: list[str] = field(default_factory=lambda: [""])
    seen: set[str] = field(default_factory=set[str])
    items: dict[str, SeenPath] = field(default_factory=dict[str, SeenPath])
    skipped: dict[str, str] = field(default_factory=dict[str, str])

    def enter(self, prefix: str) -> None:
        if prefix.count("/") > _MAX_DEPTH:
            self._pass_over(prefix, f"nested more than {_MAX_DEPTH} folders deep")
            return
        try:
            folder = open_beneath(self.root, prefix or ".", _FOLDER)
        except PermissionError:
            self._pass_over(prefix, "it cannot be read")
            return
        except OSError:
            return  # it has gone just now, or is no folder any more
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):
                        self._see(prefix + entry.name, entry.stat(follow_symlinks=False))
        finally:
            os.close(folder)

    def see_one(self, path: str) -> None:
        """See what lies at a path, if anything; raises OSError."""
        above, _, name = path.rpartition("/")
        folder = open_beneath(self.root, above or ".", _FOLDER)
        try:
            self._see(path, os.stat(name, dir_fd=folder, follow_symlinks=False))
        finally:
            os.close(folder)

    def _see(self, path: str, status: os.stat_result) -> None:
        mode = status.st_mode
        if stat.S_ISDIR(mode):
            if self.enters(path):
                self.waiting.append(path + "/")
            return
        if stat.S_ISLNK(mode) and not self.enters(path):
            return  # a link to such a folder stands for it
        self.seen.add(path)
        mark = mark_of(status)
        if self.began.get(path) == mark:
            return
        if stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            self.items[path] = SeenPath("file" if stat.S_ISREG(mode) else "symlink", mark)
        else:
            self.skipped[path] = "neither a file nor a link"

    def _pass_over(self, prefix: str, why: str) -> None:
        """Nothing is known of what lies below: so nothing of it is gone."""
        self.skipped[prefix.rstrip("/")] = why
        self.seen.update(path for path in self.began if path.startswith(prefix))


def _below_entered(began: Mapping[str, FileMark], enters: Enters) -> Mapping[str, FileMark]:
    """Those paths that a walk comes to."""
    known: dict[str, bool] = {"": True}

    def is_entered(folder: str) -> bool:
        if folder not in known:
            parts = folder.split("/")
            known[folder] = all(enters("/".join(parts[: n + 1])) for n in range(len(parts)))
        return known[folder]

    return {
        path: mark
        for path, mark in began.items()
        if is_entered(path.rpartition("/")[0]) and not (stat.S_ISLNK(mark[-1]) and not enters(path))
    }
