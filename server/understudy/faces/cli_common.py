"""What all commands share: the root, the trust, errors to exit codes, output in text or JSON."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

from understudy.values.errors import BadInput, Conflict, UnderstudyError

T = TypeVar("T")
log = logging.getLogger("understudy")

CLEAN, FINDINGS, BAD_INPUT, UNKNOWN, OUR_FAILURE, INTERRUPTED = 0, 1, 2, 3, 4, 130


class OutputFormat(str, Enum):
    """How a command prints its answer."""

    text = "text"
    json = "json"


RootOption = Annotated[
    Path, typer.Option("--root", metavar="DIR", help="The folder to work on.", show_default=True)
]
FormatOption = Annotated[
    OutputFormat, typer.Option("--format", help="Text for people, JSON for programs (on stdout).")
]
TrustOption = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Trust this folder for this call: its interpreter and its own tools may be executed.",
    ),
]


def run(verb: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a verb to its end; an interrupt or a SIGTERM cancels it, cleans up, and exits 130."""
    try:
        return asyncio.run(_cancellable(verb()))
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("understudy: interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None


def fail(error: UnderstudyError, output: OutputFormat = OutputFormat.text) -> NoReturn:
    """Print a named error and exit with the code of its kind."""
    if output is OutputFormat.json:
        body = {"code": error.code, "text": error.text, "where": error.where}
        typer.echo(json.dumps({"schema": 1, "error": body}, ensure_ascii=False))
    typer.echo(f"understudy: {error.code}: {error}", err=True)
    if isinstance(error, Conflict):
        raise typer.Exit(FINDINGS)
    raise typer.Exit(BAD_INPUT if isinstance(error, BadInput) else OUR_FAILURE)


def fail_unexpectedly(error: Exception) -> NoReturn:
    """Print a failure of our own with its traceback and exit with 4."""
    traceback.print_exception(error, file=sys.stderr)
    typer.echo(f"understudy: internal: {type(error).__name__}: {error}", err=True)
    raise typer.Exit(OUR_FAILURE)


async def _cancellable(verb: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(verb)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows has no SIGTERM to handle
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    return await task
