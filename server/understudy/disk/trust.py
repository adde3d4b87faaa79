"""The folders whose code the user allows to run: `trust.json`, a list of real paths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder, trust_file
from understudy.disk.room import writing_state
from understudy.values.errors import OutsideFailure
from understudy.values.paths import Root


def is_trusted(root: Root) -> bool:
    """Whether the folder, or one that it lies in, is trusted."""
    return any(root.path.is_relative_to(folder) for folder in trusted_folders())


def trust(root: Root) -> bool:
    """Trust a folder; False if it was on the list before."""
    folders = trusted_folders()
    if root.path in folders:
        return False
    _write([*folders, root.path])
    return True


def distrust(root: Root) -> bool:
    """Take a folder off the list; False if it was not on it (one above it may still count)."""
    folders = trusted_folders()
    if root.path not in folders:
        return False
    _write([folder for folder in folders if folder != root.path])
    return True


def trusted_folders() -> list[Path]:
    """The trusted folders, sorted; raises OutsideFailure `trust-unreadable` for a damaged list."""
    path = trust_file()
    try:
        raw: object = json.loads(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise _damaged(path, str(error)) from error
    if isinstance(raw, dict):
        folders = cast("dict[str, Any]", raw).get("folders")
        if isinstance(folders, list):
            names = cast("list[object]", folders)
            if all(isinstance(name, str) for name in names):
                return sorted(Path(str(name)) for name in names)
    raise _damaged(path, "it is not a list of folders")


def _write(folders: list[Path]) -> None:
    path = trust_file()
    make_private_folder(path.parent)
    document = {"folders": sorted(str(folder) for folder in folders)}
    with writing_state(path):
        write_private(path, json.dumps(document, indent=2).encode("ascii") + b"\n")


def _damaged(path: Path, why: str) -> OutsideFailure:
    return OutsideFailure(
        "trust-unreadable", f"cannot read the trusted folders ({why}); mend or remove it", str(path)
    )
