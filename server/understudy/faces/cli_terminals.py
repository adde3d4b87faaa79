"""`understudy terminals`: list, read and wait for recorded terminals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces import cli_common as common
from understudy.faces.sound_json import json_line
from understudy.findings.lines import printable

if TYPE_CHECKING:
    from understudy.app.terminals import Terminal

app = typer.Typer(
    help="List, read and wait for what `understudy record` has recorded.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
TerminalArgument = Annotated[str, typer.Argument(metavar="ID", help="The terminal's id, as 1.")]
TIMED_OUT = 1


@app.command("list")
def list_command(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Print the recorded terminals, oldest first."""
    from understudy.app.terminals import list_terminals

    with common.answering(output):
        found = list_terminals(root)
        if output is common.OutputFormat.json:
            typer.echo(json_line({"terminals": [_as_json(terminal) for terminal in found]}))
            return
        if not found:
            typer.echo("no terminals")
        for terminal in found:
            typer.echo(_line(terminal))


@app.command("read")
def read_command(
    terminal: TerminalArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    tail: Annotated[
        int | None, typer.Option("--tail", metavar="N", help="Only the last N lines.")
    ] = None,
) -> None:
    """Print what a terminal showed; how complete that is goes to stderr."""
    from understudy.app.terminals import read

    with common.answering(output):
        reading = read(root, terminal, tail)
        if output is common.OutputFormat.json:
            body = {"text": reading.text, "left_out": reading.left_out}
            typer.echo(json_line({**_as_json(reading.terminal), **body}))
            return
        typer.echo(reading.text, nl=False)
        typer.echo(_line(reading.terminal), err=True)


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
) -> None:
    """Wait until a line matches or the command has ended; exit code 1 when the time is up."""
    from understudy.app.terminals import wait

    with common.answering(output):
        waited = wait(root, terminal, pattern, timeout)
        if output is common.OutputFormat.json:
            body = {"ended": waited.ended, "line": waited.line}
            typer.echo(json_line({**_as_json(waited.terminal), **body}))
        else:
            typer.echo(waited.ended if waited.line is None else printable(waited.line))
            typer.echo(_line(waited.terminal), err=True)
    if waited.ended == "timeout":
        raise typer.Exit(TIMED_OUT)


def _as_json(terminal: Terminal) -> dict[str, Any]:
    return {
        "id": terminal.id, "path": str(terminal.path), "status": terminal.status,
        "command": terminal.command, "exit_code": terminal.exit_code, "grade": terminal.grade,
        "complete": terminal.complete, "bytes": terminal.size, "raw_bytes": terminal.raw_bytes,
    }  # fmt: skip


def _line(terminal: Terminal) -> str:
    code = "" if terminal.exit_code is None else f", exit {terminal.exit_code}"
    whole = "complete" if terminal.complete else "not complete"
    facts = f"{terminal.status}{code}, {terminal.grade}, {whole}, {terminal.size} bytes"
    return printable(f"{terminal.id}  {facts}  {terminal.command or ''}")
