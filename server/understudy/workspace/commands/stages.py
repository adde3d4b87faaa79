"""The stages of checking commands, and what they have proven; both end with the session."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace

from understudy.checkers.evidence import CheckerEvidence
from understudy.langserver.spec import ServerSpec
from understudy.stage.choose import StageChooser
from understudy.values.stamps import Stamp
from understudy.workspace.commands.stage import CommandStage

_KEPT = 32


class CommandStages:
    """One stage a command; what was proven is kept by stamp."""

    def __init__(self, chooser: Callable[[], StageChooser]) -> None:
        self._chooser = chooser
        self._stages: dict[str, CommandStage] = {}
        self._proven: OrderedDict[Stamp, CheckerEvidence] = OrderedDict()

    def stage(self, spec: ServerSpec) -> CommandStage:
        """The command's stage; opened at its first run."""
        if spec.key not in self._stages:
            self._stages[spec.key] = CommandStage(spec, self._chooser())
        return self._stages[spec.key]

    def kept(self, stamp: Stamp) -> CheckerEvidence | None:
        """What a run has proven before, at no cost."""
        found = self._proven.get(stamp)
        if found is None:
            return None
        self._proven.move_to_end(stamp)
        return replace(found, elapsed_ms=0.0)

    def keep(self, stamp: Stamp, evidence: CheckerEvidence) -> None:
        """Keep what a run has proven."""
        self._proven[stamp] = evidence
        if len(self._proven) > _KEPT:
            self._proven.popitem(last=False)

    async def close(self) -> None:
        """End every stage."""
        for stage in self._stages.values():
            await stage.close()
        self._stages.clear()
