"""Harnesses that replay a trace: plain ones, which cut and forget, and ours with its store.

Each makes the same calls. A call that needs lines which its prompt no longer shows costs one more
call first, that brings exactly these lines, whatever the harness.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.traces import Need, Step, Trace
from understudy.app.context.pack import pack_log
from understudy.app.context.record import record
from understudy.context.events import Event
from understudy.context.pack import Pack
from understudy.context.policy import Policy, tokens_of
from understudy.workspace.context_place import ContextPlace

SYSTEM_BYTES = 16_000
OUTPUT_PRICE = 5.0
"""Of a token that the model writes, an uncached input token being 1."""
SUMMARY_TOKENS, ASKED_TOKENS = 2500, 500
WINDOW, COMPACTED_AT = 200_000, 0.8
SECONDS_A_STEP, SECONDS_COLD = 20, 1000
_CLEARED = "[Old tool result content cleared]"
_SYSTEM = ("You work on a project. " * 1000)[:SYSTEM_BYTES]
_SUMMARY = ("What was done and found so far, in short. " * 1000)[: 4 * SUMMARY_TOKENS]


@dataclass(frozen=True)
class Prices:
    """Of a cached and a written token; `seconds` is how long a prefix stays, renewed by use."""

    name: str
    read: float
    write: float
    seconds: int = 300
    cold_turns: bool = False

    def at(self, step: int, turn: int) -> int:
        """When a step is made: behind a long pause of the user's where turns are cold."""
        return 1_700_000_000 + SECONDS_A_STEP * step + SECONDS_COLD * turn * self.cold_turns


REGIMES = (
    Prices("tokens", 1.0, 1.0, 0),
    Prices("warm", 0.1, 1.25),
    Prices("cold", 0.1, 1.25, cold_turns=True),
)
"""Without a cache, with one, and with one that is cold whenever the user speaks."""


@dataclass
class Meter:
    """What the calls of a session cost with one provider."""

    prices: Prices
    cost: float = 0.0
    calls: int = 0
    read_again: int = 0
    summaries: int = 0
    peak: int = 0
    _before: Sequence[str] = ()
    _at: int | None = None

    def call(self, prompt: Sequence[str], at: int, written: int) -> None:
        """One call of the model: its prompt's messages, and the tokens that it writes."""
        sizes = [tokens_of(text) for text in prompt]
        kept = 0
        while kept < min(len(prompt), len(self._before)) and prompt[kept] == self._before[kept]:
            kept += 1
        is_warm = self._at is not None and at - self._at < self.prices.seconds
        cached = sum(sizes[:kept]) if is_warm else 0
        self.cost += self.prices.read * cached + self.prices.write * (sum(sizes) - cached)
        self.cost += (OUTPUT_PRICE if self.prices.seconds else 1.0) * written
        self.calls += 1
        self.peak = max(self.peak, sum(sizes))
        self._before, self._at = prompt, at


def lines_of(step: Step, need: Need) -> list[str]:
    """The lines that are needed, as they must be seen."""
    lines = step.output.rstrip("\n").split("\n")[need.first - 1 : need.last]
    return [line.strip()[:100] for line in lines if line.strip()]


def excerpt_of(step: Step, need: Need) -> str:
    """The same lines, as a tool brings them back."""
    lines = step.output.split("\n")[need.first - 1 : need.last]
    return "\n".join(f"{n}: {line}" for n, line in enumerate(lines, need.first)) + "\n"


def missing(step: Step, trace: Trace, shown: Callable[[int], str]) -> Iterator[Need]:
    """What a call needs and its prompt does not show; needs of one output are one."""
    wanted: dict[int, Need] = {}
    for need in step.needs:
        text = shown(need.step)
        if all(line in text for line in lines_of(trace.steps[need.step], need)):
            continue
        known = wanted.get(need.step, need)
        near = known.last + 200 >= need.first and need.last + 200 >= known.first
        first, last = min(known.first, need.first), max(known.last, need.last)
        wanted[need.step] = replace(known, first=first, last=last) if near else need
    yield from wanted.values()


def _written(step: Step) -> int:
    return tokens_of(step.said) + tokens_of(step.input) + 20


# -- plain ones -----------------------------------------------------------------------------------


