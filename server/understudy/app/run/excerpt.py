"""What a run's receipt shows of a long output: both its ends, and the lines that say what failed.

A worker looks, by the rules that every other receipt is written by.
"""

from __future__ import annotations

import mmap
from dataclasses import replace
from pathlib import Path

from understudy.context.policy import DEFAULT
from understudy.context.receipt import SEARCHED_BYTES, Totals, receipt_text
from understudy.disk.output_file import StoredOutput
from understudy.values.errors import OutsideFailure
from understudy.workspace.workers import Workers

SECONDS = 20.0
_LEAST_ROOM = 1024


async def output_excerpt(workers: Workers, output: StoredOutput, room: int) -> list[str]:
    """Numbered lines of at most `room` bytes in all, gaps counted.

    Empty where nobody could look: the head and tail that the receipt has must do then.
    """
    try:
        return await workers.run_elsewhere(
            _excerpt, output.path, output.lines, room, seconds=SECONDS
        )
    except OutsideFailure:
        return []


def _excerpt(path: Path, n_lines: int, room: int) -> list[str]:
    policy = replace(DEFAULT, receipt_bytes=max(room, _LEAST_ROOM), tail_lines=40, error_lines=25)
    with path.open("rb") as stream:
        size = path.stat().st_size
        # A long output is not read whole: the writer of receipts looks at both ends of it.
        data = stream.read() if size <= 2 * SEARCHED_BYTES else mmap.mmap(
            stream.fileno(), 0, access=mmap.ACCESS_READ
        )  # fmt: skip
        totals = Totals("", size, n_lines, is_text=True)
        return receipt_text(data, totals, policy).splitlines()[1:]
