"""`understudy record -- CMD…`: run a command here, and keep what it shows as a file."""

from __future__ import annotations

import os
from pathlib import Path

import typer

from understudy.faces import cli_common as common
from understudy.faces.cli_run import RunCommand
from understudy.values.errors import BadInput, UnderstudyError

FAILED = 125


class RecordCommand(RunCommand):
    """Everything after the first `--` is the command."""


def record(ctx: typer.Context, root: common.RootOption = Path()) -> None:
    """Run CMD in this terminal and record all it shows; `understudy terminals` reads it.

    The terminal is as it would be without: keys, signals, colours and the window's size go
    through. Where the log cannot be written, CMD runs all the same, and stderr says why.

    Exit codes: CMD's own (128 + N for signal N), 125 a failure of ours, 126 not executable,
    127 no such command.
    """
    from understudy.app import record as verb

    command = tuple(ctx.meta.get("command", ()))
    log = None
    with common.answering():
        if os.name == "nt":
            text = "recording needs a POSIX terminal"
            raise BadInput("unsupported", text)
        try:
            log = verb.open_log(root, command)
        except UnderstudyError as error:
            if not command:
                raise
            typer.echo(f"understudy: not recorded: {error}", err=True)
        code = verb.record(command, log)
    raise typer.Exit(code)
