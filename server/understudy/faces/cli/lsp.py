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

ThroughOption = Annotated[
    list[str] | None,
    typer.Option(
        "--through",
        metavar="SERVER",
        help="With --branch: files that the branch has no edits in stay your own, and this server "
        "answers about them as usual; may be repeated.",
    ),
]
AllOption = Annotated[
    bool, typer.Option("--all", help="As --through, with all servers that your files have.")
]


def lsp(
    branch: BranchOption = None,
    root: FolderOption = None,
    through: ThroughOption = None,
    everything: AllOption = False,
) -> None:
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
    from understudy.faces.inside.place import way_out

    if branch is None and (root or through or everything):
        raise typer.BadParameter("--root, --through and --all go with --branch alone")
    if through and everything:
        raise typer.BadParameter("--all is through all servers: leave --through out")
    try:
        if branch is None or way_out() is not None:  # inside, there is but one branch
            raise typer.Exit(serve(branch))
        from understudy.app.accept.attended import started_by_agent

        wish = {
            "branch": branch,
            "shares": bool(through) or everything,
            "through": through or [],
            "of_agent": started_by_agent() or "",
        }
        raise typer.Exit(serve_branch(wish, root))
    except (KeyboardInterrupt, asyncio.CancelledError):
        # A thread still waits for the client's next message, and Python would wait for it.
        os._exit(common.INTERRUPTED)
