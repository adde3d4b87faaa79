"""What a file was before we wrote to it: kept in our state, so that it can be so again."""

from __future__ import annotations

import hashlib
import json
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.json_input import read_object
from understudy.values.own_folders import state_home


@frozen
class Former:
    """A file's bytes before us (None: there was none), and the digest of what we left there."""

    before: bytes | None
    left: str
    made: tuple[str, ...] = ()
    """Folders that were made for it, the innermost first."""

    def is_as_left(self, now: bytes | None) -> bool:
        """Whether nobody has changed the file since."""
        return now is not None and digest(now) == self.left


def digest(data: bytes) -> str:
    """What tells one content of a file from another."""
    return hashlib.sha256(data).hexdigest()


def former_of(path: Path) -> Former | None:
    """What is known of a file's time before us; None where nothing is, or the record is broken."""
    try:
        found = read_object(_place(path).read_bytes(), str(path))
        before = None if found["before"] is None else b64decode(found["before"])
        return Former(before, str(found["left"]), tuple(map(str, found["made"])))
    except (OSError, KeyError, TypeError, ValueError, BadInput):
        return None


def keep_former(path: Path, former: Former) -> None:
    """Keep it; raises OSError, OutsideFailure."""
    place = _place(path)
    make_private_folder(place.parent)
    before = None if former.before is None else b64encode(former.before).decode()
    body = {"path": str(path), "before": before, "left": former.left, "made": former.made}
    write_private(place, json.dumps(body).encode())


def forget_former(path: Path) -> None:
    """Keep it no longer."""
    with suppress(FileNotFoundError):
        _place(path).unlink()


def _place(path: Path) -> Path:
    return state_home() / "setup" / f"{digest(str(path).encode())[:16]}.json"
