"""Machines on which no stage can be made, and stages that leak: the probe says so, nothing runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, refused, sh
from understudy.stage.boundary import breaches
from understudy.stage.copy import seccomp
from understudy.stage.model import Command, CommandEnd, StagePlan
from understudy.stage.overlay.kind import OverlayKind
from understudy.stage.overlay.stage import OverlayStage


async def a_filter_like_a_containers(field: Field) -> None:
    """The first system call is refused: step, error and fix are named, nothing is opened."""
    seccomp.install()
    report = await field.kind.probe()
    assert not report.ok
    assert report.step == ("mount namespace" if field.is_root else "user namespace")
    assert report.errno == "EPERM"
    error = await refused(field.kind.open(StagePlan(field.project)), "stage-unavailable")
    assert f"{report.step} failed" in error.text
    assert "Operation not permitted" in error.text


async def too_few_namespaces(field: Field) -> None:
    """A limit of the machine's is told as such; without it, the same kind works."""
    limit = Path("/proc/sys/user/max_mnt_namespaces")
    before = limit.read_text()
    limit.write_text("0")
    report = await field.kind.probe()
    assert (report.ok, report.step, report.errno) == (False, "mount namespace", "ENOSPC"), report
    limit.write_text(before)
    assert (await field.kind.probe()).ok
    async with field.stage() as stage:
        assert (await sh(stage, "echo works")).text == "works\n"


too_few_namespaces.not_as = ("user", "root")  # type: ignore[attr-defined]


async def a_stage_with_a_network_is_seen_through(field: Field) -> None:
    """The self-test looks from outside: it hears what comes out of a stage that leaks."""

    async def leaky(plan: StagePlan) -> Any:
        return await field.kind.open(replace(plan, network="host"))

    found = await breaches(leaky, field.home / "scratch")
    assert found.sentences == ("a TCP connection got out", "a UDP packet got out"), found


class _Leaky(OverlayKind):
    """Every stage of it has the machine's network."""

    async def _open(self, plan: StagePlan) -> OverlayStage:
        return await super()._open(replace(plan, network="host"))


async def a_boundary_that_leaks_runs_nothing(field: Field) -> None:
    """The kind says what got out, hands out no stage, and looks again the next time."""
    leaky = _Leaky(field.home / "scratch", field.home / "scratch" / "helper.log", field.spawn)
    try:
        for _ in range(2):
            error = await refused(leaky.open(StagePlan(field.project)), "stage-unavailable")
            assert "boundary" in error.text, error
            assert "a TCP connection got out; a UDP packet got out" in error.text, error
    finally:
        await leaky.close()


class _NoStage:
    """Runs commands right in the folder, with no isolation at all."""

    def __init__(self, plan: StagePlan) -> None:
        self._root = plan.root

    async def run(self, command: Command, output: Any, errors: Any) -> CommandEnd:
        process = await asyncio.create_subprocess_exec(
            *command.argv, cwd=self._root, stdout=-1, stderr=-1, env=os.environ
        )
        out, err = await process.communicate()
        output(out)
        errors(err)
        return CommandEnd(process.returncode or 0)

    async def close(self) -> None:
        """Nothing to end."""


async def the_real_folder_is_seen_through(field: Field) -> None:
    async def none(plan: StagePlan) -> Any:
        return _NoStage(plan)

    found = await breaches(none, field.home / "scratch")
    text = "; ".join(found.sentences)
    for sentence in (
        "a file outside was written",
        "a file of the folder itself was written",
        "a TCP connection got out",
        "a UDP packet got out",
        "a socket outside was reached",
    ):
        assert sentence in text, text
    async with field.stage():
        pass


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    a_filter_like_a_containers,
    too_few_namespaces,
    a_stage_with_a_network_is_seen_through,
    a_boundary_that_leaks_runs_nothing,
    the_real_folder_is_seen_through,
)
