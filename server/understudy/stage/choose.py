"""Chooses the best kind of stage that works here: overlay, then copy, then memory.

There is no silent fall back to the user's folder: where nothing keeps a command apart, the memory
kind refuses to run it, with the failing step of each other kind and its fix.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from understudy.disk.room import needing_room
from understudy.process.launch import Spawn
from understudy.stage.copy.kind import CopyKind
from understudy.stage.memory import MemoryKind
from understudy.stage.model import (
    Additions,
    KindName,
    ProbeReport,
    Stage,
    StageKind,
    StagePlan,
    unavailable,
)
from understudy.stage.overlay.kind import OverlayKind
from understudy.values.errors import BadInput

KINDS: tuple[KindName, ...] = ("overlay", "copy", "memory")


class StageChooser:
    """Owns the kinds, each made once; `close` ends all their stages.

    `scratch` is a private folder on disk for them, `log` their helper's log. `added` says what
    every stage of somebody with an environment shows besides the lists.
    """

    def __init__(
        self,
        scratch: Path,
        log: Path,
        spawn: Spawn,
        added: Callable[[Mapping[str, str]], Additions] = lambda _: Additions(),
    ) -> None:
        self._added = added
        self._scratch = scratch
        self._kinds: tuple[StageKind, ...] = (OverlayKind(scratch, log, spawn), CopyKind(scratch))
        self._memory = MemoryKind()
        self._unfenced = CopyKind(scratch, fenced=False)

    async def probe(self) -> list[ProbeReport]:
        """What works here: every kind, the best first."""
        return [await kind.probe() for kind in (*self._kinds, self._memory)]

    async def report(self, name: KindName) -> ProbeReport:
        """Whether the kind of that name works here, and why not."""
        kinds: tuple[StageKind, ...] = (*self._kinds, self._memory)
        return await next(kind for kind in kinds if kind.name == name).probe()

    async def open(
        self, plan: StagePlan, *, wanted: KindName | None = None, unfenced: bool = False
    ) -> Stage:
        """Open a stage of the wanted kind, else of the best one that works.

        `unfenced` allows a plain copy, without any fence, where no kind works. Raises BadInput
        `no-such-stage` and what `StageKind.open` raises; OutsideFailure `stage-unavailable` if the
        wanted kind does not work here, `state-full` or `state-unwritable`.
        """
        if wanted is not None and wanted not in KINDS:
            raise BadInput("no-such-stage", f"there are: {', '.join(KINDS)}", wanted)
        environ = os.environ if plan.environ is None else plan.environ
        plan = replace(plan, added=self._added(environ) + plan.added)
        with needing_room(self._scratch):
            return await self._opened(plan, wanted, unfenced=unfenced)

    async def _opened(self, plan: StagePlan, wanted: KindName | None, *, unfenced: bool) -> Stage:
        failed: list[ProbeReport] = []
        for kind in self._kinds:
            if wanted in (None, kind.name):
                report = await kind.probe()
                if report.ok:
                    return await kind.open(plan)
                failed.append(report)
        if unfenced and wanted in (None, "copy"):
            return await self._unfenced.open(plan)
        if wanted in (None, "memory"):
            self._memory.why = "; ".join(unavailable(report).text for report in failed)
            return await self._memory.open(plan)
        raise unavailable(failed[0])

    async def close(self) -> None:
        """End every stage and what the kinds keep warm."""
        for kind in (*self._kinds, self._unfenced):
            await kind.close()
