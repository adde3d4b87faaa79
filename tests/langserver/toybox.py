"""A pool of toy servers in a folder with two small files."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.langserver.worlds import World, open_pool, soon
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.client import Hooks
from understudy.langserver.pool import Pool
from understudy.langserver.seat import ServerLimits
from understudy.langserver.spec import ServerSpec
from understudy.values.verdicts import Answer

TOYS = Path(__file__).parent.parent / "toys"
FILES = {"a.txt": "fine\n", "b.txt": "fine\n"}
BAD = {"a.txt": "fine\nBAD one\n"}
SECONDS = 60.0
"""Longer than real work takes on the busiest machine: what needs it all has not come at all."""


@dataclass
class Zoo:
    world: World
    pool: Pool

    def spec(self, toy: str, **overrides: Any) -> ServerSpec:
        record = {
            "group": "toy",
            "command": [sys.executable, "-S", str(TOYS / f"{toy}.py")],
            "files": {"*.txt": "plaintext"},
            "rule": "pull",
            "scope": "file",
            "install": "it is here",
            "canary": {"plaintext": "BAD {token}"},
            "objections": {"python": "BAD objection"},
            **overrides,
        }
        profile = Catalogue.load({toy: record}).named(toy)
        assert profile is not None
        return ServerSpec(profile, profile.command, self.world.root, settings=profile.settings)

    async def judge(
        self,
        spec: ServerSpec,
        edits: dict[str, str | None] | None = None,
        seconds: float = SECONDS,
        owner: str = "test",
    ) -> Answer:
        async with self.pool.lease(spec, owner, soon(seconds)) as lease:
            answers = await lease.judge(self.world.snapshot(edits), ["a.txt"], soon(seconds))
        return answers["a.txt"]


@asynccontextmanager
async def open_zoo(
    folder: Path, limits: ServerLimits | None = None, hooks: Hooks | None = None
) -> AsyncIterator[Zoo]:
    """A zoo whose servers are all gone at the end, or the test fails."""
    world = World.make(folder / "work", FILES)
    async with open_pool(folder / "logs", limits or ServerLimits(start_s=SECONDS), hooks) as pool:
        yield Zoo(world, pool)
    assert ended_in(folder), "a server, or what it started, outlived its pool"


def running_in(folder: Path, seconds: float = 2) -> list[int]:
    """Processes whose working folder lies there, as that of every server and its children does.

    Those that were ended may need a while to be gone on a busy machine: `ended_in` has it.
    """
    found = [
        process
        for process in psutil.process_iter(["cwd"])
        if str(process.info["cwd"] or "").startswith(str(folder))
    ]
    _, alive = psutil.wait_procs(found, timeout=seconds)
    return [process.pid for process in alive]


def toys_in(folder: Path) -> set[int]:
    """The toy servers that work in a folder now."""
    return {
        process.pid
        for process in psutil.process_iter(["cwd", "cmdline"])
        if str(process.info["cwd"] or "").startswith(str(folder))
        and any(word.startswith(str(TOYS)) for word in process.info["cmdline"] or ())
    }


def ended_in(folder: Path) -> bool:
    """Whether all processes there were ended; none of those that tests start ends by itself."""
    return running_in(folder, SECONDS) == []
