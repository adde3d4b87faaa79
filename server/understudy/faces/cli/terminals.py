"""`understudy terminals …`: record, list, read, wait for and switch off terminals."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.answers.terminal import (
    reading_json,
    terminal_json,
    terminal_line,
    waited_json,
)
from understudy.faces.cli import boundary as common
from understudy.faces.cli import record as cli_record
from understudy.faces.cli.streams import say
from understudy.values.printable import printable

app = typer.Typer(
    help="Record terminals; list, read, wait for and switch off what is recorded.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
TerminalArgument = Annotated[str, typer.Argument(metavar="ID", help="The terminal's id, as 1.")]
OwnTerminalArgument = Annotated[
    str | None, typer.Argument(metavar="[ID]", help="The terminal's id; without, this terminal.")
]
TIMED_OUT = 1

app.command("record", cls=cli_record.RecordCommand)(cli_record.record)


@app.command("list")
def list_command(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Print the recorded terminals, oldest first."""
    from understudy.app.terminals.listing import list_terminals

    with common.answering(output):
        found = list_terminals(root)
        if output is common.OutputFormat.json:
            say(json_line({"terminals": [terminal_json(terminal) for terminal in found]}))
            return
        if not found:
            say("no terminals")
        for terminal in found:
            say(terminal_line(terminal))


@app.command("read")
def read_command(
    terminal: TerminalArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", help="Only the last N lines.")
    ] = None,
    command: Annotated[
        int | None,
        typer.Option("--command", metavar="N", help="Only the command of this number."),
    ] = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only the last command that failed.")
    ] = False,
) -> None:
    """Print what a terminal showed; how complete that is goes to stderr."""
    from understudy.app.terminals.listing import LAST_FAILED, read

    with common.answering(output):
        reading = read(root, terminal, tail, LAST_FAILED if failed else command)
        if output is common.OutputFormat.json:
            say(json_line(reading_json(reading)))
            return
        say(reading.text, end="")
        say(terminal_line(reading.terminal), err=True)


@app.command("wait")
def wait_command(
    terminal: TerminalArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    pattern: Annotated[
        str | None,
        typer.Option("--match", metavar="REGEX", help="Wait for a line, not only for the end."),
    ] = None,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="S", min=0, help="Time limit in seconds.")
    ] = 60,
    quiet: Annotated[
        float | None,
        typer.Option("--idle", metavar="S", min=0.1, help="Or until nothing came for S seconds."),
    ] = None,
) -> None:
    """Wait until a line matches or the command has ended; exit code 1 when the time is up."""
    from understudy.app.terminals.wait import WaitWish, wait

    with common.answering(output):
        wish = WaitWish(pattern, "exit" if quiet is None else "idle", timeout, quiet or 1)
        waited = wait(root, terminal, wish)
        if output is common.OutputFormat.json:
            say(json_line(waited_json(waited)))
        else:
            say(waited.ended if waited.line is None else printable(waited.line))
            say(terminal_line(waited.terminal), err=True)
    if waited.ended == "timeout":
        raise typer.Exit(TIMED_OUT)


@app.command("off")
def off_command(
    terminal: OwnTerminalArgument = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Stop writing a terminal down; how many bytes were not kept is said in its log."""
    _switch(terminal, root, output, off=True)


@app.command("on")
def on_command(
    terminal: OwnTerminalArgument = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Go on with writing a terminal down."""
    _switch(terminal, root, output, off=False)


def _switch(name: str | None, root: Path, output: common.OutputFormat, *, off: bool) -> None:
    from understudy.app.terminals.switch import switch_terminal

    with common.answering(output):
        terminal = switch_terminal(root, name, off=off)
        as_json = output is common.OutputFormat.json
        say(json_line(terminal_json(terminal)) if as_json else terminal_line(terminal))
