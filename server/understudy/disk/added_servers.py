"""What `servers add` has installed, for all folders: a record each, and a folder of programs.

A record is written last and removed first. A folder that no record names is none of anything: who
changes something here next removes it.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, cast

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.lock import locked
from understudy.disk.room import writing_state
from understudy.values.frozen import frozen
from understudy.values.own_folders import state_home

_SCHEMA = 1


@frozen
class AddedServer:
    """One installation. packages: as they were asked for. places: folders of its programs."""

    key: str
    folder: Path
    packages: tuple[str, ...]
    places: tuple[Path, ...]


def records_folder() -> Path:
    """Where the records lie; its time changes with each of them."""
    return state_home() / "servers"


def read_added(key: str) -> AddedServer | None:
    """The installation of this name; None where there is none, or its record is none of ours."""
    try:
        raw: Any = json.loads((records_folder() / f"{key}.json").read_bytes())
        record = cast("dict[str, Any]", raw)
        folder = _programs() / _plain(record["folder"])
        places = tuple(folder / place for place in map(str, record["places"]))
        packages = tuple(map(str, record["packages"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    inside = all(place.is_relative_to(folder) and ".." not in place.parts for place in places)
    if record.get("schema") != _SCHEMA or not inside or not folder.is_dir():
        return None
    return AddedServer(key, folder, packages, places)


@contextmanager
def adding(key: str) -> Generator[Path, None, None]:
    """A new folder for programs, gone after the body if `keep_added` was not called for it.

    Raises OutsideFailure `busy` where another process changes something here, `state-full`,
    `state-unwritable`.
    """
    with _changing():
        folder = _programs() / f"{key}.{os.urandom(4).hex()}"
        make_private_folder(folder)
        yield folder


def keep_added(key: str, folder: Path, packages: Sequence[str], places: Sequence[Path]) -> None:
    """Record what lies in a folder that `adding` gave, in place of what had this name."""
    record = {
        "schema": _SCHEMA,
        "folder": folder.name,
        "packages": list(packages),
        "places": [place.relative_to(folder).as_posix() for place in places],
    }
    file = records_folder() / f"{key}.json"
    make_private_folder(file.parent)
    with writing_state(file):
        write_private(file, json.dumps(record, indent=1, sort_keys=True).encode("ascii") + b"\n")


def remove_added(key: str) -> bool:
    """Remove an installation with all its files; False if there was none.

    Raises as `adding`.
    """
    if not records_folder().is_dir():
        return False
    with _changing():
        file = records_folder() / f"{key}.json"
        there = file.is_file()
        with writing_state(file):
            file.unlink(missing_ok=True)
    return there


def _programs() -> Path:
    return state_home() / "programs"


@contextmanager
def _changing() -> Generator[None, None, None]:
    make_private_folder(records_folder())
    make_private_folder(_programs())
    with locked(state_home() / "servers.lock"):
        try:
            yield
        finally:
            _sweep()


def _sweep() -> None:
    """Remove the folders of programs that no record names."""
    keys = (file.stem for file in records_folder().glob("*.json"))
    kept = {added.folder.name for added in map(read_added, keys) if added is not None}
    for folder in _programs().iterdir():
        if folder.name not in kept:
            shutil.rmtree(folder, ignore_errors=True)  # on Windows one may still be running
    for folder in (_programs(), records_folder()):
        with suppress(OSError):  # there are others
            folder.rmdir()


def _plain(name: object) -> str:
    if not isinstance(name, str) or Path(name).name != name:
        raise ValueError(name)
    return name
