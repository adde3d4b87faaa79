"""A server of ours in a version that nobody has seen is drilled beside its first check.

It keeps its rule; only a wrong answer makes its silence prove nothing. That happens once a machine,
in folders that are trusted, and what came of it is kept for all of them: also that it came to no
word in its time. What is known of a server by the end of a check counts for the check.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging

from understudy.disk.lock import HostLock
from understudy.disk.proof_file import drill_lock, drill_place, has_no_word, note_no_word
from understudy.langserver.waiting import ended_by, result_by
from understudy.values.errors import Refused, UnderstudyError
from understudy.values.verdicts import Reason
from understudy.workspace.progress import Progress, silent
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.servers.proof_book import refuted_reason
from understudy.workspace.servers.unseen import UnseenDrill, UnseenServer, unseen_server
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

_LONGEST_S, _LONGEST_TURN_S = 15.0, 1.0
"""How long a drill may take, with its turn; after a longer one it is not begun."""
_PATIENCE_S = 13.0
_TURN_S = 0.1
"""How often it is looked whether another process is through with the same server."""

_log = logging.getLogger(__name__)


def begun(session: Session, choice: ServerChoice) -> UnseenDrill | None:
    """The drill of a chosen server, begun if it has to be; None where there can be none."""
    if choice.spec is None or not choice.spec.shipped or not session.trusted:
        return None
    drill = session.drills.get(choice.spec.key)
    if drill is None:
        drill = session.drills[choice.spec.key] = UnseenDrill()
        work = _drilled(session, choice, drill)
        drill.task = session.tasks.spawn(work, f"drilling {choice.name}")
    return drill


async def through(drill: UnseenDrill, progress: Progress, deadline: float) -> None:
    """Wait for the end of a drill, until the deadline (loop time) at most."""
    if drill.task is None or drill.task.done():
        return
    with contextlib.suppress(asyncio.TimeoutError):
        await ended_by(drill.is_known.wait(), deadline)
    if drill.subject:
        progress(f"asking {drill.subject}, which nobody has seen: once on this machine", 0, 0)
    left = min(deadline, drill.until) - asyncio.get_running_loop().time()
    await asyncio.wait([drill.task], timeout=max(left, 0))


def doubt_now(session: Session, choice: ServerChoice) -> Reason | None:
    """Why the silence of a server that was chosen before proves nothing, as it is known by now.

    What could not be kept counts for this host.
    """
    doubt = choice.doubt or session.servers.doubt_of(choice.name)
    drill = None if choice.spec is None else session.drills.get(choice.spec.key)
    return doubt or (None if drill is None else drill.doubt)


async def _drilled(session: Session, choice: ServerChoice, drill: UnseenDrill) -> None:
    try:
        found = await asyncio.to_thread(unseen_server, session.servers, choice)
        drill.subject = "" if found is None else f"{found.name} {found.version}"
        drill.until = asyncio.get_running_loop().time() + _LONGEST_S
    finally:
        drill.is_known.set()
    if found is None:
        return
    work = asyncio.ensure_future(_refutation(session, found, drill))
    try:
        drill.doubt = await result_by(work, drill.until)
    except (UnderstudyError, OSError, asyncio.TimeoutError) as error:
        drill.is_spent = not work.done()
        _log.info("the drill of %s came to no end: %r", found.name, error)
    else:
        session.on_branches_changed()  # what was told of them may have believed it
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def _refutation(session: Session, found: UnseenServer, drill: UnseenDrill) -> Reason | None:
    """Ask, and keep what came of it, if another process has not done so meanwhile.

    None where the choice of servers says it from now on, or nothing was wrong.
    """
    from understudy.workspace.proving.prove import prove  # noqa: PLC0415 - few versions are unseen

    loop = asyncio.get_running_loop()
    began = loop.time()
    with await _turn(found.key):
        if found.word_of(session.servers) is not None or has_no_word(found.key):
            return None
        if (
            loop.time() - began > _LONGEST_TURN_S
        ):  # others had their turn, and were ended with their host
            return None
        try:
            proving = await prove(
                found.model.profile, found.model, found.version, found.kit,
                settings=Settings(), environ=session.environ, progress=silent,
                patience_s=_PATIENCE_S, brief_at=drill_place(found.key),
            )  # fmt: skip
        except asyncio.CancelledError:
            if drill.is_spent:  # else the host ends, and the next one tries
                note_no_word(found.key)
            raise
        word = proving.proof or proving.refutation
        if word is None:
            if not any(one.is_passing for one in proving.tried):
                note_no_word(found.key)
            return None
        try:
            await asyncio.to_thread(session.proofs.add, word)  # it waits for others
        except (UnderstudyError, OSError):
            return refuted_reason(found.name) if word.refuted else None
        return None


async def _turn(key: str) -> HostLock:
    """One process at a time: the others wait for what comes of it."""
    while True:
        try:
            return drill_lock(key)
        except Refused:
            await asyncio.sleep(_TURN_S)
