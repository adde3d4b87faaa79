"""`understudy lsp`: the LSP server on stdio."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from understudy.faces.cli import boundary as common

BranchOption = Annotated[
    str | None,
    typer.Option(
        "--branch",
        metavar="ID",
        help="Be an ordinary language server over this branch instead, for any client: what is "
        "typed goes to the branch.",
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="With --branch: the branch's folder (default: the client's own, else the working "
        "folder).",
        readable=False,
    ),
]


def lsp(branch: BranchOption = None, root: FolderOption = None) -> None:
    """Serve an editor or an agent over the Language Server Protocol on stdin and stdout.

    Where another process is the folder's host already, this one attaches to it. Requests are
    described in docs/reference/lsp.md, the server of a branch in docs/reference/lsp-of-a-branch.md.
    The log goes to stderr.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    from understudy.faces.hosting.lsp_start import serve, serve_branch

    if branch is None and root is not None:
        raise typer.BadParameter("only with --branch: an editor names its folder itself")
    try:
        raise typer.Exit(serve() if branch is None else serve_branch({"branch": branch}, root))
    except (KeyboardInterrupt, asyncio.CancelledError):
        # A thread still waits for the client's next message, and Python would wait for it.
        os._exit(common.INTERRUPTED)
