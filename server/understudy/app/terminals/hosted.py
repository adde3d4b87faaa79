"""The verbs of terminals as a host answers them: in workers, as a log may be long."""

from __future__ import annotations

from understudy.app.terminals.listing import Terminal, TerminalReading, listed, read_in, terminal_in
from understudy.app.terminals.wait import Waited, WaitWish, wait_in
from understudy.workspace.session import Session

_SECONDS = 60.0
"""However much is kept of a terminal; no pattern is looked for here."""


async def list_terminals(session: Session) -> list[Terminal]:
    """Every recorded terminal of the folder, oldest first."""
    folder = session.layout.terminals
    return await session.workers.run_elsewhere(listed, folder, seconds=_SECONDS)


async def terminal_named(session: Session, name: str) -> Terminal:
    """One terminal; raises BadInput `unknown-terminal`."""
    folder = session.layout.terminals
    return await session.workers.run_elsewhere(terminal_in, folder, name, seconds=_SECONDS)


async def read_terminal(
    session: Session, name: str, tail: int | None = None, command: int | None = None
) -> TerminalReading:
    """A terminal's text or one command's, as `listing.read`; raises as that does."""
    folder = session.layout.terminals
    return await session.workers.run_elsewhere(
        read_in, folder, name, tail, command, seconds=_SECONDS
    )


async def wait_for_terminal(session: Session, name: str, wish: WaitWish) -> Waited:
    """How waiting for a terminal ended; raises as `wait_in`."""
    return await wait_in(session.layout.terminals, name, wish, session.workers)
