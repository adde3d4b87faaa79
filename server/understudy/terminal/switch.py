"""Whether the user wants a terminal written down: a file beside its log says that they do not."""

from __future__ import annotations

from pathlib import Path

from understudy.disk.room import what_disk_says
from understudy.values.errors import OutsideFailure


def is_off(log: Path) -> bool:
    """Whether the recording of this log is switched off."""
    return _file(log).exists()


def switch(log: Path, *, off: bool) -> None:
    """Switch the recording of this log; raises OutsideFailure `state-unwritable`."""
    try:
        if off:
            _file(log).touch(mode=0o600)
        else:
            _file(log).unlink(missing_ok=True)
    except OSError as error:
        text = f"cannot be switched: {what_disk_says(error, log)}"
        raise OutsideFailure("state-unwritable", text, str(log)) from error


def _file(log: Path) -> Path:
    return log.with_suffix(".off")
