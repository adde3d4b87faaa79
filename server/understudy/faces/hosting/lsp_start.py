"""How `understudy lsp` begins: as the host of the client's folder, or attached to it.

The folder stands in the client's first message, so that is read before anything else is loaded.
With `--branch` the process serves that branch alone, which a host is told before all else.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import stat
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from understudy.app.host.attach import Attached, attach_or_claim
from understudy.disk.lock import HostLock
from understudy.faces.frames import HEADER_LIMIT, ContinuedReader, FrameReader, Frames, frame
from understudy.faces.inside.coming_out import come_out
from understudy.faces.inside.place import way_out
from understudy.values.errors import UnderstudyError
from understudy.values.json_input import read_json
from understudy.values.paths import Root, path_of_uri

_CHUNK = 1 << 16


def serve(branch: str | None = None) -> int:
    """Serve one client on stdin and stdout until it says `exit` or goes away; the exit code.

    From inside a branch it is that branch alone; `branch` is the one that is meant there.
    """
    beginning = bytearray()
    first = _first_message(beginning)
    way = way_out()
    if way is not None:
        return asyncio.run(_serve_inside(way, first, bytes(beginning), branch))
    return asyncio.run(_serve(first, bytes(beginning)))


def serve_branch(wish: Mapping[str, Any], folder: Path | None) -> int:
    """The same for one branch of `folder` (None: the client's own, else the working folder)."""
    beginning = bytearray()
    first = _first_message(beginning)
    return asyncio.run(_serve_branch(first, bytes(beginning), wish, folder))


async def _serve_inside(
    way: Path, first: bytes | None, beginning: bytes, branch: str | None
) -> int:
    """Be the way to the language server of the branch that this process lives in."""
    from understudy.faces.hosting.relay import relay  # noqa: PLC0415 - as below

    try:
        attached = await come_out(way, _root_or_none(first), "lsp", branch)
    except UnderstudyError as error:
        from understudy.faces.branch_lsp.serve import serve as serve_here  # noqa: PLC0415 - as below
        from understudy.faces.hosting.visits import welcome  # noqa: PLC0415 - as below

        reader = ContinuedReader(beginning, await _standard_input())
        await serve_here(reader, error, {"branch": ""}, welcome)
        return 0
    return await relay(beginning, attached)


async def _serve_branch(
    first: bytes | None, beginning: bytes, wish: Mapping[str, Any], folder: Path | None
) -> int:
    claim: tuple[Root, HostLock] | UnderstudyError
    try:
        root = Root.open(folder) if folder is not None else _root_or_none(first)
        root = root or Root.open(Path())
        found = await attach_or_claim(root, "branch")
        if isinstance(found, Attached):
            from understudy.faces.hosting.relay import relay  # noqa: PLC0415 - as below

            return await relay(frame(json.dumps(wish).encode()) + beginning, found)
        claim = root, found
    except UnderstudyError as error:
        claim = error
    from understudy.faces.branch_lsp.serve import serve as serve_here  # noqa: PLC0415 - as below
    from understudy.faces.hosting.visits import welcome  # noqa: PLC0415 - as below

    reader = ContinuedReader(beginning, await _standard_input())
    await serve_here(reader, claim, wish, welcome)
    return 0


async def _serve(first: bytes | None, beginning: bytes) -> int:
    claim = await _claim(first)
    if isinstance(claim, Attached):
        from understudy.faces.hosting.relay import relay  # noqa: PLC0415 - most processes are hosts

        return await relay(beginning, claim)
    gc.disable()  # all that is loaded here stays, and is frozen then
    from understudy.faces.hosting.visits import welcome  # noqa: PLC0415 - a relay has no visitors
    from understudy.faces.lsp.serve import serve as serve_here  # noqa: PLC0415 - nor pygls

    gc.enable()
    await serve_here(ContinuedReader(beginning, await _standard_input()), claim, welcome)
    return 0


def _first_message(beginning: bytearray) -> bytes | None:
    """The client's first message; None if it goes away before. `beginning` gets all that was read.

    What came with it is in there, too.
    """
    frames = Frames()
    while not frames.is_broken:
        data = os.read(sys.stdin.fileno(), _CHUNK)
        beginning += data
        bodies = frames.feed(data)
        if bodies or not data:
            return bodies[0] if bodies else None
    return None


async def _claim(first: bytes | None) -> Attached | HostLock | UnderstudyError | None:
    """The host's lock, a connection to the host, or why there is neither; None: no folder is named.

    What is wrong with a first message is told by the server that reads it once more.
    """
    root = _root_or_none(first)
    if root is None:
        return None
    try:
        return await attach_or_claim(root, "lsp")
    except UnderstudyError as error:
        return error


def _root_or_none(first: bytes | None) -> Root | None:
    try:
        return _root_in(first)
    except (UnderstudyError, ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None


def _root_in(first: bytes | None) -> Root | None:
    """The root that an `initialize` names, as the server will read it."""
    message = cast("dict[str, Any]", read_json(first or b"{}"))
    if message.get("method") != "initialize":
        return None
    params = cast("dict[str, Any]", message["params"])
    folders = cast("list[dict[str, Any]]", params.get("workspaceFolders") or [])
    uri: Any = folders[0]["uri"] if folders else params.get("rootUri")
    path: Any = path_of_uri(uri) if uri is not None else params.get("rootPath")
    return None if path is None else Root.open(path)


async def _standard_input() -> FrameReader:
    """Standard input, read by the event loop itself where the system can.

    pygls' reader takes three turns of a thread for each message; every one of them may wait for
    the interpreter's lock while a check is being prepared, and the user's typing with it.
    """
    if os.name == "nt" or not _can_be_polled(sys.stdin.fileno()):
        from pygls.io_ import StdinAsyncReader  # noqa: PLC0415 - a relay needs no pygls elsewhere

        return cast("FrameReader", StdinAsyncReader(sys.stdin.buffer))
    reader = asyncio.StreamReader(limit=HEADER_LIMIT)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin.buffer
    )
    return reader


def _can_be_polled(number: int) -> bool:
    """Whether the loop can wait for a descriptor: not for a file, nor for /dev/null."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)
