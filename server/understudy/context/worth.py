"""What a log shows about its outputs: which are read again, and from what size a file pays.

Rule `auto` asks here. Prices come from the policy, the rates from the log: how many outputs that
went to files were looked at again, by the kind of output. Where a log has shown little yet, the
rates of many sessions stand in.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, cast

from understudy.context.events import Event, refs_of
from understudy.context.policy import Policy
from understudy.values.frozen import frozen

OutputKind = Literal["read", "search", "run"]
"""A file's text that was asked for, hits of a search, or what a command printed."""

LOOK_TOKENS = 400
"""A part of a file that is looked at again, and the call that asks for it."""
_WRITTEN = 60
_OUTPUT_PRICE = 5.0
_PRIOR: Mapping[OutputKind, tuple[float, float]] = MappingProxyType(
    {"read": (1.6, 4.0), "search": (1.0, 4.0), "run": (0.6, 4.0)}
)
"""Looked at again, of so many: what is known before a log shows its own rates."""
_WHOLE: Mapping[OutputKind, float] = MappingProxyType({"read": 0.8, "search": 0.5, "run": 0.2})
"""Of what is looked at again, so much of the whole comes back."""
_AT_ONCE: Mapping[OutputKind, float] = MappingProxyType({"read": 3.0, "search": 2.0, "run": 1.0})
"""So much more often an output is wanted whole as soon as it is there than when it is old."""
_READERS = re.compile(r"(?i)(?:^|[_.-])(?:read|view|open|cat|notebook)")
_SEARCHERS = re.compile(r"(?i)(?:^|[_.-])(?:grep|search|glob|find|list|ls)")
_READING = re.compile(
    r"^\s*(?:cat|sed -n|head|tail|nl|less|bat)\b[^|;&]*(?:\|\s*(?:head|tail)\b.*)?$"
)
_SEARCHING = re.compile(r"^\s*(?:rg|grep|git grep|find|fd|ls|git ls-files)\b")
_SHELL = ("command", "cmd", "script")


@frozen
class Rates:
    """Of each kind: the share of outputs, gone to files, that was looked at again."""

    again: Mapping[OutputKind, float]


def kind_of(tool: str, asked: str) -> OutputKind:
    """What kind of output a call brings, by its tool's name and its input."""
    table = _table(asked)
    command = next((table[key] for key in _SHELL if key in table), None)
    if isinstance(command, list):
        command = " ".join(str(part) for part in cast("list[object]", command))
    if isinstance(command, str):
        if _READING.match(command):
            return "read"
        return "search" if _SEARCHING.match(command) else "run"
    if _READERS.search(tool):
        return "read"
    return "search" if _SEARCHERS.search(tool) else "run"


def kinds_in(events: Iterable[Event]) -> dict[int, OutputKind]:
    """The kind of each result of a log, by its number."""
    calls: dict[str, Event] = {}
    found: dict[int, OutputKind] = {}
    for event in events:
        if event.kind == "call":
            calls[event.call] = event
        elif event.kind == "result":
            call = calls.get(event.call)
            found[event.seq] = kind_of(event.tool, "" if call is None else call.text)
    return found


def rates_of(events: Sequence[Event], kinds: Mapping[int, OutputKind]) -> Rates:
    """How often what went to files was looked at again, by what calls have named since."""
    gone = {e.seq: e.ref for e in events if e.kind == "result" and e.ref}
    gone.update((item.seq, item.ref) for e in events if e.kind == "offload" for item in e.items)
    named = refs_of(event for event in events if event.kind == "call")
    named.update(event.path for event in events if event.kind == "result")
    again: dict[OutputKind, float] = {}
    for kind, (looked, of) in _PRIOR.items():
        refs = [ref for seq, ref in gone.items() if kinds.get(seq) == kind]
        again[kind] = (looked + sum(ref in named for ref in refs)) / (of + len(refs))
    return Rates(again)


def look_cost(policy: Policy, prompt: int) -> float:
    """What one more call costs that looks at a file again, with a prompt of so many tokens."""
    return policy.read * prompt + policy.write * LOOK_TOKENS + _OUTPUT_PRICE * _WRITTEN


def least_tokens(policy: Policy, kind: OutputKind, rates: Rates, prompt: int, keep: int) -> float:
    """From so many tokens on it pays to send a receipt in the place of an output.

    The output would be written once and carried until it is old enough to leave by itself; where
    that costs nothing, no receipt pays.
    """
    share = min(1.0, rates.again[kind] * _AT_ONCE[kind])
    carried = policy.write + policy.read * keep
    if not carried:
        return math.inf
    return share * look_cost(policy, prompt) / (carried * (1 - share * _WHOLE[kind]))


def _table(asked: str) -> Mapping[str, Any]:
    try:
        raw: object = json.loads(asked)
    except (ValueError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", raw) if isinstance(raw, dict) else {}
