"""Kills a stream of outputs into a log at random points: what is lost, what has no bytes?"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from tests.support.context_kill_target import output
from tests.support.random_kill import said_until_killed
from understudy.context.events import History
from understudy.context.twin import twin_head, twin_of
from understudy.disk.store.history_log import HistoryLog
from understudy.disk.store.store import ContextStore

MAX_ACKNOWLEDGED = 6
MAX_LATER_SECONDS = 0.01


@dataclass
class ContextKills:
    """`acknowledged` outputs in all; `lost` of these; receipts `without_bytes` that are right."""

    kills: int = 0
    acknowledged: int = 0
    restored: int = 0
    lost: int = 0
    without_bytes: int = 0
    wrong_twins: int = 0


def run_context_kills(folder: Path, n_kills: int, seed: int) -> ContextKills:
    """Kill the stream `n_kills` times, a log for every twenty; each output must come back."""
    chance = random.Random(seed)
    counts = ContextKills()
    for number in range(n_kills):
        store = folder / f"store-{number // 20}"
        acknowledged = _run_once(store, chance)
        counts.kills += 1
        counts.acknowledged += len(acknowledged)
        log = HistoryLog(store, "stream")
        history = log.read() if log.file.exists() else History("stream", ())
        _judge(store, history, acknowledged, counts)
        if history.events:
            log.append(lambda _: [], 0)
            text = twin_head("stream") + twin_of(history.events)
            whole = text.encode().startswith(log.twin.read_bytes()) if log.twin.exists() else True
            counts.wrong_twins += not whole
    return counts


def _run_once(store: Path, chance: random.Random) -> list[str]:
    """Start the stream, kill it; the calls whose outputs it has acknowledged."""
    n_lines = 1 + chance.randint(0, MAX_ACKNOWLEDGED)
    opened, *acknowledged = said_until_killed(
        "tests.support.context_kill_target", store,
        n_lines=n_lines, max_later_s=MAX_LATER_SECONDS, chance=chance,
    )  # fmt: skip
    assert opened.startswith("open "), opened
    return [line.split()[1] for line in acknowledged]


def _judge(store: Path, history: History, acknowledged: list[str], counts: ContextKills) -> None:
    """Every acknowledged output is in the log; every reference of the log leads to its bytes."""
    blobs = ContextStore(store)
    left = {item.seq: item for event in history.events for item in event.items}
    results = {e.call: e for e in history.events if e.kind == "result"}
    counts.lost += sum(call not in results for call in acknowledged)
    for call, event in results.items():
        expected = output(int(call[1:])).encode()
        # One that was there already is named: a killed step is made again.
        shown = history.events[event.upto - 1] if event.form == "again" else event
        found = shown.text.encode()
        item = left.get(shown.seq)
        if shown.ref:
            found = blobs.get(shown.ref, shown.sha256)
        elif item is not None:
            found = blobs.get(item.ref, item.sha256)
        counts.restored += found == expected
        counts.without_bytes += found != expected
