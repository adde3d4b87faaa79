"""Which old inputs and outputs should leave the prompt now: in batches, or when it pays.

A change in the midst of a prompt costs once: what stands behind it is written to the cache anew,
`write - read` a token, instead of read. It saves `read` a token that left, in every later call. So
with the default prices it pays if 0.1 * S * k > 1.15 * T, and always once the cache is cold.
As nobody knows k, the rule also waits until carrying what may leave has cost what its leaving will
cost: a change that comes too early is followed by another one soon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from understudy.context.events import MODEL_KINDS, Event, History, Left, rounds_of, steps_of
from understudy.context.messages import PromptMessage, left_of, messages_of
from understudy.context.policy import Policy, tokens_of
from understudy.context.receipt import hint, reasons, receipt_text, totals_of
from understudy.context.usage import factor_of
from understudy.context.worth import kinds_in, look_cost, rates_of
from understudy.values.frozen import frozen

Place = Callable[[Event, bytes], tuple[str, str]]
"""Where an event's bytes will lie in the store: path and SHA-256."""


@frozen
class Candidate:
    """An old event, its message's place in the prompt, its unit, and what would stand for it.

    `waited` are the model calls that have carried it since it was old enough to leave.
    """

    index: int
    unit: int
    item: Left
    saving: int
    waited: int


@frozen
class OffloadPlan:
    """What should leave: `saved` tokens a call, `rewritten` once; by which rule."""

    items: tuple[Left, ...] = ()
    rule: str = ""
    saved: int = 0
    rewritten: int = 0


def plan_offload(history: History, policy: Policy, now: int, place: Place) -> OffloadPlan:
    """What should leave before a model call at `now` (s since 1970); nothing is decided by it.

    The caller writes the files, then an `offload` event with the items: that is the decision.
    """
    if policy.rule == "never":
        return OffloadPlan()
    messages = messages_of(history, policy)
    found = candidates(history, policy, messages, place)
    if not found:
        return OffloadPlan()
    if policy.rule == "auto":
        return _by_worth(history, policy, messages, found, now)
    if policy.rule == "batch":
        current = _units(history.events, policy)[-1]
        is_due = min(c.unit for c in found) <= current - policy.kept - policy.batch + 1
        return _plan(found, messages, "batch") if is_due else OffloadPlan()
    if is_cold(history.events, policy, now):
        return _plan(found, messages, "cold")
    return _worth_it(found, messages, policy, _calls_to_come(history.events, policy))


def _by_worth(
    history: History, policy: Policy, messages: Sequence[PromptMessage],
    found: Sequence[Candidate], now: int,
) -> OffloadPlan:  # fmt: skip
    """What is worth it, each with the chance that it is looked at again; all, to make room."""
    events = history.events
    if events[-1].kind == "offload":
        return OffloadPlan()  # nothing has happened since it was decided
    prompt = sum(message.tokens for message in messages)
    if prompt * factor_of(events, policy) >= _ROOM * policy.summary_at * policy.window:
        return _plan(found, messages, "room")
    kinds = kinds_in(events)
    rates = rates_of(events, kinds)
    calls = _calls_to_come(events, policy)
    look = look_cost(policy, prompt)
    cold = is_cold(events, policy, now)
    a_token = policy.read * calls + (policy.write if cold else 0)
    worth = [
        candidate
        for candidate in found
        if a_token * candidate.saving
        > look * rates.again[kinds.get(candidate.item.seq, "run")] * _LATER
    ]
    if not worth:
        return OffloadPlan()
    if cold:
        return _plan(worth, messages, "cold")
    return _worth_it(worth, messages, policy, calls)


_ROOM = 0.9
"""Of what a prompt may have before a summary is wanted: then everything old leaves first."""
_LATER = 0.5


def is_cold(events: Sequence[Event], policy: Policy, now: int) -> bool:
    """Whether the provider has dropped the prefix since the model's last call."""
    last = next((e.at for e in reversed(events) if e.kind in MODEL_KINDS), None)
    return last is not None and now - last >= policy.warm


