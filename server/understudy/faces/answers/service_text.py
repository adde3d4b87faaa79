"""What agents read of services: that one is up, that it is not, how it has ended."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence

from understudy.app.run.run import RunReceipt
from understudy.app.run.services import ServiceEnd, StageService
from understudy.faces.answers.agent_text import capped, look_line, run_lines, shortened
from understudy.values.printable import first_few, printable

_COMMAND_BYTES = 200
_FEW = 8


def up_text(service: StageService) -> str:
    """A service is ready: by what, for how long, and how one comes to it and ends it."""
    stage = service.options.shared
    lines = [
        f"UP: {service.until}; {_command(service)}",
        f"it goes on beside this session; runs with {_named(stage)} reach it",
        f"it ends with this session, or by {_ending(stage)}",
    ]
    lines[1:1] = old_lines(service.stale, stage, ends=True)
    if service.output is not None:
        lines.append(look_line(service.output, "its output so far"))
    return capped(map(printable, lines))


def _end_lines(end: ServiceEnd) -> list[str]:
    """How one has ended, with its receipt."""
    told = [f"service: {_command(end.service)}"]
    told += [end.failure] if end.failure else []
    return [*map(printable, told), *([] if end.receipt is None else run_lines(end.receipt))]


def ended_text(stage: str, ends: Sequence[ServiceEnd]) -> str:
    """Services of a stage were ended, each with its receipt."""
    lines = [printable(f"ended {len(ends)} of stage {stage}")]
    for end in ends:
        lines += _end_lines(end)
    return capped(lines)


def notes_of(
    receipt: RunReceipt,
    running: Sequence[StageService],
    ended: Sequence[ServiceEnd],
) -> list[str]:
    """What a run is told of its stage: what is old there, services that are gone, others."""
    stage = receipt.options.shared
    notes = [
        f"a service of this stage HAS ENDED: {_command(end.service)}; {_how(end)}" for end in ended
    ]
    notes += [f"service of this stage: {_command(one)}" for one in running]
    notes = notes or [f"no service of this session runs on stage {stage}"]
    return [*old_lines(receipt.moved, stage, ends=bool(running)), *notes]


def old_lines(stale: Iterable[str], stage: str | None, *, ends: bool) -> list[str]:
    """What the stage has as it was, if anything; `ends` says to end the services there."""
    if not (listed := sorted(stale)):
        return []
    moved = f"{first_few(listed, _FEW)}: changed since stage {stage} was opened"
    advice = "; once all that runs there has ended, it is made anew" if ends else ""
    return [f"MAY BE OLD THERE: {moved}{advice}"]


def _how(end: ServiceEnd) -> str:
    return end.failure if end.receipt is None else run_lines(end.receipt)[0]


def _command(service: StageService) -> str:
    return shortened(shlex.join(service.options.argv), _COMMAND_BYTES)


def _named(stage: str | None) -> str:
    return json.dumps({"stage": stage}, ensure_ascii=False)


def _ending(stage: str | None) -> str:
    return json.dumps({"command": [], "stage": stage}, ensure_ascii=False)
