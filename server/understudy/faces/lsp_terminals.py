"""The requests `understudy/terminal/*`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from understudy.app.editor_terminals import Begin, Closed, Event, Finish, Missed, Output, Told
from understudy.app.terminal_switch import switch_in
from understudy.app.terminal_wait import Wish, wait_in
from understudy.app.terminals import focus, listed, read_in
from understudy.disk.layout import make_private_folder
from understudy.faces import terminal_params as wire
from understudy.faces.terminal_json import reading_json, terminal_json, waited_json
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.structure import structure

if TYPE_CHECKING:
    from understudy.faces.lsp_server import UnderstudyServer

_SECONDS = 10.0


async def list_all(server: UnderstudyServer, _params: wire.ListTerminals) -> dict[str, Any]:
    """Every recorded terminal of the folder, and where their files lie, to be watched."""
    session = server.host.session
    folder = session.layout.terminals
    with suppress(OutsideFailure):  # a client watches it; without one there are no files either
        make_private_folder(folder)
    found = await session.workers.run_elsewhere(listed, folder, seconds=_SECONDS)
    return {"terminals": [terminal_json(one) for one in found], "folder": str(folder)}


async def read(server: UnderstudyServer, params: wire.ReadTerminal) -> dict[str, Any]:
    """A terminal's text, or one command's."""
    session = server.host.session
    reading = await session.workers.run_elsewhere(
        read_in, session.layout.terminals, params.terminal, params.tail, params.command,
        seconds=_SECONDS,
    )  # fmt: skip
    return reading_json(reading)


async def wait(server: UnderstudyServer, params: wire.WaitForTerminal) -> dict[str, Any]:
    """How waiting ended."""
    session = server.host.session
    until = "exit" if params.idle is None else "idle"
    wish = Wish(params.pattern, until, params.timeout, 1.0 if params.idle is None else params.idle)
    folder = session.layout.terminals
    return waited_json(await wait_in(folder, params.terminal, wish, session.workers))


async def switch(server: UnderstudyServer, params: wire.SwitchTerminal) -> dict[str, Any]:
    """The terminal, once its recorder has followed."""
    server.refuse_agents("understudy/terminal/switch")
    folder = server.host.session.layout.terminals
    # A thread of its own: it waits for another process, and for a few seconds at most.
    terminal = await asyncio.to_thread(switch_in, folder, params.terminal, off=not params.recording)
    return terminal_json(terminal)


async def set_focus(server: UnderstudyServer, params: wire.FocusTerminal) -> dict[str, Any]:
    """Nothing; the list marks it from now on."""
    server.refuse_agents("understudy/terminal/focus")
    focus(server.host.session.layout.terminals, params.pid)
    return {}


async def report(server: UnderstudyServer, params: wire.ReportTerminal) -> dict[str, Any]:
    """The id of the log that it goes into."""
    server.refuse_agents("understudy/terminal/report")
    session = server.host.session
    events = [_event(event, f"events[{at}]") for at, event in enumerate(params.events)]
    told = Told(params.pid, params.shell, params.cwd, params.reason, events)
    name = server.editor_terminals.take(told, session.layout.terminals, session.settings)
    return {"terminal": name}


_EVENTS: Mapping[str, type[Event]] = {
    "begin": Begin, "data": Output, "missed": Missed, "end": Finish, "closed": Closed,
}  # fmt: skip
_NAMES = {"characters": "n_characters", "exit": "exit_code"}


def _event(raw: object, where: str) -> Event:
    if not isinstance(raw, dict):
        raise BadInput("bad-params", "expected a table", where)
    fields = {_NAMES.get(key, key): value for key, value in cast("dict[str, Any]", raw).items()}
    kind = fields.pop("kind", None)
    if kind not in _EVENTS:
        raise BadInput("bad-params", f"`kind` is one of {', '.join(_EVENTS)}", where)
    return structure(fields, _EVENTS[kind], "bad-params", where)
