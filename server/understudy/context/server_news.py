"""What a log's prompt is told when a tool server changes: at its end, so that the prefix stays."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from understudy.context.events import MODEL_KINDS, Event
from understudy.values.frozen import frozen


@frozen
class ServerChange:
    """A server whose state is another one from then on; `number` counts from 1, `at` is in s."""

    number: int
    at: int
    server: str
    status: str
    was: str
    hint: str
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def news(events: Sequence[Event], changes: Sequence[ServerChange]) -> Event | None:
    """The event that tells what changed since the log began, or since the last such event.

    None between the parts of a model's turn, between a call and its result, and without news.
    """
    if not events or events[-1].kind in MODEL_KINDS or _open_calls(events):
        return None
    if not events[0].at:
        return None  # the log begins with these events, and its prompt with the catalogue of now
    known = max((event.upto for event in events if event.kind == "status"), default=0)
    fresh = [one for one in changes if one.number > known and one.at >= events[0].at]
    lines = [line for server in _servers(fresh) if (line := _line(server, fresh))]
    if not lines:
        return None
    return Event(0, "status", text="\n".join(lines), upto=fresh[-1].number)


def _open_calls(events: Iterable[Event]) -> set[str]:
    calls = {event.call for event in events if event.kind == "call"}
    return calls - {event.call for event in events if event.kind in ("result", "report")}


def _servers(changes: Iterable[ServerChange]) -> list[str]:
    return sorted({one.server for one in changes})


def _line(server: str, changes: Iterable[ServerChange]) -> str:
    """One line for all that happened to a server; none if it is again as it was."""
    mine = [one for one in changes if one.server == server]
    first, last = mine[0], mine[-1]
    added = sorted({name for one in mine for name in one.added} - {*last.removed})
    removed = sorted({name for one in mine for name in one.removed} - {*last.added})
    if first.was == last.status and not added and not removed:
        return ""
    was = f" (was {first.was})" if first.was not in ("", last.status) else ""
    hint = f": {last.hint}" if last.hint else ""
    tools = f"; new tools: {', '.join(added)}" if added else ""
    tools += f"; tools gone: {', '.join(removed)}" if removed else ""
    text = f"[understudy] tool server {server}: {last.status}{was}{hint}{tools}"
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
