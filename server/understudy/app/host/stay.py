"""A host that has stayed behind after its first caller: whom it serves, and when it ends.

It serves callers that come under its own terms. An editor that is let in decides, as everywhere;
the host then ends with it. Without visitors it ends after some minutes, when the machine is short
of memory or it holds too much itself, when its folder is gone, and when somebody needs its place.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from understudy.app.host.terms import Terms
from understudy.disk.layout import Layout
from understudy.process.machine_memory import is_short_of_memory
from understudy.process.tree import resident_bytes
from understudy.values.errors import Refused

if TYPE_CHECKING:
    from understudy.workspace.session import Session

_LOOK_SECONDS = 5.0
_FIRST_SECONDS = 15.0
_WEIGH_SECONDS = 10.0
"""Between two looks at its memory: each takes a look at every process of the machine."""
log = logging.getLogger(__name__)


class Stay:
    """One host's stay in a folder; `minutes` is how long nobody need ask."""

    def __init__(self, terms: Terms, place: Layout, minutes: float) -> None:
        self.terms = terms
        self.minutes = minutes
        self._place = place
        self._over = asyncio.Event()
        self._visitors: list[str] = []
        self._was_visited = False
        self._last_asked = self._weighed = time.monotonic()

    @property
    def has_editor(self) -> bool:
        """Whether an editor is attached: then its settings and its trust hold."""
        return "lsp" in self._visitors

    def end(self) -> None:
        """Let `until_over` return."""
        self._over.set()

    def admit(self, digest: object, *, makes_way: bool) -> None:
        """Let in who comes under the terms, or finds an editor here, whose terms they are.

        `makes_way`: who asks needs the folder's own host, so one that nobody uses ends, and one
        that an agent uses is shared with it. Raises Refused `closing`, `other-terms`.
        """
        if self._over.is_set():
            raise Refused("closing", "the host is shutting down")
        if digest == self.terms.digest or self.has_editor:
            return
        if not makes_way:
            raise Refused("other-terms", "the host serves callers of another environment or trust")
        if not {"agent", "rehearsal"}.isdisjoint(self._visitors):
            return  # a folder's branches have one host
        if self._visitors:
            raise Refused("closing", "the host ends when what it does for others is done")
        self.end()
        raise Refused("closing", "the host ends for another one")

    def outdated(self) -> None:
        """Somebody has come with another version: nobody will come with this one any more."""
        if not self._visitors:
            self.end()

    @contextmanager
    def visit(self, face: str) -> Generator[None, None, None]:
        """Somebody is here for this face (`door.FaceName`) while the body runs."""
        self._visitors.append(face)
        self._was_visited = True
        try:
            yield
        finally:
            self._visitors.remove(face)
            self._last_asked = time.monotonic()
            with suppress(OSError):  # for `doctor`, and for who looks for the one to end
                os.utime(self._place.host)
            if face == "lsp" and not self._visitors:
                self.end()

    async def until_over(self, session: Session) -> None:
        """Return when the host is to end."""
        is_here = _identity(session)
        while not self._over.is_set():
            left = _LOOK_SECONDS if self._visitors else min(_LOOK_SECONDS, self._left)
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._over.wait(), left)
            if not self._visitors and self._left <= 0:
                return
            if _identity(session) != is_here or not self._place.host.exists():
                log.warning("the folder, or the way to this host, is gone")
                return
            if await self._holds_too_much(session):
                return

    @property
    def _left(self) -> float:
        """Seconds until nobody has asked for long enough; the first visitor is waited for."""
        stays = self.minutes * 60
        if not self._was_visited:
            stays = max(stays, _FIRST_SECONDS)
        return self._last_asked + stays - time.monotonic()

    async def _holds_too_much(self, session: Session) -> bool:
        """Whether to end for the memory's sake; what visitors need least goes first."""
        is_short = is_short_of_memory()
        if is_short and self._visitors:
            session.pool.retire(lambda _: True)  # each when it is free; asked again, it starts anew
            return False
        if is_short:
            log.warning("the machine is short of memory")
            return True
        now = time.monotonic()
        if self._visitors or now - self._weighed < _WEIGH_SECONDS:
            return False
        self._weighed = now
        held = await asyncio.to_thread(resident_bytes, os.getpid())
        return held > session.settings.memory_limit_mb * 1024 * 1024 and not self._visitors


def _identity(session: Session) -> tuple[int, int] | None:
    try:
        found = session.root.path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