def candidates(
    history: History, policy: Policy, messages: Sequence[PromptMessage], place: Place
) -> list[Candidate]:
    """Old calls and results that are in the prompt and get shorter by leaving, in order."""
    events = history.events
    if not events:
        return []
    units = _units(events, policy)
    steps = steps_of(events)
    step_at = dict(reversed([*zip(units, steps, strict=True)]))
    gone = left_of(events)
    answered = {event.call for event in events if event.kind == "result"}
    found: list[Candidate] = []
    for index, message in enumerate(messages):
        event = events[message.seq - 1]
        unit = units[message.seq - 1]
        if message.kind not in ("call", "result") or unit > units[-1] - policy.kept:
            continue
        if (
            event.seq in gone
            or event.fixed
            or (event.kind == "result" and event.form == "again")
            or (event.kind == "call" and event.call not in answered)
        ):
            continue
        item = _shortened(event, policy, place)
        saving = message.tokens - tokens_of(item.text) if item is not None else 0
        if item is not None and saving > 0:
            waited = steps[-1] - step_at.get(unit + policy.kept, steps[-1])
            found.append(Candidate(index, unit, item, saving, waited))
    return found


def _shortened(event: Event, policy: Policy, place: Place) -> Left | None:
    """What an old event leaves behind: a line, and of a failure the lines that say why."""
    if event.kind == "result" and event.path:  # a part of a file of the store: it lies there
        text = f"[understudy] a part of {event.path} was shown here"
        return Left(event.seq, text, event.path, "", 0)
    if event.ref:  # its receipt was all that was ever sent
        text = hint(event.ref, event.size, event.exit)
        if event.has_failed:
            text = f"{text}{reasons(event.text)}"
        return Left(event.seq, text, event.ref, event.sha256, event.size)
    data = event.text.encode("utf-8", "surrogatepass")
    if len(data) <= _NOTICE_BYTES:
        return None
    path, sha256 = place(event, data)
    text = hint(path, len(data), event.exit)
    if event.has_failed:
        text = f"{text}{reasons(receipt_text(data, totals_of(data, path, event.exit), policy))}"
    return Left(event.seq, text, path, sha256, len(data))


_NOTICE_BYTES = 100


def _units(events: Sequence[Event], policy: Policy) -> list[int]:
    units = rounds_of(events) if policy.counted == "round" else steps_of(events)
    for event in events:  # what a newer output refers to is as new as that
        if event.form == "again" and event.kind == "result":
            units[event.upto - 1] = units[event.seq - 1]
    return units


def _calls_to_come(events: Sequence[Event], policy: Policy) -> int:
    """As many as there were, at most the policy's horizon: nobody knows when a task ends."""
    return min(policy.horizon, steps_of(events)[-1])


def _worth_it(
    found: Sequence[Candidate], messages: Sequence[PromptMessage], policy: Policy, calls: int
) -> OffloadPlan:
    """The best of all ends of the list, if it pays at all."""
    best, best_gain = OffloadPlan(), 0.0
    saved = waited = behind = 0
    at = len(messages)
    for start in range(len(found) - 1, -1, -1):
        candidate = found[start]
        behind += sum(message.tokens for message in messages[candidate.index : at])
        at = candidate.index
        saved += candidate.saving
        waited += candidate.saving * candidate.waited
        rewritten = behind - saved
        price = (policy.write - policy.read) * rewritten
        gain = policy.read * saved * calls - price
        if gain > best_gain and policy.read * waited >= policy.patience * price:
            best_gain = gain
            items = tuple(c.item for c in found[start:])
            best = OffloadPlan(items, "cost", saved, rewritten)
    return best


def _plan(found: Sequence[Candidate], messages: Sequence[PromptMessage], rule: str) -> OffloadPlan:
    saved = sum(candidate.saving for candidate in found)
    behind = sum(message.tokens for message in messages[found[0].index :])
    return OffloadPlan(tuple(c.item for c in found), rule, saved, behind - saved)
