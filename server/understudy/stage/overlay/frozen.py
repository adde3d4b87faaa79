"""The snapshot that a live stage lies on, where the user's folder is a btrfs subvolume.

What the user saves cannot make an overlay stale then: it comes onto the stage by our own hand
alone, and the text that an edit is of is there to be read.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from understudy.stage import btrfs
from understudy.stage.live import NOT_FROZEN, Frozen
from understudy.stage.model import StagePlan
from understudy.stage.overlay.mounts import below, mounted_folders
from understudy.stage.scratch import FROZEN

_REASONS = {
    errno.EACCES: "this user may not make one of it",
    errno.EPERM: "this user may not make one of it",
    errno.ENOTTY: "this kernel cannot say what a snapshot would leave out",
    errno.EXDEV: "Understudy's state lies on another file system",
}
_NOT_REMOVED = (
    "this user could not remove it again, as the file system is mounted without "
    "user_subvol_rm_allowed"
)


def freeze(plan: StagePlan) -> Frozen:
    """Make the snapshot for a live stage, beside what is written there, if it can be had.

    It is removed with that (`scratch.remove_at_once`), and by the next start after a kill.
    """
    if not plan.live or plan.keep is None or not btrfs.is_subvolume(plan.root):
        return NOT_FROZEN
    why_not = plan.why_unfrozen or why_no_snapshot(plan.root, plan.keep)
    if not why_not:
        try:
            btrfs.make_snapshot(plan.root, plan.keep / FROZEN, read_only=True)
        except OSError as error:
            return Frozen(why_not=_reason(error))
        return Frozen(plan.keep / FROZEN)
    return Frozen(why_not=why_not)


def without_snapshot(plan: StagePlan, failed: str) -> StagePlan | None:
    """The same over the folder itself, where there is a snapshot; `failed` is what it has hindered.

    Where it cannot be removed now, it goes with the rehearsal's folder.
    """
    if plan.why_unfrozen or plan.keep is None or not btrfs.is_subvolume(plan.keep / FROZEN):
        return None
    with suppress(OSError):
        btrfs.remove_snapshot(plan.keep, FROZEN)
    return replace(plan, why_unfrozen=f"no stage can be set up on it: {failed}")


def why_no_snapshot(root: Path, home: Path) -> str:
    """Why a subvolume gets no snapshot in a folder of ours; empty where it does."""
    try:
        if btrfs.file_system(home) != btrfs.file_system(root):
            return _REASONS[errno.EXDEV]
        if os.geteuid() not in (0, root.stat().st_uid):
            return _REASONS[errno.EPERM]
        if below(root, mounted_folders()):
            return "something is mounted in it, which a snapshot leaves out"
        if btrfs.holds_subvolumes(root):
            return "it holds other subvolumes, which a snapshot leaves out"
        if not btrfs.can_remove(home):
            return _NOT_REMOVED
    except OSError as error:
        return _reason(error)
    return ""


def _reason(error: OSError) -> str:
    return _REASONS.get(error.errno or 0, f"none can be made: {error.strerror}")
