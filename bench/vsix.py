"""How large the packaged extension is, for each platform and without compiled parts."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from bench.report import Figure, Setup

ROOT = Path(__file__).resolve().parent.parent
UNIVERSAL = "universal"
MAX_MB, MAX_UNIVERSAL_MB = 45.0, 3.0
DEADLINE_S = 800


async def run(setup: Setup) -> list[Figure]:
    """One figure a target."""
    return await asyncio.to_thread(_measure, setup.folder)


def _measure(folder: Path) -> list[Figure]:
    for command in (
        ["make", "-s", "extension"],
        [sys.executable, "-m", "tools.vsix", "--out", str(folder)],
    ):
        subprocess.run(command, cwd=ROOT, stdout=sys.stderr, timeout=DEADLINE_S, check=True)
    return [_figure(path) for path in sorted(folder.glob("*.vsix"))]


def _figure(path: Path) -> Figure:
    size = path.stat().st_size / 1e6
    bar = MAX_UNIVERSAL_MB if UNIVERSAL in path.name else MAX_MB
    return Figure("vsix", path.name, f"{size:.1f} MB", bar=f"<= {bar:.0f} MB", ok=size <= bar)
