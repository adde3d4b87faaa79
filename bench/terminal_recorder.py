"""What recording costs the user: `cat` of 100 MB to a terminal, beside script(1)."""

from __future__ import annotations

import statistics
import time

from bench.report import Figure, Setup
from tests.support.recorded_shells import RecordedTerminal
from tests.support.terminals import OnPty

SIZE = 100_000_000
N_RUNS = 3
MAX_RATIO = 1.5


async def run(setup: Setup) -> list[Figure]:
    """The ratio of the medians of wall times."""
    big = setup.folder / "big.txt"
    line = b"2026-11-21T08:55:00Z INFO an ordinary line of a log, with the number 12345 in it\n"
    big.write_bytes(line * (SIZE // len(line)))
    root = setup.folder / "workspace"
    root.mkdir()
    state = {"UNDERSTUDY_STATE_DIR": str(setup.folder / "state")}
    ours = ["--", "cat", str(big)]
    theirs = ["script", "-qfc", f"cat {big}", str(setup.folder / "typescript")]
    times: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _ in range(N_RUNS):
        began = time.monotonic()
        program = RecordedTerminal(ours, root, state, keeps=False)
        times["ours"].append(_end_of(program) - began)
        program.wait_for_log()  # or the scribe's rest would slow down the other
        began = time.monotonic()
        times["theirs"].append(_end_of(OnPty(theirs, root, state, keeps=False)) - began)
    mine, other = (statistics.median(times[name]) for name in ("ours", "theirs"))
    text = f"{mine:.1f} s, script {other:.1f} s: {mine / other:.2f} times (bar {MAX_RATIO})"
    return [Figure("terminal_recorder", "cat of 100 MB", text, ok=mine / other <= MAX_RATIO)]


def _end_of(program: OnPty) -> float:
    """When the terminal's other side was closed, on the clock of the times here."""
    OnPty.finish(program)
    ended = time.monotonic()
    assert program.status == 0
    return ended
