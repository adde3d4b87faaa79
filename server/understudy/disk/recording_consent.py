"""Whether the user has agreed that recorded shells are written down: asked once, kept here."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from understudy.disk.layout import make_private_folder, open_private, state_home


def consent() -> bool | None:
    """What the user has answered; None: not asked yet."""
    with suppress(OSError):
        return {"yes": True, "no": False}.get(_file().read_text("ascii", "replace").strip())
    return None


def set_consent(agrees: bool) -> None:
    """Keep the answer; raises OutsideFailure `state-unwritable`."""
    make_private_folder(_file().parent)
    descriptor = open_private(_file(), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(descriptor, "w") as file:
        file.write("yes\n" if agrees else "no\n")


def _file() -> Path:
    return state_home() / "recording-consent"
