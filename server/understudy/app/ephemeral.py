"""A check without a host: judges a patch or the working tree and leaves nothing behind."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.app import settings as settings_module
from understudy.app.branch_edits import edit_fresh
from understudy.app.check_options import CheckOptions, refuse_unknown_servers, time_limit
from understudy.app.progress import Progress, silent
from understudy.app.session import Session
from understudy.disk.layout import Layout, ephemeral_layout
from understudy.disk.trust import is_trusted
from understudy.langserver.folder_follower import concerns
from understudy.values.paths import Root
from understudy.values.verdicts import CheckReport, Reason

if TYPE_CHECKING:
    from understudy.app.check import Checked


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
    async with _session(folder, options, trust=trust) as session:
        branch = await session.branches.create("check")
        await edit_fresh(session.branches, branch.id, edits, session.bases.own)
        await _start_servers(session, branch.id, options)
        # Loaded while the servers start: it takes as long as they do to be ready.
        from understudy.app.check import check  # noqa: PLC0415
        from understudy.app.sides import base_side, branch_side  # noqa: PLC0415

        after = branch_side(session.branches, branch.id)
        checked = await check(session, base_side, after, options, progress=progress)
        return replace(checked, report=_without_logs(checked.report, session.layout))


async def check_worktree(
    folder: Path,
    revision: str,
    options: CheckOptions,
    *,
    trust: bool = False,
    progress: Progress = silent,
) -> tuple[Checked, str]:
    """What the folder as it is on disk introduces over a git revision, and which one that is.

    Raises BadInput for a folder, settings or revision that cannot be used.
    """
    from understudy.app.check import check  # noqa: PLC0415 - a patch needs no git
    from understudy.app.revisions import revision_sides  # noqa: PLC0415

    async with _session(folder, options, trust=trust) as session:
        sides = await revision_sides(session, revision, progress)
        checked = await check(session, sides.before, sides.after, options, progress=progress)
        checked = replace(checked, report=_without_logs(checked.report, session.layout))
        return checked, sides.revision.text


@asynccontextmanager
async def _session(
    folder: Path, options: CheckOptions, *, trust: bool
) -> AsyncGenerator[Session, None]:
    """A session whose state is gone at the end; raises BadInput for what can be refused at once."""
    root = Root.open(folder)
    trusted = trust or is_trusted(root)
    settings = settings_module.load(root, trusted=trusted)
    with ephemeral_layout() as layout:
        session = Session(root, settings, layout, trusted)
        try:
            refuse_unknown_servers(session.servers, options)
            time_limit(options.timeout_s, settings.timeout_s)
            yield session
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


async def _start_servers(session: Session, branch_id: str, options: CheckOptions) -> None:
    """Launch the servers that will surely be asked, now that nothing can be refused any more.

    Where files come, go or configure a server, the check itself finds out how to show them.
    """
    snapshot = await session.branches.snapshot(branch_id, session.base)
    texts = [path for path in sorted(snapshot.unlike_disk) if snapshot.exists(path)]
    chosen = (choice for path in texts for choice in session.servers.choose(path, options.servers))
    for choice in dict.fromkeys(chosen):
        if choice.is_command or choice.spec is None:
            continue
        if all(
            choice.judges(path) and path in texts and path in snapshot.base.folder.files
            for path in snapshot.unlike_disk
            if concerns(choice.profile, path)
        ):
            session.pool.start(choice.spec, snapshot.base.folder)
    await asyncio.sleep(0)  # one turn of the loop: their processes are there after it
