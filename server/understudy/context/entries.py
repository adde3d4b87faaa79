"""What a harness gives a log, by kind, checked strictly."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal, cast

from understudy.context.canonical import canonical
from understudy.context.states import StateRow
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.structure import structure


@frozen
class MessageEntry:
    """`system` (first in a log), `user` or `assistant`: a text as it was said."""

    text: str


@frozen
class Call:
    """A tool call; `input` is JSON, or its text as the model wrote it."""

    tool: str
    call: str
    input: Any


@frozen
class Result:
    """A tool's output: `text`, or `base64` for bytes.

    `source` is the file of the store that was read, which is never offloaded again.
    """

    tool: str
    call: str
    text: str | None = None
    base64: str | None = None
    exit: int | None = None
    source: str | None = None


@frozen
class Attach:
    """The text of a file of the workspace, as the user or the agent has made it."""

    path: str
    text: str
    by: Literal["user", "agent"] = "user"


@frozen
class SkillEntry:
    """The body of an activated skill."""

    name: str
    text: str


@frozen
class Todo:
    """The list of what is to be done, in place of the one before."""

    text: str


@frozen
class Goal:
    """What all of it is for, in place of the one before; it is recited with the list."""

    text: str


@frozen
class ReportEntry:
    """The end of a sub-agent: the name of its log, and its answer."""

    log: str
    text: str
    call: str = ""


@frozen
class Tools:
    """The tools' definitions; given once in a log."""

    definitions: list[Any]


@frozen
class Availability:
    """Which tools the model may choose now: those with these prefixes; none means all."""

    mode: Literal["auto", "required", "specified", "none"] = "auto"
    prefixes: tuple[str, ...] = ()


@frozen
class States:
    """The rows by which events decide what may be chosen, in place of those before; none: off."""

    rows: list[StateRow]


@frozen
class Usage:
    """What the provider has counted for the model's last call; `input` is all of it."""

    input: int
    cached: int = 0
    written: int = 0
    output: int = 0

    def __post_init__(self) -> None:
        """Raise BadInput `bad-event` for counts that cannot be."""
        if min(self.input, self.cached, self.written, self.output) < 0:
            raise BadInput("bad-event", "a count is not negative", "usage")
        if self.cached + self.written > self.input:
            raise BadInput("bad-event", "`input` is all tokens, cached and written ones too",
                           "usage.input")  # fmt: skip


@frozen
class Topic:
    """The user's newest message begins another topic."""


@frozen
class SummaryWish:
    """The user asks for a summary, with instructions of his own or without."""

    instructions: str = ""


@frozen
class Summary:
    """The answer to a wanted summary."""

    text: str
    upto: int


Entry = (
    MessageEntry | Call | Result | Attach | SkillEntry | Goal | Todo | ReportEntry
    | Tools | Availability | States | Usage | Topic | SummaryWish | Summary
)  # fmt: skip
TAKES: Mapping[str, type[Any]] = MappingProxyType(
    {
        "system": MessageEntry, "user": MessageEntry, "assistant": MessageEntry,
        "call": Call, "result": Result, "attach": Attach, "skill": SkillEntry,
        "goal": Goal, "todo": Todo,
        "report": ReportEntry, "tools": Tools, "availability": Availability, "topic": Topic,
        "states": States, "usage": Usage,
        "wish": SummaryWish, "summary": Summary,
    }
)  # fmt: skip


@frozen
class Given:
    """An entry with its kind; `at` is seconds since 1970, None for now."""

    kind: str
    entry: Entry
    at: int | None = field(default=None)


def given(raw: object, where: str) -> Given:
    """Read one entry; raises BadInput `bad-event` with every mistake."""
    if not isinstance(raw, Mapping):
        raise BadInput("bad-event", "expected a table (a JSON object)", where)
    table = dict(cast("Mapping[str, Any]", raw))
    kind, at = table.pop("kind", None), table.pop("at", None)
    if not isinstance(kind, str) or kind not in TAKES:
        raise BadInput("bad-event", f"`kind` is one of {', '.join(TAKES)}", where)
    if at is not None and (isinstance(at, bool) or not isinstance(at, int) or at < 0):
        raise BadInput("bad-event", "`at` is a whole number of seconds since 1970", where)
    return Given(kind, structure(table, TAKES[kind], "bad-event", f"{where}: {kind}"), at)


def output_of(result: Result, where: str) -> bytes:
    """The exact bytes of a result; a lone surrogate is written as it is (WTF-8)."""
    if (result.text is None) == (result.base64 is None):
        raise BadInput("bad-event", "give `text` or `base64`, and not both", where)
    if result.text is not None:
        return result.text.encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(result.base64 or "", validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput("bad-event", f"not base64: {error}", where) from error


def input_of(call: Call, where: str) -> str:
    """A call's input as text: as it was given, or as canonical JSON."""
    if isinstance(call.input, str):
        return call.input
    try:
        return canonical(call.input)
    except ValueError as error:
        raise BadInput("bad-event", f"not JSON: {error}", where) from error
