"""What agents are told of recorded terminals."""

from __future__ import annotations

from understudy.app.session import Session
from understudy.app.terminal_wait import Wish, wait_in
from understudy.app.terminals import Reading, Terminal, listed, read_in, terminal_in
from understudy.faces import call_params as takes
from understudy.faces.agent_text import capped
from understudy.faces.terminal_json import terminal_line
from understudy.findings.lines import printable
from understudy.values.errors import BadInput

TAIL_LINES = 40
_SECONDS = 10.0
_TIMEOUT = 60.0


async def terminals_text(session: Session, params: takes.Context) -> str:
    """The list of terminals, or what one of them shows when waiting for it has ended."""
    folder = session.layout.terminals
    if params.action == "terminals":
        found = await session.workers.run_elsewhere(listed, folder, seconds=_SECONDS)
        return capped([*map(_line, found)] or ["no terminals are recorded in this folder"])
    name = (params.path or "").removeprefix("terminals/").removesuffix(".txt")
    if not name:
        text = "`wait` needs a path: the terminal's, as the list has it"
        raise BadInput("bad-params", text, "path")
    wish = Wish(params.pattern, seconds=_TIMEOUT if params.timeout is None else params.timeout)
    waited = await wait_in(folder, name, wish, session.workers)
    head = [waited.ended if waited.line is None else f"{waited.ended}: {printable(waited.line)}"]
    count = TAIL_LINES if params.count is None else params.count
    reading: Reading = await session.workers.run_elsewhere(
        read_in, folder, name, count, None, seconds=_SECONDS
    )
    head += [_line(waited.terminal), f"its last lines, {reading.left_out} before them:"]
    return capped([*head, *reading.text.splitlines()])


async def terminal_facts(session: Session, name: str) -> list[str]:
    """The list's line for a file in `terminals/`, so that no part of it stands without its grade.

    Nothing for other files.
    """
    folder, _, file = name.partition("/")
    if folder != "terminals":
        return []
    log = file.partition(".")[0]
    terminals = session.layout.terminals
    return [
        _line(await session.workers.run_elsewhere(terminal_in, terminals, log, seconds=_SECONDS))
    ]


def _line(terminal: Terminal) -> str:
    failed = terminal.failed
    place = ""
    if failed is not None:
        file = "" if failed.path == terminal.path else f" of terminals/{failed.path.name}"
        place = f" at line {failed.line}{file}: {printable(failed.text)}"
    return f"terminals/{terminal.id}.txt  {terminal_line(terminal)}{place}"
