"""What a start does first: accepts that a kill has broken off are finished or taken back."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping

from understudy.disk.folder.write import UNCHANGED
from understudy.disk.journal.accepts import BegunAccept
from understudy.disk.journal.journal import Journal
from understudy.disk.journal.recovery import Recovered, recover_accept
from understudy.shadow.branch import BranchFile
from understudy.shadow.merge import merge_texts
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root
from understudy.values.texts import PackedText
from understudy.workspace.branches.rebase import rename_source, same, unpacked

log = logging.getLogger(__name__)


async def recover_accepts(root: Root, journal: Journal) -> list[str]:
    """End what was begun; the caller holds the host lock. Returns what the user should be told.

    What cannot be ended now, as the disk is full, is tried again at the next start.
    """
    told: list[str] = []
    for accept in await journal.begun_accepts():
        try:
            recovered = await asyncio.to_thread(recover_accept, root, accept)
            if recovered.finished and not await _leaves_edits(journal, accept):
                await journal.archive(accept.branch, time.time(), "accepted")
            else:
                await journal.forget_accept(accept.branch)
            told.append(_told(accept, recovered))
        except UnderstudyError as error:
            why = str(error).removesuffix(UNCHANGED)
            text = f"can be neither finished nor taken back yet: {why}; the next start tries again"
            told.append(f"{_begun(accept)} {text}")
    told = [f"understudy: {line}" for line in told]
    for line in told:
        log.warning("%s", line)
    return told


async def _leaves_edits(journal: Journal, accept: BegunAccept) -> bool:
    """Whether its branch has more: it was of a part, or an agent has gone on since.

    What it wrote, the branch's next rebase finds to be there.
    """
    accepted = {file.step.path: file.after for file in accept.files}
    return any(
        not same(file.base, file.after)
        and (path not in accepted or not _is_in(accepted[path], branch.files, path))
        for branch in (await journal.load()).branches
        if branch.id == accept.branch
        for path, file in branch.files.items()
    )


def _is_in(text: PackedText | None, files: Mapping[str, BranchFile], path: str) -> bool:
    """Whether a text has all that a branch changes there, whatever else the user has in it."""
    file = files[path]
    if same(file.after, text):
        return True
    source = rename_source(files, path)
    base = file.base if source is None else files[source].base
    merged = merge_texts(unpacked(base), unpacked(file.after), unpacked(text))
    return not merged.conflicts and merged.text == unpacked(text)


def _told(accept: BegunAccept, recovered: Recovered) -> str:
    if recovered.finished:
        return f"{_begun(accept)} is finished now: {len(accept.files)} files"
    kept = f"; what the user has written since stays: {', '.join(recovered.kept)}"
    end = kept if recovered.kept else ""
    return f"{_begun(accept)} is taken back ({recovered.why}); the branch is kept{end}"


def _begun(accept: BegunAccept) -> str:
    return f"an accept of {accept.branch} that was broken off"
