"""CodeAsking servers about one snapshot: who is asked, in which order, with what place."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from understudy.app.code.answer import CodePlace, CodeWish, Why
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure
from understudy.values.positions import LineIndex, Position
from understudy.workspace.options import time_limit
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.questions import ServerAnswer, ask_server, server_for

_LONGEST_REASON = 400
"""Characters of what a server says of its failure: some send the whole stack."""


@dataclass
class CodeAsking:
    """One question on its way: who is asked, about which snapshot, until when (loop time).

    Where only a `named` server is asked, others are only to say who knows what it does not.
    """

    session: Session
    snapshot: Snapshot
    deadline: float
    owner: str
    servers: Sequence[str]
    notes: list[str]
    unseen: tuple[str, ...] = ()
    named: bool = False

    async def ask(
        self, method: str, params: Mapping[str, Any], path: str, beside: Sequence[str] = ()
    ) -> ServerAnswer:
        """The answer of the first server that knows the method; the others are noted.

        Raises OutsideFailure where none can answer.
        """
        mute: list[str] = []
        for name in self.servers:
            found = await self._asked(name, method, params, path, beside)
            if found is None:
                mute.append(name)
                continue
            self.notes += [f"{one} does not know {method}" for one in mute]
            self.servers = (name,)  # what follows is about its answer
            self.unseen = found.unseen
            return found
        text = f"nobody asked knows {method}: {', '.join(mute)}"
        if self.named:
            knows = await self._other_that_knows(method, params, path)
            text += f"; {knows} does" if knows is not None else ""
        raise OutsideFailure("not-offered", text)

    async def _other_that_knows(
        self, method: str, params: Mapping[str, Any], path: str
    ) -> str | None:
        names: Sequence[str] = ()
        with suppress(OutsideFailure):  # of a group that is switched off, for one
            names = _all_of(self.session, path)
        for name in names:
            with suppress(OutsideFailure):  # one that cannot answer is no help
                if await self._asked(name, method, params, path, ()) is not None:
                    return name
        return None

    async def _asked(
        self, name: str, method: str, params: Mapping[str, Any], path: str, beside: Sequence[str]
    ) -> ServerAnswer | None:
        """What one server says; None where it does not know the method."""
        try:
            return await ask_server(
                self.session, self.snapshot, method, params, owner=self.owner,
                deadline=self.deadline, path=path, server=name, beside=beside, is_ours=True,
            )  # fmt: skip
        except OutsideFailure as failure:
            if failure.code != "not-offered":
                raise
            return None


def asking_of(session: Session, snapshot: Snapshot, wish: CodeWish, path: str) -> CodeAsking:
    """Who will be asked: the server that was named, else the one of the types, then others."""
    deadline = time.monotonic() + time_limit(wish.timeout_s, session.settings.timeout_s)
    owner = wish.branch or "code"
    if wish.server is not None:
        name = server_for(session, path, wish.server).name
        return CodeAsking(session, snapshot, deadline, owner, (name,), [], named=True)
    return CodeAsking(session, snapshot, deadline, owner, _all_of(session, path), [])


def _all_of(session: Session, path: str) -> list[str]:
    """Those that may be asked about a file: the server of the types, then others of its group."""
    first = server_for(session, path)
    return [first.name] + [
        other.name
        for other in session.servers.choose(path, session.servers.names())
        if other.spec is not None
        and not other.is_command
        and other.profile.group == first.profile.group
        and other.name != first.name
    ]


def servers_of(session: Session, path: str, server: str | None) -> list[ServerChoice]:
    """Who can be asked what to do with a file: the server that was named, else linters first.

    Raises BadInput `unknown-server`, OutsideFailure with a reason's code where there is none.
    """
    first = server_for(session, path, server)
    chosen = session.servers.choose(path) if server is None else (first,)
    able = [one for one in chosen if one.spec is not None and not one.is_command]
    if not able:
        assert first.reason is not None
        raise OutsideFailure(first.reason.code, first.reason.text, first.name)
    return sorted(able, key=lambda one: one.profile.group == "types")


def params_at(session: Session, place: CodePlace) -> dict[str, Any]:
    """The protocol's params for a place, in UTF-16."""
    position: Position = place.range.start
    index = LineIndex(place.line)
    character = index.character(Position(0, position.column))
    return {
        "textDocument": {"uri": session.root.uri(place.path)},
        "position": {"line": position.line, "character": character},
    }


def why_of(failure: OutsideFailure) -> Why:
    """The reason that an answer gives for it: its first line."""
    where = f"{failure.where}: " if failure.where else ""
    said = failure.text.split("\n", 1)[0][:_LONGEST_REASON]
    return Why(failure.code, f"{where}{said}")
