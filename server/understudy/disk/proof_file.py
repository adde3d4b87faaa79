"""The proofs of servers' profiles that were made on this machine, for all its folders."""

from __future__ import annotations

from pathlib import Path

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import writing_state
from understudy.values.errors import OutsideFailure
from understudy.values.own_folders import state_home


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


def write_proofs(text: str) -> None:
    """Replace them; raises OutsideFailure `state-full`, `state-unwritable`."""
    path = proof_file()
    make_private_folder(path.parent)
    with writing_state(path):
        write_private(path, text.encode("ascii"))