@dataclass
class _Message:
    step: int
    text: str
    is_output: bool = False


Cut = Callable[[Step], str]
Forget = Callable[[Sequence[_Message], int], set[int]]
"""Which outputs are cleared, given the messages and the tokens of the prompt."""


def whole(step: Step) -> str:
    """An output as it is."""
    return step.output


def middle_cut(limit: int) -> Cut:
    """Cut the midst of a long output out; reads are cut by lines already."""

    def cut(step: Step) -> str:
        text = step.output
        if len(text) <= limit or (step.tool == "read" and limit > 20_000):
            return text
        half = limit // 2
        return f"{text[:half]}\n[... {len(text) - limit} characters truncated ...]\n{text[-half:]}"

    return cut


def forget_nothing(_messages: Sequence[_Message], _tokens: int) -> set[int]:
    """No output is ever cleared."""
    return set()


def protect_newest(protected: int, least: int) -> Forget:
    """Clear all outputs but the newest so many tokens of them, when so many can be cleared."""

    def forget(messages: Sequence[_Message], _tokens: int) -> set[int]:
        found: set[int] = set()
        room, gain = protected, 0
        for index in range(len(messages) - 1, -1, -1):
            size = tokens_of(messages[index].text)
            if not messages[index].is_output or messages[index].text == _CLEARED:
                continue
            room -= size
            if room < 0:
                found.add(index)
                gain += size
        return found if gain >= least else set()

    return forget


def keep_newest(count: int, trigger: int) -> Forget:
    """Clear all outputs but so many, when the prompt has more tokens than that."""

    def forget(messages: Sequence[_Message], tokens: int) -> set[int]:
        if tokens < trigger:
            return set()
        outputs = [i for i, m in enumerate(messages) if m.is_output and m.text != _CLEARED]
        return set(outputs[:-count])

    return forget


CUTS: Mapping[str, Cut] = {"whole": whole, "30k": middle_cut(30_000), "10k": middle_cut(10_000)}
FORGETS: Mapping[str, Forget] = {
    "append only": forget_nothing,
    "newest 50K tokens": protect_newest(50_000, 30_000),
    "newest 40K tokens": protect_newest(40_000, 20_000),
    "newest 3 from 100K": keep_newest(3, 100_000),
    "last 5": keep_newest(5, 0),
}
"""What harnesses of today do; each with each cut."""


def plain(trace: Trace, cut: Cut, forget: Forget) -> list[Meter]:
    """Replay a trace without any store, under every regime of prices."""
    meters = [Meter(prices) for prices in REGIMES]
    messages = [_Message(-1, _SYSTEM)]
    turn = -1

    def ask(at_step: int, written: int) -> None:
        prompt = [message.text for message in messages]
        for meter in meters:
            meter.call(prompt, meter.prices.at(at_step, max(turn, 0)), written)

    def make_room(at_step: int) -> None:
        tokens = sum(tokens_of(message.text) for message in messages)
        for index in forget(messages, tokens):
            messages[index].text = _CLEARED
        if sum(tokens_of(message.text) for message in messages) > COMPACTED_AT * WINDOW:
            ask(at_step, SUMMARY_TOKENS)
            for meter in meters:
                meter.summaries += 1
            messages[1:] = [_Message(-1, _SUMMARY)]

    for number, step in enumerate(trace.steps):
        if step.turn != turn:
            turn = step.turn
            messages.append(_Message(-1, trace.turns[turn]))

        def shown(index: int) -> str:
            return "\n".join(message.text for message in messages if message.step == index)

        for need in list(missing(step, trace, shown)):
            make_room(number)
            ask(number, 60)
            for meter in meters:
                meter.read_again += 1
            messages.append(_Message(-1, f'{{"again":{need.step}}}'.ljust(160)))
            messages.append(_Message(need.step, excerpt_of(trace.steps[need.step], need), True))
        make_room(number)
        ask(number, _written(step))
        messages.append(_Message(-1, f"{step.said}\n{step.input}"))
        messages.append(_Message(number, cut(step), True))
    return meters


# -- ours -----------------------------------------------------------------------------------------


