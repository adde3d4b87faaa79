"""What a log's files have saved and cost: outputs that left, and those that were wanted again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from understudy.context.events import Event, History, steps_of
from understudy.context.pack import pack
from understudy.context.policy import Policy, tokens_of
from understudy.context.usage import total_of
from understudy.values.frozen import frozen


@frozen
class LogStats:
    """Tokens are ours, bytes by four, but `prompt` and `reported`, which are the provider's.

    `saved` adds up what every later call was spared, `lost` what each look at a file cost: what it
    brought back, in every later call, and the call itself.
    """

    log: str
    calls: int
    prompt: int
    window: int
    reported: dict[str, int]
    hit: float | None
    outputs: int
    receipts: int
    left: int
    same: int
    read_again: int
    saved: int
    lost: int

    def as_json(self) -> dict[str, Any]:
        """The figures as JSON."""
        return {**asdict(self), "hit": None if self.hit is None else round(self.hit, 4)}


def stats_of(history: History, policy: Policy) -> LogStats:
    """The figures of a log as it is now."""
    events = history.events
    steps = steps_of(events)
    calls = steps[-1] if steps else 0
    later = [calls - step for step in steps]
    results = [event for event in events if event.kind == "result"]
    again = [event for event in results if event.path]
    counted = total_of(events)
    made = pack(history, policy)
    return LogStats(
        history.name, calls, made.stats.tokens, policy.window, asdict(counted),
        counted.cached / counted.input if counted.input else None,
        len(results), sum(bool(event.ref) for event in results),
        sum(len(event.items) for event in events if event.kind == "offload"),
        sum(event.form == "again" for event in results), len(again),
        _saved(events, later),
        sum(tokens_of(event.text) * later[event.seq - 1] + _prompt_at(events, event.seq, policy)
            for event in again),
    )  # fmt: skip


def _saved(events: Sequence[Event], later: Sequence[int]) -> int:
    total = 0
    for event in events:
        after = later[event.seq - 1]
        if event.kind == "result" and event.ref:
            total += max(0, event.size // 4 - tokens_of(event.text)) * after
        elif event.kind == "result" and event.form == "again":
            first = events[event.upto - 1]
            total += max(0, tokens_of(first.text) - tokens_of(event.text)) * after
        for item in event.items if event.kind == "offload" else ():
            shown = events[item.seq - 1].text
            total += max(0, tokens_of(shown) - tokens_of(item.text)) * after
    return total


def _prompt_at(events: Sequence[Event], seq: int, policy: Policy) -> int:
    """The prompt that the look at a file has cost: read from the cache, so at that share."""
    made = pack(History("", events[: seq - 1]), policy)
    return round(policy.read * made.stats.bytes / 4)
