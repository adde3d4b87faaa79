"""Plays one scenario: `python -m tests.support.stages.worker MODULE NAME HOME`."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path

from tests.support.stages.field import fingerprints, playing

LIMIT_S = 240


async def play(module: str, name: str, home: Path) -> None:
    """The user's own folders are as they were, whatever the scenario does on its stages."""
    scenario = getattr(importlib.import_module(module), name)
    async with playing(home) as field:
        prepare = getattr(scenario, "prepare", None)
        if prepare is not None:
            prepare(field)
        before = fingerprints(field.project), fingerprints(field.outside)
        await scenario(field)
        assert (fingerprints(field.project), fingerprints(field.outside)) == before
    leftovers = sorted(path.name for path in (home / "scratch").iterdir())
    assert leftovers == ["helper.log"], leftovers
    assert (home / "scratch" / "helper.log").read_text() == ""


if __name__ == "__main__":
    asyncio.run(asyncio.wait_for(play(sys.argv[1], sys.argv[2], Path(sys.argv[3])), LIMIT_S))
