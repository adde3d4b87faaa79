"""Generated session logs, with the sizes of real ones, and the kills of a stream of appends."""

from __future__ import annotations

import random
from collections.abc import Sequence

from understudy.context.events import Event, History

SECONDS_A_STEP, SECONDS_COLD = 20, 1000


def events_of(chance: random.Random, rounds: int = 21, *, cold: bool = False) -> list[Event]:
    """A session of coding tasks: a user's turn, then some ten calls with their outputs.

    Sizes follow 208 outputs of public agent runs: median 554 bytes, 90 % up to 4.2 KB, at most
    24.6 KB; three quarters of all bytes are outputs. Cold: so long between turns that no provider
    has the prefix any more.
    """
    made: list[Event] = []
    at = 1_700_000_000

    def add(kind: str, text: str, **more: object) -> None:
        made.append(Event(len(made) + 1, kind, at, text, **more))  # type: ignore[arg-type]

    add("system", text_of(chance, 3000))
    for number in range(rounds):
        at += SECONDS_COLD if cold else SECONDS_A_STEP
        add("user", text_of(chance, chance.randint(40, 1500)))
        for step in range(max(1, round(chance.gauss(10.7, 4)))):
            at += SECONDS_A_STEP
            call = f"c{number}-{step}"
            add("assistant", text_of(chance, chance.randint(20, 400)))
            size = output_size(chance)
            text = text_of(chance, min(size, 700) if chance.random() < 0.9 else size)
            add("call", text, tool="bash", call=call)
            add("result", text_of(chance, size), tool="bash", call=call, exit=int(size % 7 == 0))
        at += SECONDS_A_STEP
        add("assistant", text_of(chance, chance.randint(100, 900)))
    return made


def output_size(chance: random.Random) -> int:
    """Bytes of one output: log-normal through the median and the 90 % quantile, cut at the most."""
    return max(1, min(24_653, round(chance.lognormvariate(6.317, 1.584))))


def text_of(chance: random.Random, size: int) -> str:
    """Words in lines, about so many bytes."""
    words = ("check", "value", "src/main.py:12", "error:", "ok", "assert", "x = 1", "ß")
    lines: list[str] = []
    length = 0
    while length < size:
        line = " ".join(chance.choices(words, k=9)) + f" {chance.randint(0, 10**6)}"
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)[:size]


def history_of(seed: int, rounds: int = 21, *, cold: bool = False) -> History:
    """A log from a seed."""
    return History(f"s{seed}", events_of(random.Random(seed), rounds, cold=cold))


def entries_of(events: Sequence[Event]) -> list[dict[str, object]]:
    """The events as a harness would give them to the log."""
    found: list[dict[str, object]] = []
    for event in events:
        entry: dict[str, object] = {"kind": event.kind, "at": event.at}
        if event.kind == "call":
            entry |= {"tool": event.tool, "call": event.call, "input": event.text}
        elif event.kind == "result":
            entry |= {"tool": event.tool, "call": event.call, "text": event.text}
            entry |= {"exit": event.exit}
        else:
            entry |= {"text": event.text}
        found.append(entry)
    return found
