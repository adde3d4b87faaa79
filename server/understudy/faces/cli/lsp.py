"""`understudy lsp`: the LSP server on stdio."""

from __future__ import annotations

import asyncio
import logging
import os
import sys

import typer

from understudy.faces.cli import boundary as common


def lsp() -> None:
    """Serve an editor or an agent over the Language Server Protocol on stdin and stdout.

    Where another process is the folder's host already, this one attaches to it. Requests are
    described in docs/reference/lsp.md. The log goes to stderr.
    """
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.WARNING,
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    from understudy.faces.hosting.lsp_start import serve

    try:
        raise typer.Exit(serve())
    except (KeyboardInterrupt, asyncio.CancelledError):
        # A thread still waits for the client's next message, and Python would wait for it.
        os._exit(common.INTERRUPTED)
