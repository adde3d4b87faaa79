"""The question `affected` of a patch without any host, over the files on disk."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from understudy.app.check.affected import AffectedFiles, affected_by_edits
from understudy.disk.folder.scan import scan
from understudy.disk.folder.scanner import FolderScanner
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.values.errors import OutsideFailure
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.live_base import LiveBase
from understudy.workspace.selection import selection_of
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers


async def affected_alone(folder: Path, edits: Sequence[Any], *, tests: bool) -> AffectedFiles:
    """What edits of a folder can reach; it takes no lock and keeps nothing but the index.

    Raises BadInput for a folder or settings that cannot be used, and as `affected` does.
    """
    root = Root.open(folder)
    settings = settings_module.load(root, trusted=is_trusted(root))
    scanner = FolderScanner(functools.partial(scan, root, selection_of(settings.servers)))
    tasks, workers = Tasks(), Workers()
    book = BranchBook(root, tasks, workers)
    book.names = settings.names
    index = BindingIndex(workers, _kept_index(root))
    try:
        base = LiveBase(root, scanner.fresh, lambda _: None)
        return await affected_by_edits(book, index, edits, base, tests=tests)
    finally:
        await index.close()
        await tasks.close()
        await workers.close()


def _kept_index(root: Root) -> Path | None:
    """Where the folder's host keeps its index, too; None where nothing can be kept."""
    layout = workspace_layout(root)
    try:
        return layout.create().bindings
    except OutsideFailure:
        return None
