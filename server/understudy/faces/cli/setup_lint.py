"""The real lint at the end of `setup`: the agent's own entry is started and asked for one."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from understudy.faces.hosting.link import ask_host
from understudy.values.errors import OutsideFailure

SECONDS = 120.0
_EDIT = {"kind": "write", "path": "understudy_setup_check.py", "text": 'number: int = "text"\n'}


async def lint_as_agent(entry: Sequence[str], root: Path) -> str:
    """What `understudy_lint` says of a mistake through an agent's entry for our server.

    The folder is not written to.

    Raises OutsideFailure `mcp-missing`, `no-answer`.
    """
    try:
        from mcp import Client, StdioServerParameters
        from mcp.client.stdio import stdio_client
        from mcp_types import TextContent
    except ImportError as error:
        text = "the MCP SDK is not installed; the fix: pip install 'understudy[mcp,python]'"
        raise OutsideFailure("mcp-missing", text) from error
    arguments = [*entry[1:], "--root", str(root)]
    server = StdioServerParameters(command=entry[0], args=arguments, env=dict(os.environ))
    # The user is shown what the server logs only where it gives no answer.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        try:
            streams = stdio_client(server, errlog=log)
            async with Client(streams, read_timeout_seconds=SECONDS) as client:
                found = await client.call_tool("understudy_lint", {"edits": [_EDIT]})
                said = "".join(part.text for part in found.content if isinstance(part, TextContent))
        except Exception as error:  # the boundary: whatever the SDK raises, no answer came
            log.seek(0)
            why = (log.read().strip().splitlines() or [f"{type(error).__name__}: {error}"])[-1]
            text = f"the agent's entry does not answer: {why[:300]}"
            raise OutsideFailure("no-answer", text, " ".join([entry[0], *arguments])) from error
    made = re.search(r"^branch (\S+) holds", said, re.MULTILINE)
    if made is not None:
        await ask_host(root, "discard", {"branch": made[1]})
    return said
