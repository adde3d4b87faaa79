"""Outlines of long texts that are about to be attached to a log."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from understudy.context.policy import Policy
from understudy.disk.folder.scan import FolderReader
from understudy.shadow.base import Base, Buffer
from understudy.shadow.folder import FolderView
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text
from understudy.workspace.outlines.work import OutlineWish

if TYPE_CHECKING:
    from understudy.workspace.outlines.outliner import Outliner


async def outlines_of(
    root: Root, outliner: Outliner, raw: Sequence[object], policy: Policy
) -> dict[str, str]:
    """SHA-256 of each attached text with too many lines -> its outline.

    What cannot be outlined is not in it: a receipt stands for it then.
    """
    found: dict[str, str] = {}
    for path, text in _long_texts(raw, policy):
        data = text.encode("utf-8", "surrogatepass")
        try:
            base = Base(FolderView(FolderReader(root), {}))
            buffer = Buffer(PackedText.hold(Text.decode(data, path)), "", 0)
            snapshot = Snapshot(base.with_buffer(root.relative(path), buffer))
            answer = await outliner.outline(
                snapshot, root.relative(path), OutlineWish(), title=path
            )
        except UnderstudyError:
            continue
        found[hashlib.sha256(data).hexdigest()] = answer.delivery.text
    return found


def has_long_texts(raw: Sequence[object], policy: Policy) -> bool:
    """Whether there is anything to outline, which takes a worker process."""
    return bool(_long_texts(raw, policy))


def _long_texts(raw: Sequence[object], policy: Policy) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for item in raw:
        if not isinstance(item, Mapping):
            continue
        table = cast("Mapping[str, Any]", item)
        path, text = table.get("path"), table.get("text")
        if table.get("kind") != "attach" or not isinstance(path, str) or not isinstance(text, str):
            continue
        if text.count("\n") > policy.outline_lines:
            found.append((path, text))
    return found
