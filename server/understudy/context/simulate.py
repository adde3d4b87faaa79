"""What a session's prompts cost with a provider that caches prefixes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, field, replace
from typing import Any

from understudy.context.canonical import digest_of
from understudy.context.events import MODEL_KINDS, Event, History
from understudy.context.messages import PromptMessage
from understudy.context.offload import plan_offload
from understudy.context.pack import pack
from understudy.context.policy import Policy
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen


@frozen
class Prices:
    """Of a token, an uncached input token being 1; `ttl` in s, renewed by every call."""

    read: float = field(default=0.1, metadata={"doc": "a token that was read from the cache"})
    write: float = field(default=1.25, metadata={"doc": "a token that was written into it"})
    ttl: int = field(default=300, metadata={"doc": "s until an unused prefix is dropped"})

    def __post_init__(self) -> None:
        if self.read < 0 or self.write < 0 or self.ttl < 0:
            raise BadInput("bad-policy", "prices and times are not negative", "prices")


@frozen
class Prompt:
    """What one call of the model is sent at a time; `stable` messages of it are cached."""

    at: int
    messages: tuple[PromptMessage, ...]
    stable: int
    is_wanted: bool = False


@frozen
class CostReport:
    """`cost` in input tokens; `hit` is the share of tokens read from the cache.

    `diverged` is the event whose message was the first to differ from the prompt before, None where
    every prompt began with the whole of the one before.
    """

    calls: int
    tokens: int
    cost: float
    hit: float
    peak: int
    summaries_wanted: int
    rewrites: int
    diverged: int | None

    def as_json(self) -> dict[str, Any]:
        """The report as JSON."""
        return {**asdict(self), "cost": round(self.cost, 2), "hit": round(self.hit, 4)}


def simulate(prompts: Iterable[Prompt], prices: Prices | None = None) -> CostReport:
    """Add up the calls, each against the cache that the one before has left."""
    prices = prices or Prices()
    calls = tokens = read = peak = wants = rewrites = 0
    cost = 0.0
    diverged: int | None = None
    before: Prompt | None = None
    for prompt in prompts:
        size = sum(message.tokens for message in prompt.messages)
        kept = 0 if before is None else _common(before, prompt)
        if before is not None and kept < before.stable:
            rewrites += 1
            if diverged is None:
                diverged = prompt.messages[kept].seq if kept < len(prompt.messages) else 0
        is_warm = before is not None and prompt.at - before.at < prices.ttl
        cached = sum(m.tokens for m in prompt.messages[:kept]) if is_warm else 0
        cost += prices.read * cached + prices.write * (size - cached)
        calls, tokens, read = calls + 1, tokens + size, read + cached
        peak = max(peak, size)
        wants += prompt.is_wanted and not (before is not None and before.is_wanted)
        before = prompt
    hit = read / tokens if tokens else 0.0
    return CostReport(calls, tokens, cost, hit, peak, wants, rewrites, diverged)


def as_logged(history: History, policy: Policy) -> Iterator[Prompt]:
    """The prompts of a log's model calls, with the decisions that stand in it."""
    for seq in _calls(history):
        yield _prompt(history.upto(seq - 1), history.events[seq - 1].at, policy)


def planned(history: History, policy: Policy) -> Iterator[Prompt]:
    """The same calls as a policy would have offloaded: decisions in the log are left out.

    What became a receipt when it was logged is one here too.
    """
    decided: list[Event] = []
    for seq in _calls(history):
        at = history.events[seq - 1].at
        raw = history.events[: seq - 1]
        kept = [replace(e, kind="repair") if e.kind == "offload" else e for e in raw]
        so_far = History(history.name, [*kept, *decided])
        plan = plan_offload(so_far, policy, at, _somewhere)
        if plan.items:
            decided.append(Event(0, "offload", at, items=plan.items))
            so_far = History(history.name, [*kept, *decided])
        yield _prompt(so_far, at, policy)


def _prompt(history: History, at: int, policy: Policy) -> Prompt:
    made = pack(history, policy)
    return Prompt(at, made.messages, made.stable, made.want is not None)


def _calls(history: History) -> Iterator[int]:
    """The first event of each of the model's answers."""
    previous = ""
    for event in history.events:
        if event.kind in MODEL_KINDS and previous not in MODEL_KINDS:
            yield event.seq
        previous = event.kind


def _common(before: Prompt, prompt: Prompt) -> int:
    """How many messages of the cached prefix the next prompt begins with."""
    count = 0
    limit = min(before.stable, prompt.stable)
    while count < limit and before.messages[count] == prompt.messages[count]:
        count += 1
    return count


def _somewhere(event: Event, data: bytes) -> tuple[str, str]:
    """A path as long as a real one: nothing is written in a simulation."""
    sha256 = digest_of(f"{event.seq} {len(data)}")
    return f"tool/{event.tool or 'call'}-{sha256[:16]}.txt", sha256
