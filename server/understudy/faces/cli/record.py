"""`understudy terminals record`: run a shell or a command here, and keep what it shows."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.cli import boundary as common
from understudy.faces.cli.run import RunCommand
from understudy.faces.cli.streams import complain
from understudy.values.errors import BadInput, UnderstudyError

if TYPE_CHECKING:
    from understudy.app.terminals.record import Shell

FAILED = 125
QUESTION = (
    "Understudy can keep what your terminals show as private text files, for you and your agents: "
    "for a week, secrets taken out, on this machine alone.\n"
    "`understudy terminals off` stops it for a terminal. Record shells? [y/N] "
)


class RecordCommand(RunCommand):
    """Everything after the first `--` is the command."""


def record(
    ctx: typer.Context,
    root: common.RootOption = Path(),
    shell: Annotated[
        str | None, typer.Option("--shell", help="The shell to run without CMD (default: $SHELL).")
    ] = None,
    login: Annotated[bool, typer.Option("--login", help="Start it as a login shell.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Agree to the recording of shells, once for all.")
    ] = False,
    editor_scripts: Annotated[
        Path | None,
        typer.Option(
            "--editor-scripts", metavar="DIR", help="The editor's own shell integration scripts."
        ),
    ] = None,
) -> None:
    """Run CMD, or your shell, in this terminal and record all it shows.

    The terminal is as it would be without: keys, signals, colours and the window's size go
    through. A shell (bash, zsh, fish) has each of its commands recorded apart; the first time it
    asks whether you agree. Where the log cannot be written, the program runs all the same, and
    stderr says why. `understudy terminals` reads what was recorded.

    Exit codes: CMD's or the shell's own (128 + N for signal N), 125 a failure of ours, 126 not
    executable, 127 no such command.
    """
    from understudy.app.terminals import record as verb

    with common.answering():
        if os.name == "nt":
            raise BadInput("unsupported", "recording needs a POSIX terminal")
        if "command" in ctx.meta:
            code = _record_command(root, tuple(ctx.meta["command"]))
        else:
            wish = verb.Shell(shell or os.environ.get("SHELL") or "/bin/sh", login, editor_scripts)
            code = _record_shell(root, wish, yes)
    raise typer.Exit(code)


def _record_command(root: Path, command: tuple[str, ...]) -> int:
    from understudy.app.terminals import record as verb

    log = None
    try:
        log = verb.open_log(root, command)
    except UnderstudyError as error:
        if error.code == "no-command":
            raise
        complain(f"not recorded: {error}")
    except Exception as error:  # noqa: BLE001 - the command is to run, whatever is wrong
        complain(f"not recorded: {type(error).__name__}: {error}")
    return verb.record_command(command, log)


def _record_shell(root: Path, shell: Shell, yes: bool) -> int:
    """Record the shell, or become it where that is not to be."""
    from understudy.app.terminals import record as verb

    if verb.is_recorded_already():
        raise BadInput("already-recorded", "this terminal is recorded already")
    opened: Any = None
    try:
        _ask(yes)
        opened = verb.open_shell(root, shell)
    except UnderstudyError as error:
        complain(f"not recorded: {error}")
    except Exception as error:  # noqa: BLE001 - the user wants a shell, whatever is wrong
        complain(f"not recorded: {type(error).__name__}: {error}")
    if opened is None:
        return _become(shell)
    return verb.record_shell(*opened)


def _ask(yes: bool) -> None:
    from understudy.app.terminals import record as verb

    if yes:
        verb.agree(True)
    elif not verb.is_asked() and sys.stdin.isatty():
        verb.agree(typer.prompt(QUESTION, "", show_default=False, prompt_suffix="") in ("y", "yes"))


def _become(shell: Shell) -> int:
    from understudy.app.terminals import record as verb

    try:
        verb.run_unrecorded(shell)
    except OSError as error:
        complain(f"{shell.path}: {error.strerror}")
    return 126
