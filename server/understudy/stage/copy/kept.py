"""A copy that is kept, and brought up to date where it is wanted again.

It lies in a folder of its own whose lock its user holds. One in which a rehearsal has written is
nobody else's until that is journalled: the rehearsal's own record says so.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Set
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from understudy.disk.atomic import flush_disk_of, write_private
from understudy.disk.room import needing_room
from understudy.stage.copy.copied import Copied, Manifest, name_of
from understudy.stage.copy.copier import Copier
from understudy.stage.copy.folder import copying
from understudy.stage.scratch import RECORD, Scratch, remove_at_once, remove_tree
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.frozen import frozen

_PREFIX, _MANIFEST, _PLACE = "kept-", "manifest", "at"
_MOST = 1000
_UNUSED_S = 14 * 86_400
"""A copy that nobody has wanted for so long is removed."""
_FULL = (errno.ENOSPC, errno.EDQUOT)


@frozen
class KeptCopy:
    """One such copy, at `target`; it stays when it is released."""

    root: Path
    target: Path
    _scratch: Scratch

    @staticmethod
    def take(home: Path, root: Path) -> KeptCopy:
        """One that nobody uses, else a new one; older ones that nobody wants are removed."""
        for number in range(1, _MOST):
            kept = KeptCopy._of(home / f"{_PREFIX}{number}", root)
            if kept is not None:
                KeptCopy._forget(home, root)
                return kept
        text = f"there are {_MOST} copies of the folder in use"
        raise OutsideFailure("stage-unavailable", text, str(home))

    @staticmethod
    def _of(folder: Path, root: Path) -> KeptCopy | None:
        try:
            scratch = Scratch.keep(folder)
        except Refused:
            return None
        if _is_wanted(folder):
            scratch.release()
            return None
        return KeptCopy(root, folder / _PLACE / (root.name or "root"), scratch)

    @staticmethod
    def _forget(home: Path, root: Path) -> None:
        for folder in home.glob(f"{_PREFIX}*"):
            with suppress(OSError):
                manifest = folder / _MANIFEST  # a kill may have left a copy without one
                last = (manifest if manifest.exists() else folder).stat().st_mtime
                if time.time() - last < _UNUSED_S:
                    continue
                kept = KeptCopy._of(folder, root)
                if kept is not None:
                    kept.clear()
                    kept.release()

    @staticmethod
    def left(folder: Path, root: Path) -> KeptCopy:
        """That of a rehearsal that is gone; raises Refused `stage-in-use`, OSError."""
        if not folder.is_dir():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
        return KeptCopy(root, folder / _PLACE / (root.name or "root"), Scratch.keep(folder))

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self._scratch.folder

    def bring(self, *, hidden: Set[str]) -> Copied:
        """Make it, or bring it up to date; raises as `copy_folder` does.

        What cannot be brought up to date, or was made for another folder, is made anew. A first
        one that fails is removed.
        """
        try:
            return self._bring(hidden)
        except BaseException:  # whatever it is: raised again
            if self.manifest() is None:
                with suppress(OSError):
                    self.clear()
            raise

    def _bring(self, hidden: Set[str]) -> Copied:
        known = self.manifest()
        with copying(self.target):
            if known is None:
                self.clear()
            try:
                copied = self._brought(known, hidden)
            except (OSError, RecursionError) as error:
                if known is None or getattr(error, "errno", None) in _FULL:
                    raise
                self.clear()
                known = None
                copied = self._brought(None, hidden)
            if copied.manifest != known and copied.manifest is not None:
                with needing_room(self._file):
                    copied.manifest.save(self._file, name_of(self.root, self.target))
                # Who comes after a power cut takes what is empty for emptied by an agent.
                flush_disk_of(self.folder)
            os.utime(self._file)
        return copied

    def manifest(self) -> Manifest | None:
        """What the copy began with; None where there is none of this folder."""
        found = Manifest.load(self._file, name_of(self.root, self.target))
        return found if self.target.is_dir() else None

    def reserve(self, layer: Path) -> None:
        """Let nobody else have it while the rehearsal's layer has its record."""
        with needing_room(self.folder):
            told = {"layer": os.fsencode(layer).hex()}
            write_private(self.folder / RECORD, json.dumps(told).encode())

    def release(self) -> None:
        """Leave it to whoever comes next."""
        self._scratch.release()

    def _brought(self, known: Manifest | None, hidden: Set[str]) -> Copied:
        copier = Copier(self.root, self.target, link_dependencies=True, hidden=hidden, known=known)
        copied = copier.bring()
        copier.rest()
        return copied

    def clear(self) -> None:
        """Remove the copy: the next one is made anew."""
        self._file.unlink(missing_ok=True)
        place = self.target.parent
        remove_tree(place)
        if place.exists():  # what resists is out of the way at least
            remove_at_once(place, self.folder.parent)
        place.mkdir(mode=0o700)

    @property
    def _file(self) -> Path:
        return self.folder / _MANIFEST


def _is_wanted(folder: Path) -> bool:
    """Whether a rehearsal that is not journalled yet has written there."""
    try:
        told = cast("dict[str, Any]", json.loads((folder / RECORD).read_bytes()))
        layer = os.fsdecode(bytes.fromhex(told["layer"]))
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return os.path.exists(os.path.join(layer, RECORD))
