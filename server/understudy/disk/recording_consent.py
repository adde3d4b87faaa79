"""Whether the user has agreed that recorded shells are written down: asked once, kept here."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import what_disk_says
from understudy.values.errors import OutsideFailure
from understudy.values.own_folders import state_home


def consent() -> bool | None:
    """What the user has answered; None: not asked yet."""
    with suppress(OSError):
        return {"yes": True, "no": False}.get(_file().read_text("ascii", "replace").strip())
    return None


def set_consent(agrees: bool) -> None:
    """Keep the answer; raises OutsideFailure `state-unwritable`.

    Another window may read at the same moment: it finds the former answer or this one.
    """
    make_private_folder(_file().parent)
    try:
        write_private(_file(), b"yes\n" if agrees else b"no\n")
    except OSError as error:
        text = f"cannot keep the answer: {what_disk_says(error, _file())}"
        raise OutsideFailure("state-unwritable", text, str(_file())) from error


def _file() -> Path:
    return state_home() / "recording-consent"
