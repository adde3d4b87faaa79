"""What all commands share: the root, the trust, errors to exit codes, output in text or JSON."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from understudy.faces.sound_json import json_line
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, Conflict, OutsideFailure, UnderstudyError

T = TypeVar("T")
log = logging.getLogger("understudy")

CLEAN, FINDINGS, BAD_INPUT, UNKNOWN, OUR_FAILURE, INTERRUPTED = 0, 1, 2, 3, 4, 130
READER_GONE = 141
"""Nobody reads our output any more: what a shell says of a program that SIGPIPE has ended."""


class OutputFormat(str, Enum):
    """How a command prints its answer."""

    text = "text"
    json = "json"


RootOption = Annotated[
    Path,
    typer.Option(
        "--root", metavar="DIR", help="The folder to work on.", show_default=True, readable=False
    ),
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


@contextmanager
def answering(output: OutputFormat = OutputFormat.text) -> Generator[None, None, None]:
    """The boundary of a command: whatever ends its body becomes a message and an exit code."""
    try:
        yield
    except typer.Exit:
        raise
    except (KeyboardInterrupt, asyncio.CancelledError):
        typer.echo("understudy: interrupted", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the last flush is quiet
        raise typer.Exit(READER_GONE) from None
    except UnderstudyError as error:
        _print_error(error, output)
        if isinstance(error, Conflict):
            raise typer.Exit(FINDINGS) from error
        raise typer.Exit(BAD_INPUT if isinstance(error, BadInput) else OUR_FAILURE) from error
    except Moved as moved:
        text = "the file changed while it was read; run the command again"
        _print_error(OutsideFailure("base-moved", text, moved.path), output)
        raise typer.Exit(OUR_FAILURE) from moved
    except Exception as error:  # the boundary: whatever it is, it is ours
        traceback.print_exception(error, file=sys.stderr)
        text = f"{type(error).__name__}: {error}"
        _print_error(OutsideFailure("internal", text), output)
        raise typer.Exit(OUR_FAILURE) from error


def run(verb: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a verb to its end; an interrupt or a SIGTERM cancels it, and it cleans up."""
    return asyncio.run(_cancellable(verb()))


def _print_error(error: UnderstudyError, output: OutputFormat) -> None:
    if output is OutputFormat.json:
        body = {"code": error.code, "text": error.text, "where": error.where}
        typer.echo(json_line({"error": body}))
    typer.echo(f"understudy: {error.code}: {error}", err=True)


async def _cancellable(verb: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(verb)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError):  # Windows has no SIGTERM to handle
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
    return await task
