"""The requests `understudy/terminal/*` that are the editor's alone."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
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
from understudy.app.terminals.listing import focus
from understudy.app.terminals.switch import switch_in
from understudy.faces.answers.terminal import terminal_json
from understudy.faces.calls.entry import Json
from understudy.faces.lsp.connection import UnderstudyServer
from understudy.faces.params import terminals as requests
from understudy.values.errors import BadInput
from understudy.values.structure import structure
from understudy.workspace.progress import Audience


async def switch(server: UnderstudyServer, params: requests.SwitchTerminal, _: Audience) -> Json:
    """The terminal, once its recorder has followed."""
    folder = server.host.session.layout.terminals
    # A thread of its own: it waits for another process, and for a few seconds at most.
    terminal = await asyncio.to_thread(switch_in, folder, params.terminal, off=not params.recording)
    server.editor_terminals.follow_switches()
    return terminal_json(terminal)


async def set_focus(server: UnderstudyServer, params: requests.FocusTerminal, _: Audience) -> Json:
    """Nothing; the list marks it from now on."""
    focus(server.host.session.layout.terminals, params.pid)
    return {}


async def report(server: UnderstudyServer, params: requests.ReportTerminal, _: Audience) -> Json:
    """The id of the log that it goes into, null for the end of one that has none."""
    session = server.host.session
    events = [_event(event, f"events[{at}]") for at, event in enumerate(params.events)]
    told = Told(params.pid, params.shell, params.cwd, params.reason, events, params.follows)
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
