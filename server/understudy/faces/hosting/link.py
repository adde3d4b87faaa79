"""A workspace's host, wherever it runs: attached to, or in this process.

When the host that was attached to has gone, the next call attaches to its successor, or becomes it.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from base64 import b64decode
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from understudy.app.host.attach import (
    LOOK_AGAIN_SECONDS,
    PATIENCE_SECONDS,
    Attached,
    attach,
    attach_or_claim,
)
from understudy.app.host.door import FaceName
from understudy.app.host.terms import Terms, terms_of_caller
from understudy.disk.layout import Layout
from understudy.disk.lock import HostLock, is_locked
from understudy.faces.answers.sound_json import told_error
from understudy.faces.frames import frame, read_frame
from understudy.faces.inside.coming_out import come_out
from understudy.faces.inside.place import way_out
from understudy.values.errors import (
    OutsideFailure,
    Refused,
)
from understudy.values.paths import Root
from understudy.workspace.progress import NOBODY, Audience
from understudy.workspace.tasks import Tasks

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.stage.model import Network

Json = dict[str, Any]
_CANCEL_SECONDS = 15.0


class HostLink:
    """One caller's way to a workspace's host.

    `agent` says that an agent asks, not the user; `stays` that this process, should it become the
    host, is there for others too; `network` is what the user allows an agent's commands at most;
    `trusts` that this caller trusts the folder, for itself alone; `leaves` that where there is no
    host one is left behind that goes on without this caller, as for every agent.
    """

    def __init__(
        self,
        root: Root,
        *,
        agent: bool,
        stays: bool,
        network: Network = "none",
        trusts: bool = False,
        leaves: bool = False,
    ) -> None:
        self.root = root
        self._leaves = leaves or agent
        self._trusts = trusts
        self._network: Network = network
        self._is_agent = agent
        self._stays = stays
        self._opening = asyncio.Lock()
        self._side: _Here | RemoteHost | None = None
        self.n_hosts = 0
        """How many hosts this end has come to: each but the first took over from one that ended."""

    @property
    def is_open(self) -> bool:
        """Whether there is a host at the other end, as far as this end knows."""
        return self._side is not None and not self._side.is_over

    async def call(self, name: str, params: Json, audience: Audience = NOBODY) -> Json:
        """Ask the host; raises what it does, OutsideFailure `host-ended`, and as `attach`."""
        side = await self.open()
        return await side.call(name, params, audience)

    async def close(self) -> None:
        """Leave the host, or end it if it is here."""
        async with self._opening:
            side, self._side = self._side, None
            if side is not None:
                await side.close()

    async def open(self) -> _Here | RemoteHost:
        """Come to the host, or become it; raises as `attach` does."""
        async with self._opening:
            side = self._side
            if side is not None and not side.is_over:
                return side
            if side is not None:
                await side.close()
            way = way_out()
            if way is not None:
                self._side = RemoteHost(await come_out(way, self.root, "calls"))
                self.n_hosts += 1
                return self._side
            face: FaceName = "agent" if self._is_agent else "command"
            found = await attach_or_claim(self.root, face, self._network, trusts=self._trusts)
            if self._leaves and isinstance(found, HostLock):
                found = await self._left_to_another(found, face)
            if isinstance(found, Attached):
                side = RemoteHost(found)
                if self._trusts:
                    await _refuse_untrusted(side, self.root)
            else:
                side = await self._become_host(found)
            self._side = side
            self.n_hosts += 1
            return side

    async def _become_host(self, claim: HostLock) -> _Here:
        from understudy.app.host.host import HostOptions, open_host  # noqa: PLC0415 - SQLite
        from understudy.app.host.reserved import Reserved  # noqa: PLC0415 - as above

        host = await open_host(self.root, HostOptions(trusted=self._trusts or None), claim)
        if self._stays:
            from understudy.faces.hosting.visits import welcome  # noqa: PLC0415 - as above

            reserved = Reserved(terms_of_caller(trusts=True)) if self._trusts else None
            await host.open_door(partial(welcome, host), reserved)
            host.keep_tools()
        return _Here(host, is_agent=self._is_agent, network=self._network)

    async def _left_to_another(self, claim: HostLock, face: FaceName) -> Attached | HostLock:
        """Have another process be the host, which stays when this one ends, where one may."""
        from understudy.faces.hosting.leaving import leave_by_program, may_leave  # noqa: PLC0415 - agents alone

        if not may_leave(self.root):
            return claim
        claim.release()
        await leave_by_program(self.root)
        return await attach_or_claim(self.root, face, self._network)


class RemoteHost:
    """A host in another process."""

    def __init__(self, attached: Attached) -> None:
        self._attached = attached
        self._tasks = Tasks()
        self._ids = itertools.count(1)
        self._answers: dict[int, asyncio.Future[Json]] = {}
        self._audiences: dict[int, Audience] = {}
        self.is_over = False
        self._tasks.spawn(self._read(), "read the host's answers")

    async def call(self, name: str, params: Json, audience: Audience = NOBODY) -> Json:
        """Ask; raises what the host raises, what the audience does, or `host-ended`.

        When it is cancelled, it returns once the host has ended what was asked, within a limit.
        """
        if self.is_over:
            raise _ended(name)
        number = next(self._ids)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._answers[number], self._audiences[number] = answer, audience
        try:
            self._say({"id": number, "call": name, "params": params})
            message = await answer
        except BaseException:  # given up, as a rule: the host is told, and it is raised again
            self._say({"cancel": number})
            await self._over(number)
            raise
        finally:
            del self._answers[number], self._audiences[number]
        if "error" in message:
            raise told_error(message["error"])
        return message["result"]

    async def close(self) -> None:
        """Go away; what was asked and is not answered is given up."""
        await self._tasks.close()
        await self._attached.close()

    async def _read(self) -> None:
        try:
            while (body := await read_frame(self._attached.reader)) is not None:
                self._take(cast("Json", json.loads(body)))
        finally:
            self.is_over = True
            for answer in self._answers.values():
                if not answer.done():
                    answer.set_exception(_ended(None))

    async def _over(self, number: int) -> None:
        """Wait for the host's last word about a call that was given up."""
        last: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        heard = Audience(told=self._audiences[number].told)
        self._answers[number], self._audiences[number] = last, heard
        await asyncio.wait([last], timeout=0 if self.is_over else _CANCEL_SECONDS)
        if last.done() and not last.cancelled():
            last.exception()  # that the host has ended is an end, too

    def _take(self, message: Json) -> None:
        number = message["id"]
        answer = self._answers.get(number)
        if answer is None or answer.done():
            return
        if "result" in message or "error" in message:
            answer.set_result(message)
            return
        try:
            _hear(self._audiences[number], message)
        except Exception as error:  # noqa: BLE001 - it is the caller's, who gets it
            answer.set_exception(error)

    def _say(self, message: Json) -> None:
        with suppress(ConnectionError):  # the reader sees it too, and says so
            self._attached.writer.write(frame(json.dumps(message).encode()))


