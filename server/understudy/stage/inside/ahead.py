"""What of a plan can be mounted before it comes: all that is not in its folder.

A waiting process does so for the plan that came last, and takes the next one if that says the same
and the machine is still as it was looked at before.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from understudy.stage.inside.packets import encode

_LISTS = ("covers", "masks", "homes", "visible", "mounts", "veiled", "links", "files")


def split(plan: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The part that has nothing to do with the folder, and the plan without that."""
    root = plan["root"]
    ahead: dict[str, Any] = {"processes": plan["processes"]}
    rest = dict(plan)
    for name in _LISTS:
        ahead[name] = []
        rest[name] = []
        for one in plan[name]:
            path = _path(one)
            part = rest if path == root or path.startswith(f"{root}/") else ahead
            part[name].append(one)
    return ahead, rest


def machine_state(ahead: dict[str, Any]) -> list[object]:
    """Which files and folders are now at these places: a process sees those that it has opened."""
    found: list[object] = [_identity(encode(_path(one))) for one in _places(ahead)]
    for path, _, _, with_links in ahead["covers"]:
        found.append(links_in(encode(path)) if with_links else None)
    return found


def links_in(folder: bytes) -> list[tuple[bytes, bytes]]:
    """Symbolic links right in a folder that is about to be hidden: some systems live by them."""
    with suppress(OSError), os.scandir(folder) as entries:
        return sorted((e.name, os.readlink(e.path)) for e in entries if e.is_symlink())
    return []


def _places(ahead: dict[str, Any]) -> Iterator[str | list[str]]:
    for name in _LISTS:
        yield from ahead[name]


def _path(one: str | list[str]) -> str:
    """Of an entry of any list: a path, or what begins with one."""
    return one if isinstance(one, str) else one[0]


def _identity(path: bytes) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mode, status.st_uid, status.st_gid
