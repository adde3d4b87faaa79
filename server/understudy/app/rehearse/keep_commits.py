"""What was committed on a stage, kept as a bundle until the user takes it, or the branch is gone.

Git runs on the stage: hooks and settings are the stage's own there, and what it prints is data.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import needing_room
from understudy.stage.live import LiveStage
from understudy.stage.model import Command, StageLimits
from understudy.values.errors import OutsideFailure

MOST_BYTES = 256 * 1024 * 1024
_LIMITS = StageLimits(wall=120)
_MOST_TIPS = 10_000
_DAY_S = 86_400
_TAKE_UP = """commit=$(git bundle list-heads "$1" HEAD | cut -d" " -f1) &&
git bundle unbundle "$1" > /dev/null && git -c core.hooksPath=/dev/null reset -q "$commit" --"""
_BUNDLE = """git rev-parse --quiet --verify HEAD > /dev/null || { test $? = 1; exit; }
new=$(git rev-list --max-count=1 HEAD --not "$@") && { test -z "$new" ||
git -c core.hooksPath=/dev/null -c core.fsmonitor=false bundle create -q - HEAD --not "$@"; }"""
"""Prints nothing, and does not fail, where nothing was committed."""


async def take_up(stage: LiveStage, file: Path, environ: Mapping[str, str]) -> None:
    """Go on where the branch's last rehearsal has left off: its commits, HEAD at the last of them.

    The stage shows the file. Raises OutsideFailure `commits-unusable` where they build on what is
    gone.
    """
    if not stage.git or not await asyncio.to_thread(file.exists):
        return
    command = Command(("sh", "-c", _TAKE_UP, "sh", str(file)), limits=_LIMITS, environ=environ)
    if (await stage.run(command, lambda _: None)).status != 0:
        text = "what was committed in this branch before builds on commits that are gone; "
        raise OutsideFailure("commits-unusable", f"{text}go on in another branch", file.stem)


async def keep_commits(stage: LiveStage, file: Path, environ: Mapping[str, str]) -> bool | None:
    """Keep the commits that HEAD has and no ref had; False: there are none, None: too many bytes.

    Raises OutsideFailure `state-full`, and `commits-not-kept` where git fails: what was kept before
    stays.
    """
    if not stage.git:
        return False
    tips = stage.git[0].began[:_MOST_TIPS]
    taken: list[bytes] = []
    n_bytes = 0

    def take(data: bytes) -> None:
        nonlocal n_bytes
        n_bytes += len(data)
        if n_bytes <= MOST_BYTES:
            taken.append(data)

    command = Command(("sh", "-c", _BUNDLE, "sh", *tips), limits=_LIMITS, environ=environ)
    ended = await stage.run(command, take, lambda _: None)
    if n_bytes > MOST_BYTES:
        return None
    if ended.status != 0:
        text = "what was committed is not kept, for git could not bundle it; the files are"
        raise OutsideFailure("commits-not-kept", text, file.stem)
    if not taken:
        return False
    make_private_folder(file.parent)
    with needing_room(file):
        write_private(file, b"".join(taken))
    return True


def forget_commits(folder: Path, days: float) -> None:
    """Remove bundles that are older: their branches have left the archive by then."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            if entry.stat().st_mtime < time.time() - days * _DAY_S:
                Path(entry.path).unlink()
