"""Two hundred kills of a stream of outputs, and the speed of `put` beside a plain write."""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import time
from dataclasses import asdict
from pathlib import Path

from bench.report import Figure, Setup, milliseconds, spread
from tests.support.context_kills import run_context_kills
from tests.support.histories import text_of
from understudy.app.context.put import put_output
from understudy.disk.store.store import ContextStore
from understudy.workspace.context_place import ContextPlace

N_KILLS, SEED = 200, 1
N_PUTS, PUT_BYTES = 30, 1_000_000
LONG_LINE = 50_000_000


async def run(setup: Setup) -> list[Figure]:
    """Three figures."""
    return await asyncio.to_thread(_run, setup.folder)


def _run(folder: Path) -> list[Figure]:
    counts = run_context_kills(folder / "kills", N_KILLS, SEED)
    is_whole = counts.lost == counts.without_bytes == counts.wrong_twins == 0
    return [
        Figure(
            "context_store", f"{counts.kills} kills",
            f"{counts.lost} lost, {counts.without_bytes} without their bytes",
            f"{counts.restored} outputs restored, {counts.acknowledged} acknowledged",
            bar="0 and 0", ok=is_whole and counts.kills == N_KILLS, data=asdict(counts),
        ),
        _long_line(folder),
        _speed(folder),
    ]  # fmt: skip


def _long_line(folder: Path) -> Figure:
    store = ContextStore(folder / "long")
    data = b"x" * LONG_LINE
    began = time.perf_counter()
    done = put_output(ContextPlace(store.folder, folder / "user"), data, "cat")
    took = time.perf_counter() - began
    assert done.receipt is not None
    is_same = store.get(done.receipt.path) == data
    return Figure(
        "context_store", "one line of 50 MB", "restored" if is_same else "altered",
        f"{milliseconds(took)}, receipt of {len(done.receipt.text)} bytes",
        bar="restored", ok=is_same,
    )  # fmt: skip


def _speed(folder: Path) -> Figure:
    """Beside it: the same bytes written to a file and flushed."""
    place = ContextPlace(folder / "speed", folder / "user")
    plain = folder / "plain"
    plain.mkdir()
    chance = random.Random(SEED)  # noqa: S311 - not for secrets
    text = text_of(chance, PUT_BYTES)
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(N_PUTS):
        data = f"{number:08}{text}".encode()[:PUT_BYTES]
        began = time.perf_counter()
        put_output(place, data, "tool")
        ours.append(time.perf_counter() - began)
        began = time.perf_counter()
        with (plain / str(number)).open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        theirs.append(time.perf_counter() - began)
    ratio = statistics.median(ours) / statistics.median(theirs)
    return Figure(
        "context_store", "put of 1 MB (with its receipt)",
        milliseconds(statistics.median(ours)),
        f"{milliseconds(statistics.median(theirs))} write and fsync", ratio,
        data={"ours_s": spread(ours), "theirs_s": spread(theirs)},
    )  # fmt: skip
