"""What all commands share: the root, the trust, errors to exit codes, output in text or JSON."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli.streams import complain, drop_output, say
from understudy.shadow.folder import Moved
from understudy.values.errors import BadInput, Conflict, OutsideFailure, UnderstudyError
from understudy.values.paths import Root

T = TypeVar("T")
log = logging.getLogger("understudy")

CLEAN, FINDINGS, BAD_INPUT, UNKNOWN, OUR_FAILURE, INTERRUPTED = 0, 1, 2, 3, 4, 130
READER_GONE = 141
"""Nobody reads our output any more: what a shell says of a program that SIGPIPE has ended."""


class NetworkName(str, Enum):
    """What of the network a command on a stage may have."""

    none = "none"
    host = "host"


class OutputFormat(str, Enum):
    """How a command prints its answer."""

    text = "text"
    json = "json"


def _whole(folder: Path) -> Path:
    """The folder, once what a kill has broken off there is ended."""
    from understudy.disk.layout import workspace_layout

    try:
        root = Root.open(folder)
        layout = workspace_layout(root)
        if layout.is_left_open:
            from understudy.app.recovery import recover_folder

            run(lambda: recover_folder(root, layout))
    except (UnderstudyError, OSError) as error:
        log.debug("%s is not looked at: %s", folder, error)  # the command itself says what is wrong
    return folder


RootOption = Annotated[
    Path,
    typer.Option(
        "--root", metavar="DIR", help="The folder to work on.", show_default=True, readable=False,
        callback=_whole,
    ),
]  # fmt: skip
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
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        drop_output()
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
        from understudy.disk.room import system_refusal

        refused = system_refusal(error)
        if refused is not None:
            log.debug("%s", refused, exc_info=error)
            _print_error(refused, output)
            raise typer.Exit(OUR_FAILURE) from error
        traceback.print_exception(error, file=sys.stderr)
        text = f"{type(error).__name__}: {error}"
        _print_error(OutsideFailure("internal", text), output)
        raise typer.Exit(OUR_FAILURE) from error


def run(verb: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a verb to its end; an interrupt, a SIGTERM or the terminal's end cancels it.

    It cleans up then.
    """
    return asyncio.run(_cancellable(verb()))


def _print_error(error: UnderstudyError, output: OutputFormat) -> None:
    if output is OutputFormat.json:
        body = {"code": error.code, "text": error.text, "where": error.where}
        with suppress(BrokenPipeError, OutsideFailure):  # it cannot be written: stderr is left
            say(json_line({"error": body}))
    complain(f"{error.code}: {error}")


async def _cancellable(verb: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(verb)
    loop = asyncio.get_running_loop()
    with suppress(NotImplementedError, AttributeError):  # Windows has neither
        loop.add_signal_handler(signal.SIGTERM, task.cancel)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under nohup
            loop.add_signal_handler(signal.SIGHUP, task.cancel)
    return await task
