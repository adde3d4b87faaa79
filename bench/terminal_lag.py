"""How far the log lies behind the screen: a line each 10 ms, and 5 MB a second of them."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from bench.report import Figure, Setup, milliseconds, percentile, spread
from tests.support.terminals import OnPty
from understudy.terminal.log.lock import is_locked

SECONDS = 6.0
BAR_S = 0.2
REFERENCE = "2.6 to 5.5 s (the editor's API)"
_TICKER = (
    "import time\nfor n in range({count}):\n    print('tick', n, flush=True); time.sleep(0.01)"
)
_FLOOD = """
import sys, time
line, begun, n = 'x' * 90, time.monotonic(), 0
while time.monotonic() - begun < {seconds}:
    for _ in range(100):
        sys.stdout.write(f'tick {{n}} {{line}}\\n'); n += 1
    sys.stdout.flush()
    ahead = n * 100 / 5e6 - (time.monotonic() - begun)
    if ahead > 0: time.sleep(ahead)
"""
_TICK = re.compile(rb"tick (\d+)")


async def run(setup: Setup) -> list[Figure]:
    """The time from a line's arrival on the screen to its arrival in the file."""
    root = setup.folder / "lag"
    root.mkdir()
    scripts = {
        "10 ms ticker": _TICKER.format(count=int(SECONDS * 100)),
        "5 MB/s": _FLOOD.format(seconds=SECONDS),
    }
    figures: list[Figure] = []
    for name, script in scripts.items():
        lags = await asyncio.to_thread(_lags, setup.folder / name[:2].strip(), root, script)
        worst = percentile(lags, 99)
        text = f"median {milliseconds(percentile(lags, 50))}, 99 % {milliseconds(worst)}"
        figures.append(
            Figure(
                "terminal_lag",
                f"file behind the screen, {name}",
                text,
                REFERENCE,
                bar=f"99 % <= {milliseconds(BAR_S)}",
                ok=worst <= BAR_S,
                data=spread(lags),
            )
        )
    return figures


def _lags(state: Path, root: Path, script: str) -> Sequence[float]:
    """For each moment that the file grew: how long before its last line was on the screen."""
    environment = {"UNDERSTUDY_STATE_DIR": str(state)}
    command = [sys.executable, "-m", "understudy", "record", "--", sys.executable, "-c", script]
    program = OnPty(command, root, environment)
    shown: dict[int, float] = {}
    is_over = threading.Event()

    def watch() -> None:
        at = 0
        while program.read_some():
            now = time.monotonic()
            ticks = _TICK.findall(program.seen, max(at - 20, 0))
            shown.update((int(tick), now) for tick in ticks if int(tick) not in shown)
            at = len(program.seen)
        is_over.set()

    reader = threading.Thread(target=watch)
    reader.start()
    lags: list[float] = []
    last = -1
    file, logs = -1, list[Path]()
    is_last = False
    while not is_last:
        if file < 0:
            logs = list(state.glob("workspaces/*/terminals/1.txt"))
            file = os.open(logs[0], os.O_RDONLY) if logs else -1
            continue
        is_last = is_over.is_set() and not is_locked(file, None)  # whoever lags goes on alone
        if not os.path.samestat(os.fstat(file), logs[0].stat()):  # the log went on in a new file
            os.close(file)
            file, is_last = os.open(logs[0], os.O_RDONLY), False
        size = os.fstat(file).st_size
        ticks = _TICK.findall(os.pread(file, 4096, max(size - 4096, 1024)))
        now = time.monotonic()
        newest = int(ticks[-2]) if len(ticks) > 1 else -1
        if newest > last:
            # Every line since the last look was late by at most this.
            lags.extend(now - shown[n] for n in range(last + 1, newest + 1) if n in shown)
            last = newest
        time.sleep(0.002)
    reader.join()
    program.finish()
    return lags