@dataclass
class _Ours:
    """One session with our log, store and policy, as a harness would use them."""

    trace: Trace
    prices: Prices
    policy: Policy
    place: ContextPlace
    meter: Meter = field(init=False)
    turn: int = -1
    n_again: int = 0

    def __post_init__(self) -> None:
        self.meter = Meter(self.prices)
        # No tool of ours: what is in files is opened by the harness's own read tool.
        self._add({"kind": "system", "text": _SYSTEM}, 0)

    def replay(self) -> Meter:
        """All steps of the trace."""
        for number, step in enumerate(self.trace.steps):
            if step.turn != self.turn:
                self.turn = step.turn
                self._add({"kind": "user", "text": self.trace.turns[step.turn]}, number)
            self._look_again(number, step)
            self._ask(number, _written(step))
            call = {"tool": step.tool, "call": f"c{number}"}
            self._add({"kind": "assistant", "text": step.said}, number)
            self._add({"kind": "call", **call, "input": step.input}, number)
            output = {"text": step.output, "exit": step.exit if step.tool == "bash" else None}
            self._add({"kind": "result", **call, **output}, number)
        return self.meter

    def _look_again(self, number: int, step: Step) -> None:
        made = self._pack(number)
        events = self.place.log("s").read().events
        texts: dict[int, str] = {}
        for message in made.messages:
            if message.kind == "result":
                texts[message.seq] = message.text

        def shown(index: int) -> str:
            found: list[str] = []
            for event in events:
                if event.kind == "result" and event.call.split(".")[0] == f"c{index}":
                    found.append(texts.get(event.seq, ""))
                    if event.form == "again":
                        found.append(texts.get(event.upto, ""))
            return "\n".join(found)

        for need in list(missing(step, self.trace, shown)):
            self._ask(number, 60)
            self.meter.read_again += 1
            self.n_again += 1
            source = _place_of(events, f"c{need.step}")
            call = {"tool": "read", "call": f"c{need.step}.{self.n_again}"}
            wish = {"path": source, "offset": need.first, "limit": need.last - need.first + 1}
            self._add({"kind": "call", **call, "input": wish}, number)
            text = excerpt_of(self.trace.steps[need.step], need)
            # What never left lies in the log: its readable twin is read then.
            told = {"source": source} if not source.startswith("history/") else {}
            self._add({"kind": "result", **call, "text": text, **told}, number)

    def _ask(self, number: int, written: int) -> None:
        made = self._pack(number)
        at = self.prices.at(number, self.turn)
        if made.want is not None and made.want.reason == "window":
            self.meter.call(_texts(made), at, SUMMARY_TOKENS)
            self.meter.summaries += 1
            self._add({"kind": "summary", "text": _SUMMARY, "upto": made.want.upto}, number)
            made = self._pack(number)
        self.meter.call(_texts(made), at, written)

    def _pack(self, number: int) -> Pack:
        return pack_log(self.place, "s", self.policy, self.prices.at(number, self.turn)).pack

    def _add(self, entry: Mapping[str, object], number: int) -> None:
        at = self.prices.at(number, max(self.turn, 0))
        record(self.place, "s", [{**entry, "at": at}], self.policy)


def ours(trace: Trace, prices: Prices, folder: Path, policy: Policy | None = None) -> Meter:
    """Replay a trace with our store, in a new folder."""
    chosen = policy or Policy(read=prices.read, write=prices.write, warm=prices.seconds)
    place = ContextPlace(folder / "context", folder / "user")
    return _Ours(trace, prices, chosen, place).replay()


def _texts(made: Pack) -> list[str]:
    return [message.text for message in made.messages]


def _place_of(events: Sequence[Event], call: str) -> str:
    """Where the bytes of an output lie."""
    event = next(e for e in events if e.kind == "result" and e.call == call)
    left = [item.ref for e in events for item in e.items if item.seq == event.seq]
    if event.form == "again":
        return _place_of(events, events[event.upto - 1].call)
    return event.ref or (left[0] if left else "history/s.md")


def json_of(meter: Meter) -> dict[str, object]:
    """The figures of a meter."""
    table = {name: getattr(meter, name) for name in ("calls", "read_again", "summaries", "peak")}
    return json.loads(json.dumps({**table, "cost": round(meter.cost)}))
