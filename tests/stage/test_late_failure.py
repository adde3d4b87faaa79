"""A stage that fails when its processes run already leaves none of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.support.stages.field import playing, refused, until
from understudy.stage.model import StagePlan
from understudy.stage.overlay.kind import OverlayKind

WAITING = 2
"""Processes that the helper keeps for its next stage."""


async def test_a_folder_that_goes_while_its_stage_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(tmp_path) as field:
        async with field.stage():  # the helper stays warm
            pass
        helper = psutil.Process(field.kind.helper_pid)
        await until(lambda: _below(helper) == WAITING, "the end of the first stage")
        before = psutil.Process().num_fds()
        request = OverlayKind._request

        async def requested(kind: OverlayKind, *given: Any) -> Any:
            answer = await request(kind, *given)
            field.project.rename(tmp_path / "away")
            return answer

        monkeypatch.setattr(OverlayKind, "_request", requested)
        error = await refused(field.kind.open(StagePlan(field.project)), "stage-failed")
        assert error.where == str(field.project)
        await until(lambda: _below(helper) == WAITING, "the end of what was opened")
        await until(lambda: psutil.Process().num_fds() == before, "the end of its descriptors")


def _below(helper: psutil.Process) -> int:
    return len(helper.children(recursive=True))
