"""Serving one branch on stdin and stdout, or to a client that has come through the host's door."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from understudy.app.host.door import Visitor
from understudy.app.host.host import Host, HostOptions, open_host
from understudy.disk.lock import HostLock
from understudy.faces.branch_lsp.peer import Peer
from understudy.faces.branch_lsp.server import BranchServer
from understudy.faces.branch_lsp.wish import Wish
from understudy.faces.frames import FrameReader, read_frame
from understudy.values.errors import UnderstudyError
from understudy.values.json_input import read_object
from understudy.values.paths import Root
from understudy.workspace.tasks import Tasks

Welcome = Callable[[Host, Visitor], Awaitable[None]]


async def serve(
    reader: FrameReader,
    claim: tuple[Root, HostLock] | UnderstudyError,
    wish: Mapping[str, Any],
    welcome: Welcome,
) -> None:
    """Be the folder's host, and serve the client on stdin and stdout until it goes away.

    `claim` is the folder with its lock, or why there is none; `welcome` serves whoever comes
    through the host's door.
    """
    host = await _opened(claim, welcome)
    loop = asyncio.get_running_loop()
    serving = asyncio.ensure_future(_server(host, Wish.of(wish), _say).serve(reader))
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:  # who started us in the background wants it
            with suppress(NotImplementedError):  # Windows: a Ctrl-C is a KeyboardInterrupt there
                loop.add_signal_handler(number, serving.cancel)
    try:
        await serving
    finally:
        if isinstance(host, Host):
            await host.close()


async def serve_attached(host: Host, visitor: Visitor) -> None:
    """Serve a client that has attached to the host until it goes or the host ends.

    Its first message says for which branch it has come.
    """
    body = await read_frame(visitor.reader)
    if body is not None:
        wish = Wish.of(read_object(body, "message"))
        await _server(host, wish, visitor.writer.write).serve(visitor.reader)


def _server(
    host: Host | UnderstudyError, wish: Wish, write: Callable[[bytes], None]
) -> BranchServer:
    tasks = Tasks()
    return BranchServer(host, wish, Peer(write, tasks), tasks)


async def _opened(
    claim: tuple[Root, HostLock] | UnderstudyError, welcome: Welcome
) -> Host | UnderstudyError:
    """The folder's host, or why there is none: the client is told at `initialize`."""
    if isinstance(claim, UnderstudyError):
        return claim
    try:
        host = await open_host(claim[0], HostOptions(), claim[1])
    except UnderstudyError as error:
        return error
    await host.open_door(partial(welcome, host))
    return host


def _say(data: bytes) -> None:
    with suppress(BrokenPipeError):  # the client has gone, which its end of stdin says, too
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
