"""The proofs of servers' profiles that were made on this machine, for all its folders."""

from __future__ import annotations

import shutil
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.lock import HostLock, locked
from understudy.disk.room import writing_state
from understudy.values.errors import OutsideFailure
from understudy.values.own_folders import state_home

_TRIED_FOR_S = 24 * 3600.0


def proof_file() -> Path:
    """Where they lie."""
    return state_home() / "proofs.json"


def proofs_state() -> tuple[int, int] | None:
    """What changes whenever they are written; None where there are none."""
    try:
        state = proof_file().stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_ino


def read_proofs() -> bytes | None:
    """What is written there, None if nothing is; raises OutsideFailure `proofs-unreadable`."""
    path = proof_file()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        text = f"cannot read the proofs ({error}); mend or remove it"
        raise OutsideFailure("proofs-unreadable", text, str(path)) from error


@contextmanager
def adding_proofs() -> Generator[None, None, None]:
    """Keep others from writing while the body reads and writes; raises as `locked` does."""
    make_private_folder(proof_file().parent)
    with locked(proof_file().with_suffix(".lock")):
        yield


def drill_place(key: str) -> Path:
    """What the files of a drill lie beside, named after it."""
    return state_home() / "drills" / key


def drill_lock(key: str) -> HostLock:
    """Held by who drills this version of a server; raises as `HostLock.acquire` does.

    What is left of a drill that was killed is removed.
    """
    place = drill_place(key)
    make_private_folder(place.parent)
    lock = HostLock.acquire(place.with_suffix(".lock"))
    for left in place.parent.glob(f"{key}-*"):
        shutil.rmtree(left, ignore_errors=True)
    return lock


def has_no_word(key: str) -> bool:
    """Whether a drill of this version has come to no word here; that counts for a day."""
    try:
        tried_at = drill_place(key).with_suffix(".tried").stat().st_mtime
    except OSError:
        return False
    return abs(time.time() - tried_at) < _TRIED_FOR_S


def note_no_word(key: str) -> None:
    """Note that; raises OutsideFailure `state-full`, `state-unwritable`."""
    place = drill_place(key)
    make_private_folder(place.parent)
    with writing_state(place):
        write_private(place.with_suffix(".tried"), b"")


def write_proofs(text: str) -> None:
    """Replace them; raises OutsideFailure `state-full`, `state-unwritable`."""
    path = proof_file()
    make_private_folder(path.parent)
    with writing_state(path):
        write_private(path, text.encode("ascii"))
