"""An agent's harness: a client of an MCP server on stdio, by the SDK's 1.x or 2.x.

It runs in an environment of its own and imports nothing of the product. Usage:
python mcp_client.py DESCRIPTOR: a socket, on which a wish `{arguments, cwd, environ}` comes with
another socket, for one client each; they are forks, as the SDK takes seconds to load. A client's
`arguments` are ROOT|- COMMAND...; ROOT is what it says it has open (1.x). Each line that it reads
is `{id, tool, arguments, progress}`, or `{cancel: id}`; each that it writes `{id, text, failed}`,
before it `{of: id, progress, total, text}` if that was asked for. Its first line is its process,
its second `{version, instructions, tools, server, prompts}`.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import signal
import socket
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

gc.disable()  # a second of loading, nothing of which will go
import mcp  # noqa: E402

gc.enable()


async def agrees(*_: Any) -> Any:
    """Says yes to whatever the user is asked, as a client without one may."""
    return mcp.types.ElicitResult(action="accept", content={})


async def connected(stack: AsyncExitStack, root: str, command: list[str]) -> Any:
    """A session that can list and call tools, and what the server says of itself."""
    parameters = mcp.StdioServerParameters(
        command=command[0], args=command[1:], env=dict(os.environ)
    )
    if not hasattr(mcp, "Client"):

        async def roots(_: Any) -> Any:
            return mcp.types.ListRootsResult(roots=[mcp.types.Root(uri=Path(root).as_uri())])

        streams = await stack.enter_async_context(mcp.stdio_client(parameters))
        answers: dict[str, Any] = {} if root == "-" else {"list_roots_callback": roots}
        answers["elicitation_callback"] = agrees
        session = await stack.enter_async_context(mcp.ClientSession(*streams, **answers))
        told = await session.initialize()
        return session, told.protocolVersion, told.instructions, told.serverInfo
    made = mcp.Client(parameters, read_timeout_seconds=120, elicitation_callback=agrees)
    client = await stack.enter_async_context(made)
    return client, client.protocol_version, client.instructions, client.server_info


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


async def answer(session: Any, request: dict[str, Any]) -> None:
    async def hear(progress: float, total: float | None, text: str | None) -> None:
        say({"of": request["id"], "progress": progress, "total": total, "text": text})

    heard = {"progress_callback": hear} if request.get("progress") else {}
    found = await session.call_tool(request["tool"], request["arguments"], **heard)
    failed = found.is_error if hasattr(found, "is_error") else found.isError
    told = {"text": found.content[0].text, "failed": bool(failed), "meta": found.meta or {}}
    say({"id": request["id"], **told})


async def main(root: str, *command: str) -> None:
    running: dict[int, asyncio.Task[None]] = {}
    async with AsyncExitStack() as stack:
        session, version, instructions, server = await connected(stack, root, list(command))
        tools = [tool.model_dump(by_alias=True, mode="json", exclude_none=True)
                 for tool in (await session.list_tools()).tools]  # fmt: skip
        prompts = [prompt.name for prompt in (await session.list_prompts()).prompts]
        texts = [(await session.get_prompt(name)).messages[0].content.text for name in prompts]
        say({"version": version, "instructions": instructions, "tools": tools,
             "server": server.model_dump(by_alias=True, mode="json", exclude_none=True),
             "prompts": dict(zip(prompts, texts, strict=True))})  # fmt: skip
        reader = asyncio.StreamReader(limit=1 << 26)
        protocol = asyncio.StreamReaderProtocol(reader)
        await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
        while line := await reader.readline():
            request = json.loads(line)
            if "cancel" in request:
                running[request["cancel"]].cancel()
            else:
                running[request["id"]] = asyncio.ensure_future(answer(session, request))
        for task in running.values():
            task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)


def serve(wishes: socket.socket) -> None:
    """Make a client of each wish, until nobody can have one any more."""
    gc.freeze()  # what is loaded is shared by all of them
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody asks how one has ended
    while True:
        text, ends, _, _ = socket.recv_fds(wishes, 1 << 20, 1)
        if not text:
            return
        if os.fork() == 0:
            wishes.close()
            begin(json.loads(text), ends[0])
            return
        os.close(ends[0])


def begin(wish: dict[str, Any], end: int) -> None:
    """Be the client of a wish, as if it had been started with all of that."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(end, 0)
    os.dup2(end, 1)
    os.close(end)
    os.chdir(wish["cwd"])
    os.environ.clear()
    os.environ.update(wish["environ"])
    tempfile.tempdir = None
    say({"process": os.getpid()})
    asyncio.run(main(*wish["arguments"]))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
