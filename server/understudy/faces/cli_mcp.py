"""`understudy mcp`: the MCP server on stdio."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from understudy.faces import cli_common as common

McpRootOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="The folder to work on (default: the client's own, else the working folder).",
        readable=False,
    ),
]


def mcp(root: McpRootOption = None) -> None:
    """Serve an agent over the Model Context Protocol on stdin and stdout.

    Its tools rehearse edits, run commands on them and look things up; PROTOCOL.md describes them.
    Where an editor has the folder open, this attaches to its host. The log goes to stderr.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    from understudy.faces.mcp_server import serve

    try:
        with common.answering():
            common.run(lambda: serve(root))
    except typer.Exit as ended:
        # A thread still waits for the client's next message, and Python would wait for it.
        sys.stderr.flush()
        os._exit(ended.exit_code)
    except (KeyboardInterrupt, asyncio.CancelledError):
        os._exit(common.INTERRUPTED)
