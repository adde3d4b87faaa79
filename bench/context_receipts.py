"""Do receipts of real failing outputs hold the line that says why, and the exit status?"""

from __future__ import annotations

import asyncio
from dataclasses import asdict

from bench.report import Figure, Setup
from tests.support.failing_outputs import judge_all
from understudy.context.policy import INGEST

MIN_SHARE = 0.95
MIN_OUTPUTS = 40


async def run(setup: Setup) -> list[Figure]:
    """One figure; the misses are in its data."""
    judged = await asyncio.to_thread(judge_all, setup.folder)
    held = [one for one in judged if one.has_line and one.has_status]
    long = [one for one in judged if one.size > INGEST]
    long_held = sum(one in held for one in long)
    share = len(held) / len(judged)
    return [
        Figure(
            "context_receipts", f"{len(judged)} failing outputs of real tools",
            f"{len(held)} receipts hold the line and the status",
            f"of the {len(long)} over {INGEST} bytes: {long_held}",
            share, f">= {MIN_SHARE}",
            share >= MIN_SHARE and len(judged) >= MIN_OUTPUTS,
            {"misses": [asdict(one) for one in judged if one not in held]},
        )
    ]  # fmt: skip
