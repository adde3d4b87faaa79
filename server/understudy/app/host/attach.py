"""Attaching to a running host: the other side of its door."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from contextlib import suppress
from enum import Enum
from typing import TYPE_CHECKING, cast

from understudy.app.host.door import HELLO_SECONDS, NO_LINE, FaceName, refuse_foreign
from understudy.app.host.terms import Terms, terms_of_caller
from understudy.disk.host_address import HostAddress, read_address
from understudy.disk.layout import Layout, workspace_layout
from understudy.disk.lock import HostLock, holder
from understudy.values.errors import BadInput, Refused
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.version import __version__

if TYPE_CHECKING:  # what makes stages is loaded by the first of them
    from understudy.stage.model import Network

PATIENCE_SECONDS = 15.0
"""How long a host may take that starts or ends and does not listen meanwhile."""
LOOK_AGAIN_SECONDS = 0.05
_STREAM_LIMIT = 1 << 20
_REFUSALS = frozenset(("host-version", "foreign-user", "other-terms"))


class _Absent(Enum):
    """Why nobody was attached to: none listens (any more), or who does says nothing in time."""

    nobody = "nobody"
    silent = "silent"


@frozen
class Attached:
    """A connection to the host of a workspace, for one face."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def blocking_socket(self) -> socket.socket:
        """The connection for threads of the caller, who closes both; the loop reads it no more.

        Before the first message nothing has come that the loop could have read already.
        """
        cast("asyncio.ReadTransport", self.writer.transport).pause_reading()
        connection = self.writer.get_extra_info("socket").dup()
        connection.setblocking(True)
        return connection

    async def close(self) -> None:
        """Go away; the host ends what was asked over this connection."""
        with suppress(OSError, asyncio.TimeoutError):
            self.writer.close()
            await asyncio.wait_for(self.writer.wait_closed(), HELLO_SECONDS)


async def attach(
    layout: Layout,
    face: FaceName,
    network: Network = "none",
    *,
    terms: Terms,
    makes_way: bool = False,
    branch: str | None = None,
) -> Attached | None:
    """Attach to the workspace's host; None if nobody listens, or it is about to end.

    `branch` is that of a rehearsal. `network` is what the user allows an agent's commands at most.
    A host that has stayed behind, is of other `terms` and serves nobody ends if it `makes_way`.
    Raises Refused `host-version`, `foreign-user`, `other-terms`.
    """
    found = await _try(layout, face, network, terms, branch, makes_way=makes_way)
    return found if isinstance(found, Attached) else None


async def _try(
    layout: Layout,
    face: FaceName,
    network: Network,
    terms: Terms,
    branch: str | None = None,
    *,
    makes_way: bool,
) -> Attached | _Absent:
    """The same; who is not there says how."""
    address = read_address(layout)
    if address is None:
        return _Absent.nobody
    try:
        reader, writer = await _connect(address)
    except OSError:
        return _Absent.nobody  # what a host that crashed has left
    attached = Attached(reader, writer)
    try:
        refuse_foreign(writer)
        hello = {
            "version": __version__, "token": address.token, "face": face, "network": network,
            "terms": terms.digest, "makesWay": makes_way,
            **({} if branch is None else {"branch": branch}),
        }  # fmt: skip
        writer.write(json.dumps(hello).encode() + b"\n")
        line = await asyncio.wait_for(reader.readuntil(b"\n"), HELLO_SECONDS)
        answer = json.loads(line)
    except asyncio.TimeoutError:
        await attached.close()
        return _Absent.silent
    except (OSError, ValueError, *NO_LINE):
        await attached.close()
        return _Absent.nobody
    except BaseException:  # whatever it is: undone, and raised again
        await attached.close()
        raise
    error = answer.get("error")
    if error is None:
        return attached
    await attached.close()
    if error["code"] in ("closing", "wrong-token"):  # the latter: the address was a former host's
        return _Absent.nobody
    kind = Refused if error["code"] in _REFUSALS else BadInput
    raise kind(error["code"], error["text"], str(layout.folder))


async def attach_or_claim(
    root: Root, face: FaceName, network: Network = "none", *, trusts: bool = False
) -> Attached | HostLock:
    """Attach to the workspace's host, or take its lock: the caller then opens the host.

    `trusts` says that the caller trusts the folder for itself alone.
    Raises what `attach` does; Refused `host-running` where the lock is held and nobody listens, or
    who does has not answered: the text says which.
    """
    layout = workspace_layout(root).create()
    deadline = time.monotonic() + PATIENCE_SECONDS
    terms = terms_of_caller(trusts=trusts)
    while True:
        found = await _try(layout, face, network, terms, makes_way=True)
        if isinstance(found, Attached):
            return found
        try:
            return HostLock.acquire(layout.lock)
        except Refused as error:
            if time.monotonic() >= deadline:
                raise _in_truth(error, layout, found) from error
        await asyncio.sleep(LOOK_AGAIN_SECONDS)


def _in_truth(error: Refused, layout: Layout, absent: _Absent) -> Refused:
    """What to say of a host that holds the lock, and could not be attached to."""
    if absent is _Absent.nobody:
        return error
    pid = holder(layout.lock)
    who = "the host of this workspace" if pid is None else f"process {pid}, this workspace's host,"
    text = (
        f"{who} did not answer within {HELLO_SECONDS:g} s, time and again: it or the machine is "
        "very busy, or it is stopped; ask again, or end it"
    )
    return Refused(error.code, text, error.where)


async def _connect(address: HostAddress) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if sys.platform == "win32" or address.socket is None:
        return await asyncio.open_connection("127.0.0.1", address.port, limit=_STREAM_LIMIT)
    return await asyncio.open_unix_connection(address.socket, limit=_STREAM_LIMIT)
