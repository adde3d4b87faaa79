"""The events of a history log, and each as one line of canonical JSON.

A line ends with a sum over itself and the sum before it, so that damage anywhere is seen.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any, Literal, cast, get_args

from understudy.context.canonical import canonical, digest_of
from understudy.values.frozen import frozen

Kind = Literal[
    "system", "user", "assistant", "call", "result", "attach", "skill", "todo", "report",
    "tools", "availability", "topic", "wish", "summary", "offload", "repair", "status",
    "usage", "states", "goal",
]  # fmt: skip
KINDS = frozenset(get_args(Kind))
FIRST_SUM = "0" * 16
_STORED = re.compile(
    r"(?:user/)?(?:tool|file)/[\w.-]{1,40}-[0-9a-f]{16}(?:[0-9a-f]{48})?"
    r"\.(?:txt|bin|(?:pretty\.)?json)",
    re.ASCII,
)
"""A file of a store, as receipts name it, anywhere in a text."""
MODEL_KINDS = frozenset({"assistant", "call"})
"""What the model said: a run of these is one call of the model, a step."""


@frozen
class Left:
    """An event whose text has gone to a file: what stands in its place from then on."""

    seq: int
    text: str
    ref: str
    sha256: str
    size: int


@frozen
class Event:
    """One line of the log; a field without meaning for its kind has its default.

    `seq` counts from 1; `at` is seconds since 1970, 0 where unknown. `text` is what the prompt
    shows; where the exact bytes lie in the store, `ref` is the path, `sha256` and `size` theirs.
    """

    seq: int
    kind: Kind
    at: int = 0
    text: str = ""
    ref: str = ""
    sha256: str = ""
    size: int = 0
    tool: str = ""
    call: str = ""
    exit: int | None = None
    path: str = ""
    by: str = ""
    form: str = ""
    fixed: bool = False
    """Never leaves for a file: it was read from the store, or is a skill's body."""
    upto: int = 0
    mode: str = ""
    names: tuple[str, ...] = ()
    definitions: tuple[Mapping[str, Any], ...] = ()
    items: tuple[Left, ...] = ()

    def numbered(self, seq: int, at: int) -> Event:
        """The event as it stands in a log."""
        return replace(self, seq=seq, at=at)

    @property
    def has_failed(self) -> bool:
        """Whether a result is known to be one of a failure."""
        return self.exit is not None and self.exit != 0


@frozen
class History:
    """A log as it was read: its name and its events, which are numbered from 1 without a gap."""

    name: str
    events: Sequence[Event]

    def upto(self, seq: int) -> History:
        """The log as it was when this event was its last one."""
        return History(self.name, self.events[:seq])

    @property
    def path(self) -> str:
        """The readable twin, relative to the store; `## SEQ` are its anchors."""
        return f"history/{self.name}.md"


_DEFAULTS = {item.name: item.default for item in fields(Event)}


def encode(event: Event, before: str) -> tuple[str, str]:
    """The event's line, with its end, and its sum; `before` is the sum of the line before."""
    table = {name: value for name, value in asdict(event).items() if value != _DEFAULTS[name]}
    body = canonical(table)
    total = digest_of(before + body)[:16]
    return f'{body[:-1]},"sum":"{total}"}}\n', total


def decode(line: str, seq: int, before: str) -> tuple[Event, str]:
    """The event of a line and its sum; raises ValueError if it is not the line written there."""
    head, mark, end = line.rpartition(',"sum":"')
    total = end.removesuffix('"}')
    if not mark or total != digest_of(f"{before}{head}}}")[:16]:
        raise ValueError("its sum is wrong: it was altered, or a line before it is missing")
    table: Any = json.loads(head + "}")
    if table.get("seq") != seq or table.get("kind") not in KINDS:
        raise ValueError(f"it is no event {seq} of this version")
    for name in ("names", "definitions"):
        if name in table:
            table[name] = tuple(table[name])
    table["items"] = tuple(Left(**item) for item in table.get("items", ()))
    try:
        return Event(**table), total
    except TypeError as error:
        raise ValueError(f"a newer version wrote it: {error}") from error


def lines_of(events: Iterable[Event], before: str) -> tuple[list[str], str]:
    """The lines of several events, and the last sum."""
    found: list[str] = []
    for event in events:
        line, before = encode(event, before)
        found.append(line)
    return found, before


def refs_of(events: Iterable[Event]) -> set[str]:
    """Every file of a store that these events refer to: their own bytes, or by a path in a text.

    A harness may log a receipt that it had by itself, or a call that reads a kept output.
    """
    found: set[str] = set()
    for event in events:
        found.update(item.ref for item in event.items)
        found.add(event.ref)
        for text in (event.text, *(item.text for item in event.items)):
            # Who names the twin that is laid out to be searched means the exact bytes, too.
            found.update(path.replace(".pretty.", ".") for path in _STORED.findall(text))
    return found - {""}


def steps_of(events: Sequence[Event]) -> list[int]:
    """For each event, the number of the model's calls up to it, its own included."""
    found: list[int] = []
    number = 0
    for index, event in enumerate(events):
        is_model = event.kind in MODEL_KINDS
        if is_model and (index == 0 or events[index - 1].kind not in MODEL_KINDS):
            number += 1
        found.append(number)
    return found


def rounds_of(events: Sequence[Event]) -> list[int]:
    """For each event, the number of the user's turns up to it, its own included."""
    found: list[int] = []
    number = 0
    for event in events:
        number += event.kind == "user"
        found.append(number)
    return found


def last_of(events: Iterable[Event], kind: Kind) -> Event | None:
    """The newest event of a kind."""
    return next((e for e in reversed(cast("Sequence[Event]", events)) if e.kind == kind), None)
