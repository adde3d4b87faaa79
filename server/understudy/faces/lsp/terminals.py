"""The requests `understudy/terminal/*`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, cast

from understudy.app.terminals.editor import (
    Closed,
    CommandBegin,
    CommandOutput,
    Event,
    Finish,
    MissedOutput,
    Told,
)
from understudy.app.terminals.hosted import list_terminals, read_terminal, wait_for_terminal
from understudy.app.terminals.listing import focus
from understudy.app.terminals.switch import switch_in
from understudy.app.terminals.wait import WaitWish
from understudy.disk.layout import make_private_folder
from understudy.faces.answers.terminal import reading_json, terminal_json, waited_json
from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import terminals as requests
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.structure import structure
from understudy.workspace.progress import Audience


async def list_all(server: UnderstudyServer, _params: requests.ListTerminals, _: Audience) -> Json:
    """Every recorded terminal of the folder, and where their files lie, to be watched."""
    session = server.host.session
    folder = session.layout.terminals
    with suppress(OutsideFailure):  # a client watches it; without one there are no files either
        make_private_folder(folder)
    found = await list_terminals(session)
    return {"terminals": [terminal_json(one) for one in found], "folder": str(folder)}


async def read(server: UnderstudyServer, params: requests.ReadTerminal, _: Audience) -> Json:
    """A terminal's text, or one command's."""
    session = server.host.session
    return reading_json(await read_terminal(session, params.terminal, params.tail, params.command))


async def wait(server: UnderstudyServer, params: requests.WaitForTerminal, _: Audience) -> Json:
    """How waiting ended."""
    session = server.host.session
    until = "exit" if params.idle is None else "idle"
    wish = WaitWish(
        params.pattern, until, params.timeout, 1.0 if params.idle is None else params.idle
    )
    return waited_json(await wait_for_terminal(session, params.terminal, wish))


async def switch(server: UnderstudyServer, params: requests.SwitchTerminal, _: Audience) -> Json:
    """The terminal, once its recorder has followed."""
    folder = server.host.session.layout.terminals
    # A thread of its own: it waits for another process, and for a few seconds at most.
    terminal = await asyncio.to_thread(switch_in, folder, params.terminal, off=not params.recording)
    return terminal_json(terminal)


async def set_focus(server: UnderstudyServer, params: requests.FocusTerminal, _: Audience) -> Json:
    """Nothing; the list marks it from now on."""
    focus(server.host.session.layout.terminals, params.pid)
    return {}


async def report(server: UnderstudyServer, params: requests.ReportTerminal, _: Audience) -> Json:
    """The id of the log that it goes into."""
    session = server.host.session
    events = [_event(event, f"events[{at}]") for at, event in enumerate(params.events)]
    told = Told(params.pid, params.shell, params.cwd, params.reason, events)
    name = server.editor_terminals.take(told, session.layout.terminals, session.settings)
    return {"terminal": name}


_EVENTS: Mapping[str, type[Event]] = {
    "begin": CommandBegin, "data": CommandOutput, "missed": MissedOutput, "end": Finish,
    "closed": Closed,
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
