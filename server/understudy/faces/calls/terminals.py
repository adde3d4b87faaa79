"""Recorded terminals: what every face may ask about them, and what agents are told in words."""

from __future__ import annotations

from contextlib import suppress

from understudy.app.terminals.hosted import (
    list_terminals,
    read_terminal,
    terminal_named,
    wait_for_terminal,
)
from understudy.app.terminals.listing import Terminal
from understudy.app.terminals.wait import WaitWish
from understudy.disk.layout import make_private_folder
from understudy.faces.answers.agent_text import capped
from understudy.faces.answers.terminal import (
    reading_json,
    terminal_json,
    terminal_line,
    waited_json,
)
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params import calls as takes
from understudy.faces.params import terminals as requests
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.printable import printable
from understudy.workspace.progress import Audience
from understudy.workspace.session import Session

TAIL_LINES = 40
_TIMEOUT = 60.0


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


async def terminals_text(session: Session, params: takes.Context) -> str:
    """The list of terminals, or what one of them shows when waiting for it has ended."""
    if params.action == "terminals":
        found = await list_terminals(session)
        return capped([*map(_line, found)] or ["no terminals are recorded in this folder"])
    name = (params.path or "").removeprefix("terminals/").removesuffix(".txt")
    if not name:
        text = "`wait` needs a path: the terminal's, as the list has it"
        raise BadInput("bad-params", text, "path")
    wish = WaitWish(params.pattern, seconds=_TIMEOUT if params.timeout is None else params.timeout)
    waited = await wait_for_terminal(session, name, wish)
    head = [waited.ended if waited.line is None else f"{waited.ended}: {printable(waited.line)}"]
    count = TAIL_LINES if params.count is None else params.count
    reading = await read_terminal(session, name, tail=count)
    head += [_line(waited.terminal), f"its last lines, {reading.left_out} before them:"]
    return capped([*head, *reading.text.splitlines()])


async def terminal_facts(session: Session, name: str) -> list[str]:
    """The list's line for a file in `terminals/`, so that no part of it stands without its grade.

    Nothing for other files.
    """
    folder, _, file = name.partition("/")
    if folder != "terminals":
        return []
    return [_line(await terminal_named(session, file.partition(".")[0]))]


def _line(terminal: Terminal) -> str:
    failed = terminal.failed
    place = ""
    if failed is not None:
        file = "" if failed.path == terminal.path else f" of terminals/{failed.path.name}"
        place = f" at line {failed.line}{file}: {printable(failed.text)}"
    return f"terminals/{terminal.id}.txt  {terminal_line(terminal)}{place}"
