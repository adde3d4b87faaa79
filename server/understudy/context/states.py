"""Which tools may be chosen now: said by hand, or by a table of states that the events run through.

A row is `{"on", "tool", "failed", "state", "to", "mode", "prefixes"}`: when an event of kind `on`
comes (of a tool whose name begins with `tool`, with that outcome, in that state), the log is in
state `to`, in which the model has that mode and tools with these prefixes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from understudy.context.events import Event
from understudy.values.frozen import frozen

Mode = Literal["auto", "required", "specified", "none"]


@frozen
class StateRow:
    """One row; what is not said matches everything."""

    on: Literal["user", "assistant", "call", "result", "report", "summary", "todo"]
    to: str
    mode: Mode = "auto"
    prefixes: tuple[str, ...] = ()
    tool: str = ""
    failed: bool | None = None
    state: str | None = None


@frozen
class ToolChoice:
    """`none` is: answer in words, act not; no prefixes means every tool."""

    mode: str = "auto"
    prefixes: tuple[str, ...] = ()
    state: str = ""


def choice_of(events: Iterable[Event]) -> ToolChoice:
    """The choice for the next call; what was said by hand holds until a row fits again."""
    rows: tuple[Mapping[str, Any], ...] = ()
    choice = ToolChoice()
    for event in events:
        if event.kind == "availability":
            choice = ToolChoice(event.mode, event.names, choice.state)
        elif event.kind == "states":
            rows = event.definitions
        else:
            row = next((row for row in rows if _fits(row, event, choice.state)), None)
            if row is not None:
                choice = ToolChoice(row["mode"], tuple(row["prefixes"]), row["to"])
    return choice


def _fits(row: Mapping[str, Any], event: Event, state: str) -> bool:
    return (
        row["on"] == event.kind
        and event.tool.startswith(row["tool"])
        and row["failed"] in (None, event.has_failed)
        and row["state"] in (None, state)
    )
