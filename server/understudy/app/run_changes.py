"""What a command changed on its stage: sorted, split from caches, with contents for a patch."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.disk.folder_scan import PRUNED
from understudy.edits.render_binary import Content, FileMode, any_diff
from understudy.shadow.snapshot import Snapshot
from understudy.stage.model import Change, Stage
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.values.texts import MAX_TEXT_BYTES, Text

_TAG = "CACHEDIR.TAG"
MAX_HELD = 256 * 1024 * 1024
"""Bytes of changed files that one patch may take; files beyond that are left out and named."""


@dataclass(frozen=True)
class RunChanges:
    """The changed paths; `products` counts those in caches and installed packages, by folder.

    `skipped` are paths that differ in what no patch can hold, each with the reason.
    """

    items: tuple[Change, ...] = ()
    products: Mapping[str, int] = field(default_factory=dict[str, int])
    skipped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Patch:
    """The changes as a git diff, and the paths that it leaves out, each with the reason."""

    data: bytes
    left_out: tuple[tuple[str, str], ...]


async def run_changes(stage: Stage, root: Root) -> RunChanges:
    """Ask the stage, and set apart what is no source.

    That is, what lies in caches and package folders: by their names, or marked by a `CACHEDIR.TAG`
    (bford.info/cachedir), as cargo's `target` is.
    """
    found = await stage.changes()
    tagged = _tagged((change.path for change in found.items), root)
    items: list[Change] = []
    products: dict[str, int] = {}
    for change in found.items:
        folder = _product_folder(change.path, tagged)
        if folder is None:
            items.append(change)
        else:
            products[folder] = products.get(folder, 0) + 1
    return RunChanges(tuple(items), dict(sorted(products.items())), found.skipped)


async def patch_of(stage: Stage, snapshot: Snapshot, root: Root, changes: RunChanges) -> Patch:
    """The changes from the snapshot's texts to the stage's, in the order of their paths."""
    parts: list[bytes] = []
    left_out: list[tuple[str, str]] = []
    held = 0
    for change in changes.items:
        held += change.size
        if held > MAX_HELD:
            left_out.append((change.path, "the patch is too large"))
            continue
        after = None if change.kind == "deleted" else await stage.read(change.path)
        if after is None and change.kind != "deleted":
            left_out.append((change.path, "a symbolic link"))
            continue
        mode: FileMode = "executable" if change.executable else "file"
        new = None if after is None else Content(after, mode)
        old = await asyncio.to_thread(_before, snapshot, root, change)
        parts.append(await asyncio.to_thread(any_diff, old, new, change.path))
    return Patch(b"".join(parts), tuple(left_out))


async def edits_of(
    stage: Stage, snapshot: Snapshot, changes: RunChanges
) -> tuple[list[dict[str, Any]], list[tuple[str, str]]]:
    """The changes as edits of a branch, and those that a branch cannot hold, with the reason."""
    edits: list[dict[str, Any]] = []
    refused: list[tuple[str, str]] = []
    for change in changes.items:
        try:
            edit = await _edit_of(stage, snapshot, change)
        except BadInput as error:
            refused.append((change.path, error.code))
        else:
            edits += [] if edit is None else [edit]
    return edits, refused


async def _edit_of(stage: Stage, snapshot: Snapshot, change: Change) -> dict[str, Any] | None:
    """The edit that makes the same of the file; None for a mode alone. Raises BadInput."""
    path = change.path
    if change.kind == "deleted":
        snapshot.read(path)  # a branch deletes texts only
        return {"kind": "delete", "path": path}
    if change.type == "symlink":
        raise BadInput("unsupported", "a branch holds no links", path)
    if change.size > MAX_TEXT_BYTES:
        raise BadInput("too-large", "the file is over the limit", path)
    after = Text.decode(await stage.read(path) or b"", path)
    before = snapshot.read(path)
    like = Text("") if before is None else before
    if (after.encoding, after.bom) != (like.encoding, like.bom) and not (
        before is None and after.encoding == "utf-8"
    ):
        raise BadInput("unsupported", "the command changed its encoding", path)
    if before == after:
        return None
    mark = "\ufeff" if before is None and after.bom else ""
    return {"kind": "write", "path": path, "text": mark + after.content}


def _before(snapshot: Snapshot, root: Root, change: Change) -> Content | None:
    """What the stage showed before the command ran."""
    if change.kind == "added":
        return None
    path = change.path
    mode: FileMode = "executable" if change.was_executable else "file"
    if path in snapshot.overlay:
        text = snapshot.overlay[path]
        return None if text is None else Content(text.unpack().encode(), mode)
    absolute = root.absolute(path)
    if absolute.is_symlink():
        return Content(os.fsencode(absolute.readlink()), "symlink")
    return Content(absolute.read_bytes(), mode)


def _tagged(paths: Iterable[str], root: Root) -> frozenset[str]:
    """Folders above these paths that hold a cache's tag, on the stage or on disk."""
    folders: set[str] = set()
    tagged: set[str] = set()
    for path in paths:
        above, _, name = path.rpartition("/")
        if name == _TAG and above:
            tagged.add(above + "/")
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    tagged |= {f"{folder}/" for folder in folders if Path(root.absolute(folder), _TAG).is_file()}
    return frozenset(tagged)


def _product_folder(path: str, tagged: frozenset[str]) -> str | None:
    """The outermost cache or package folder that a path lies in, with a slash at its end."""
    parts = path.split("/")
    for index, part in enumerate(parts[:-1], 1):
        folder = "/".join(parts[:index]) + "/"
        if part in PRUNED or part.endswith(".egg-info") or folder in tagged:
            return folder
    return None
