"""What every face may ask about recorded terminals: `understudy/terminal/{list,read,wait}`."""

from __future__ import annotations

from contextlib import suppress

from understudy.app.terminals.hosted import list_terminals, read_terminal, wait_for_terminal
from understudy.app.terminals.wait import WaitWish
from understudy.disk.layout import make_private_folder
from understudy.faces.answers.terminal import reading_json, terminal_json, waited_json
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import terminals as requests
from understudy.values.errors import OutsideFailure
from understudy.workspace.progress import Audience


async def list_all(side: Side, _params: requests.ListTerminals, _: Audience) -> Json:
    """Every recorded terminal of the folder, and where their files lie, to be watched."""
    session = side.host.session
    folder = session.layout.terminals
    with suppress(OutsideFailure):  # a client watches it; without one there are no files either
        make_private_folder(folder)
    found = await list_terminals(session)
    return {"terminals": [terminal_json(one) for one in found], "folder": str(folder)}


async def read(side: Side, params: requests.ReadTerminal, _: Audience) -> Json:
    """A terminal's text, or one command's."""
    session = side.host.session
    return reading_json(await read_terminal(session, params.terminal, params.tail, params.command))


async def wait(side: Side, params: requests.WaitForTerminal, _: Audience) -> Json:
    """How waiting ended."""
    session = side.host.session
    until = "exit" if params.idle is None else "idle"
    wish = WaitWish(
        params.pattern, until, params.timeout, 1.0 if params.idle is None else params.idle
    )
    return waited_json(await wait_for_terminal(session, params.terminal, wish))
