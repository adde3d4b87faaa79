"""A check without a host: judges a patch and leaves nothing behind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from understudy.app import settings as settings_module
from understudy.app.check import REPEATS, Checked, CheckOptions, check
from understudy.app.progress import Progress, silent
from understudy.app.session import Session
from understudy.app.sides import base_side, branch_side
from understudy.disk.layout import Layout, ephemeral_layout
from understudy.disk.trust import is_trusted
from understudy.shadow.folder import Moved
from understudy.values.paths import Root
from understudy.values.verdicts import CheckReport, Reason


async def check_edits(
    folder: Path,
    edits: Sequence[dict[str, Any]],
    options: CheckOptions,
    *,
    trust: bool = False,
    progress: Progress = silent,
) -> Checked:
    """What the edits introduce over the folder as it is on disk.

    Raises BadInput for a folder, settings or edits that cannot be used.
    """
    root = Root.open(folder)
    trusted = trust or is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    with ephemeral_layout() as layout:
        session = Session(root, settings, layout, trusted)
        try:
            branch = await session.branches.create("check")
            await _edit(session, branch.id, edits)

            after = branch_side(session, branch.id)
            checked = await check(session, base_side, after, options, progress=progress)
            return replace(checked, report=_without_logs(checked.report, layout))
        finally:
            await session.close()


def without_log(text: str, layout: Layout) -> str:
    """The text of a reason without the place of a log that is gone by the time it is read."""
    return re.sub(rf"; log: {re.escape(str(layout.logs))}\S*", "", text)


def _without_logs(report: CheckReport, layout: Layout) -> CheckReport:
    def cleaned(reason: Reason | None) -> Reason | None:
        return reason and replace(reason, text=without_log(reason.text, layout))

    files = [
        replace(
            file,
            reason=cleaned(file.reason),
            servers=tuple(replace(one, reason=cleaned(one.reason)) for one in file.servers),
        )
        for file in report.files
    ]
    return replace(report, files=tuple(files))


async def _edit(session: Session, branch_id: str, edits: Sequence[dict[str, Any]]) -> None:
    """Apply the edits over the folder; a file that changes while it is read is read again."""
    for _ in range(REPEATS):
        try:
            await session.branches.edit(branch_id, edits, await session.fresh_base())
        except Moved:
            continue
        return
    await session.branches.edit(branch_id, edits, await session.fresh_base())