class _Here:
    """The host in this process."""

    def __init__(self, host: Any, *, is_agent: bool, network: Network) -> None:  # noqa: ANN401 - Host, which loads SQLite
        from understudy.faces.calls.conversation import Conversation  # noqa: PLC0415 - see above

        self._host = host
        asker = "agent" if is_agent else "user"
        self._conversation = Conversation(host, asker, network=network)
        self.is_over = False

    async def call(self, name: str, params: Json, audience: Audience = NOBODY) -> Json:
        from understudy.faces.calls.table import answer  # noqa: PLC0415 - see above

        return await answer(self._conversation, name, params, audience)

    async def close(self) -> None:
        self.is_over = True
        try:
            await self._conversation.end()
        finally:
            await self._host.close()


async def ask_host(
    folder: Path, name: str, params: Json, audience: Audience = NOBODY, *, stays: bool = False
) -> Json:
    """Ask a workspace's host on behalf of the command line, or be it for this one call.

    `stays` lets others attach as long as the call takes.
    """
    link = HostLink(Root.open(folder), agent=False, stays=stays)
    try:
        return await link.call(name, params, audience)
    finally:
        await link.close()


async def ask_branch(
    way: Path, root: Root, name: str, params: Json, audience: Audience = NOBODY
) -> Json:
    """Ask about the branch that this process lives in; raises as `come_out`, and what is raised."""
    side = RemoteHost(await come_out(way, root, "calls"))
    try:
        return await side.call(name, params, audience)
    finally:
        await side.close()


async def ask_running_host(
    place: Layout,
    name: str,
    params: Json,
    audience: Audience,
    terms: Terms,
    *,
    patient: bool = False,
) -> Json | None:
    """Ask the host whose state lies there, if there is one; None without. Raises what it raises.

    `patient`: one that has begun and does not listen yet is waited for.
    """
    attached = await attach(place, "command", terms=terms)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while attached is None and patient and is_locked(place.lock) and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
        attached = await attach(place, "command", terms=terms)
    if attached is None:
        return None
    host = RemoteHost(attached)
    try:
        return await host.call(name, params, audience)
    finally:
        await host.close()


async def _refuse_untrusted(host: RemoteHost, root: Root) -> None:
    """Leave a host that does not trust its folder; raises Refused `host-untrusted`."""
    try:
        status = await host.call("understudy/status", {})
    except BaseException:  # whatever it is: left, and raised again
        await host.close()
        raise
    if not status["trusted"]:
        await host.close()
        text = (
            "an editor or an agent has the folder open and does not trust it, and its servers are "
            "shared: trust the folder there, or close it"
        )
        raise Refused("host-untrusted", text, str(root.path))


def _hear(audience: Audience, message: Json) -> None:
    """Hand on what the host says of a call before its answer."""
    if "progress" in message:
        audience.progress(*message["progress"])
    elif "placed" in message:
        audience.placed(Path(message["placed"]))
    elif "told" in message:
        audience.told(message["told"])
    elif "live" in message:
        stream, text = message["live"]
        # Nobody is waited for: while this one is busy, nothing is read, and the host is held back.
        audience.live(stream, b64decode(text))


def _ended(name: str | None) -> OutsideFailure:
    return OutsideFailure("host-ended", "the host has ended meanwhile; ask again", name)
