"""Each system call of a verb fails once in each way that it can: is all old or new then?"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

from bench.report import Figure, Setup
from tests.support.faults.watch import SEES_HERE
from tests.support.random_kill import REPOSITORY


async def run(setup: Setup) -> list[Figure]:
    """One figure a verb, and what is wrong in the JSON behind it."""
    if not SEES_HERE:
        return [Figure("faults", "all verbs", "skipped: needs Linux on x86-64")]
    told = setup.folder / "counts.json"
    command = [sys.executable, "-m", "tests.support.faults", "--json", str(told)]
    await asyncio.to_thread(subprocess.run, command, cwd=REPOSITORY, check=False)
    return [_figure(counts) for counts in json.loads(told.read_text())]


def _figure(counts: dict[str, Any]) -> Figure:
    ways = ", ".join(f"{n} {way}" for way, n in counts["by_way"].items())
    return Figure(
        "faults", counts["verb"],
        f"{len(counts['wrong'])} wrong, {counts['leaked']} processes left",
        f"{counts['faults']} faults at {counts['sites']} calls, "
        f"{counts['power_cuts']} disks after a power cut: {ways}",
        bar="0 and 0",
        ok=not counts["wrong"] and not counts["leaked"] and counts["faults"] > 0,
        data=counts,
    )  # fmt: skip
