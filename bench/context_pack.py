"""Prompts of logs: the same in every process, each begins with the one before, and their cost.

The logs are generated, with the sizes of public SWE-agent runs. Those runs are in no package: the
newest sdists and wheels of mini-swe-agent 2.4.6, sweagent 0.0.1, swe-rex 1.4.0 and swebench 5.0.2
have not one `*.traj*` file, nor any JSON.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from bench.report import Figure, Setup, milliseconds
from tests.support.histories import entries_of, history_of
from understudy.app.context.pack import pack_log
from understudy.app.context.record import record
from understudy.context.canonical import canonical, digest_of
from understudy.context.events import MODEL_KINDS, Event, History
from understudy.context.offload import plan_offload
from understudy.context.pack import pack
from understudy.context.policy import INGEST, Policy, Rule
from understudy.context.receipt import receipt_text, totals_of
from understudy.context.simulate import CostReport, planned, simulate
from understudy.workspace.context_place import ContextPlace

REPOSITORY = Path(__file__).parents[1]
N_LOGS = 6
MAX_DEARER = 1.02
N_EVENTS = 1000
RULES: tuple[Rule, ...] = ("never", "batch", "cost")
WINDOW = 100_000
"""Tokens; so small that the generated logs want summaries, too."""
_SMALL = Policy(window=WINDOW)
_PROGRAM = (
    "import sys; from pathlib import Path; "
    "from understudy.workspace.context_place import ContextPlace; "
    "from understudy.context.pack import pack; "
    "print(pack(ContextPlace(*[Path(sys.argv[1])] * 2).log('s').read()).digest())"
)


async def run(setup: Setup) -> list[Figure]:
    """Determinism, speed, and the costs: warm, and cold at every turn of the user."""
    return await asyncio.to_thread(_run, setup)


def _run(setup: Setup) -> list[Figure]:
    costs = [_cost(setup, cold=cold) for cold in (False, True)]
    return [
        _same(setup.folder),
        _prefixes(),
        _speed(),
        *costs,
        _cost(setup, cold=False, receipts=True),
    ]


def _same(folder: Path) -> Figure:
    """Digests of one prompt: here, and read from disk by processes with other hash seeds."""
    place = ContextPlace(folder / "context", folder / "user")
    record(place, "s", entries_of(history_of(5).events), Policy())
    digests = [pack_log(place, "s", Policy()).pack.digest()]
    for seed in range(10):
        done = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(place.store.folder)],
            env={**os.environ, "PYTHONHASHSEED": str(seed)}, cwd=REPOSITORY,
            capture_output=True, text=True, timeout=120, check=True,
        )  # fmt: skip
        digests.append(done.stdout.strip())
    n_digests = len(set(digests))
    return Figure(
        "context_pack", "one prompt in 11 processes, 10 hash seeds", f"{n_digests} digest(s)",
        bar="1", ok=n_digests == 1, data={"digests": digests},
    )  # fmt: skip


def _prefixes() -> Figure:
    """Pairs of consecutive prompts: does the later begin with all bytes that the earlier keeps?"""
    shared = pairs = decisions = 0
    for rule in RULES:
        for seed in range(N_LOGS):
            before: bytes | None = None
            for prompt, is_decided in _replayed(history_of(seed), replace(_SMALL, rule=rule)):
                decisions += is_decided
                if before is not None and not is_decided:
                    pairs += 1
                    shared += prompt.startswith(before)
                before = prompt
    return Figure(
        "context_pack", f"prompts that begin with the one before, {N_LOGS} logs by 3 rules",
        f"{shared} of {pairs} ({100 * shared / pairs:.1f} %)",
        f"{decisions} more at logged offloads and summaries",
        bar="100 %", ok=shared == pairs and decisions > 0,
    )  # fmt: skip


def _replayed(history: History, policy: Policy) -> Iterator[tuple[bytes, bool]]:
    """What each model call keeps of its prompt, and whether the log has a decision just before.

    The log grows as a harness lets it: an offload that is due, a summary that was wanted.
    """
    log: list[Event] = []
    previous, is_decided = "", False
    for event in history.events:
        if event.kind in MODEL_KINDS and previous not in MODEL_KINDS:
            so_far = History(history.name, log)
            items = plan_offload(so_far, policy, event.at, _kept_at).items
            if items:
                log.append(Event(len(log) + 1, "offload", event.at, items=items))
            made = pack(so_far, policy)
            stable = made.messages[: made.stable]
            lines = (f"{canonical(message.as_json())}\n" for message in stable)
            yield "".join(lines).encode(), is_decided or bool(items)
            is_decided = made.want is not None
            if made.want is not None:
                text, upto = "What was done so far.", made.want.upto
                log.append(Event(len(log) + 1, "summary", event.at, text, upto=upto))
        log.append(event.numbered(len(log) + 1, event.at))
        previous = event.kind


def _kept_at(event: Event, _data: bytes) -> tuple[str, str]:
    sha256 = digest_of(event.text)
    return f"tool/{event.tool}-{sha256[:16]}.txt", sha256


def _speed() -> Figure:
    events = history_of(1, 40).events[:N_EVENTS]
    assert len(events) == N_EVENTS
    history = History("s", events)
    ours = _median(lambda: pack(history))
    plain = [{"role": event.kind, "content": event.text} for event in events]
    theirs = _median(lambda: json.dumps(plain))
    assert canonical(plain)
    return Figure(
        "context_pack", f"pack of {N_EVENTS} events", milliseconds(ours),
        f"{milliseconds(theirs)} json.dumps", ours / theirs,
    )  # fmt: skip


def _with_receipts(history: History) -> History:
    """The log as it would be written: long results are receipts from the beginning."""
    policy = Policy()
    made: list[Event] = []
    for event in history.events:
        data = event.text.encode()
        if event.kind == "result" and len(data) > INGEST:
            path = f"tool/{event.tool}-{digest_of(event.text)[:16]}.txt"
            text = receipt_text(data, totals_of(data, path, event.exit), policy)
            made.append(replace(event, text=text, ref=path, size=len(data)))
        else:
            made.append(event)
    return History(history.name, made)


def _cost(setup: Setup, *, cold: bool, receipts: bool = False) -> Figure:
    """The mean over several logs of the rule's cost over that of the better of the others."""
    ratios: list[float] = []
    sums = dict.fromkeys(RULES, 0.0)
    tokens = dict.fromkeys(RULES, 0)
    for seed in range(N_LOGS):
        history = history_of(seed, cold=cold)
        history = _with_receipts(history) if receipts else history
        reports: dict[Rule, CostReport] = {
            rule: simulate(planned(history, replace(Policy(), rule=rule))) for rule in RULES
        }
        for rule, report in reports.items():
            sums[rule] += report.cost
            tokens[rule] += report.tokens
        ratios.append(reports["cost"].cost / min(reports["never"].cost, reports["batch"].cost))
        setup.say(f"context_pack: log {seed}: {ratios[-1]:.3f}")
    best = min(sums["never"], sums["batch"])
    ratio = sums["cost"] / best
    shares = ", ".join(f"{rule} {tokens[rule] / tokens['never']:.2f}" for rule in RULES)
    name = "cold at every turn" if cold else "warm, receipts" if receipts else "warm"
    return Figure(
        "context_pack", f"cost of the break-even rule, {name}, {N_LOGS} generated logs",
        f"{sums['cost'] / sums['never']:.3f}",
        f"never 1, batch {sums['batch'] / sums['never']:.3f}; tokens {shares}",
        ratio, f"<= {MAX_DEARER}", ratio <= MAX_DEARER,
        {"ratios": ratios, "worst": max(ratios), "cost": sums, "tokens": tokens},
    )  # fmt: skip


def _median(act: object, times: int = 7) -> float:
    assert callable(act)
    took: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        took.append(time.perf_counter() - began)
    return statistics.median(took)
