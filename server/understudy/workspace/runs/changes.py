"""What a command changed on its stage: sorted, split from caches, as edits of a branch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from understudy.disk.folder.scan import PRUNED
from understudy.shadow.snapshot import Snapshot
from understudy.stage.model import Changed, StageChange
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.texts import MAX_TEXT_BYTES, Text

_TAG = "CACHEDIR.TAG"
MAX_HELD = 256 * 1024 * 1024
"""Bytes of changed files that one patch may take; files beyond that are left out and named."""


@frozen
class RunChanges:
    """The changed paths; `products` counts those in caches and installed packages, by folder.

    `skipped` are paths that differ in what no patch can hold, each with the reason.
    """

    items: tuple[StageChange, ...] = ()
    products: Mapping[str, int] = field(default_factory=dict[str, int])
    skipped: tuple[tuple[str, str], ...] = ()


@frozen
class LeftOut:
    """A changed path that is not where it was wanted, why, and the file that keeps it."""

    path: str
    reason: str
    file: Path | None = None

    def __str__(self) -> str:
        kept = "" if self.file is None else f"; kept as {self.file}"
        return f"{self.path}: {self.reason}{kept}"


@frozen
class Patch:
    """The changes as a git diff, and the paths that it leaves out."""

    data: bytes
    left_out: tuple[LeftOut, ...]


async def run_changes(stage: Changed, root: Root) -> RunChanges:
    """Ask the stage, and set apart what is no source.

    That is, what lies in caches and package folders: by their names, or marked by a `CACHEDIR.TAG`
    (bford.info/cachedir), as cargo's `target` is.
    """
    found = await stage.changes()
    tagged = _tagged((change.path for change in found.items), root)
    items: list[StageChange] = []
    products: dict[str, int] = {}
    for change in found.items:
        folder = _product_folder(change.path, tagged)
        if folder is None:
            items.append(change)
        else:
            products[folder] = products.get(folder, 0) + 1
    return RunChanges(tuple(items), dict(sorted(products.items())), found.skipped)


async def edit_of(stage: Changed, snapshot: Snapshot, change: StageChange) -> dict[str, Any] | None:
    """The edit that makes the same of the file; None for a mode alone. Raises BadInput, Moved."""
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
