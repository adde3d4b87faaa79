"""`understudy mcp`: the MCP server on stdio."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from understudy.faces.cli import boundary as common

RootsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="A folder to serve; may be repeated (default: the client's own, else the working "
        "folder). An agent is served no other.",
        readable=False,
    ),
]
AllowedNetworkOption = Annotated[
    common.NetworkName,
    typer.Option(
        "--net", help="What an agent's commands may ask for: nothing, or the user's network (host)."
    ),
]


def mcp(root: RootsOption = None, net: AllowedNetworkOption = common.NetworkName.none) -> None:
    """Serve an agent over the Model Context Protocol on stdin and stdout.

    Its tools check edits, run commands on them and look things up;
    docs/reference/mcp.md describes them.
    Where an editor has the folder open, this attaches to its host. The log goes to stderr.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    from understudy.faces.mcp.server import serve

    try:
        with common.answering():
            common.run(lambda: serve(root or [], net.value))
    except typer.Exit as ended:
        # A thread still waits for the client's next message, and Python would wait for it.
        sys.stderr.flush()
        os._exit(ended.exit_code)
    except (KeyboardInterrupt, asyncio.CancelledError):
        os._exit(common.INTERRUPTED)
