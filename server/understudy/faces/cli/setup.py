"""`understudy setup`: shows, then writes what an agent's own configuration needs."""

from __future__ import annotations

import difflib
import shutil
import sys
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import say
from understudy.values.errors import OutsideFailure
from understudy.values.paths import Root
from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.setup import ConfigurationChange

NOT_VERIFIED = 1


class _Agent(str, Enum):
    claude = "claude"
    codex = "codex"
    opencode = "opencode"
    copilot = "copilot"
    gemini = "gemini"


def setup(
    agent: Annotated[_Agent, typer.Argument(help="The agent to set up.")],
    root: common.RootOption = Path(),
    write: Annotated[
        bool, typer.Option("--write", help="Write without a question; a backup is kept.")
    ] = False,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Show what an agent's own configuration needs to use Understudy, write it, and try it out.

    That is an entry for the MCP server and, where the agent has hooks, a lint after each edit.
    What else a file holds stays as it is. At the end a mistake is checked through that entry.

    Exit codes: 0 set up (or shown) and tried, 1 the trial did not find the mistake, 2 a file that
    cannot be merged, 4 a failure of our own.
    """
    from understudy.app.setup import BACKUP, NOTES, setup_changes, write_changes
    from understudy.faces.cli.setup_lint import lint_as_agent

    with common.answering(output):
        folder = Root.open(root).path
        program = _program()
        changes = setup_changes(agent.value, folder, Path.home(), program)
        if output is common.OutputFormat.text:
            for change in changes:
                _show(change)
        wanted = any(change.is_needed for change in changes)
        writes = wanted and (write or _is_wanted(output))
        backups = write_changes(changes) if writes else []
        said = common.run(lambda: lint_as_agent(program, folder))
        found = said.startswith("findings: ")
        if output is common.OutputFormat.json:
            files = [{"path": str(c.path), "needed": c.is_needed} for c in changes]
            body = {"agent": agent.value, "files": files, "written": writes, "works": found}
            say(json_line({**body, "lint": said, "note": NOTES.get(agent.value)}))
        else:
            for backup in backups:
                say(printable(f"kept as it was: {backup} (…{BACKUP})"))
            if wanted and not writes:
                say("nothing is written; --write does it")
            if agent.value in NOTES:
                say(NOTES[agent.value])
            say("a mistake, checked through this entry:")
            say("".join(f"  {line}\n" for line in said.splitlines()), end="")
        raise typer.Exit(common.CLEAN if found else NOT_VERIFIED)


def _program() -> list[str]:
    """How an agent starts us: by the name where that is this program, else by this Python."""
    beside = Path(sys.executable).with_name("understudy")
    named = shutil.which("understudy")
    if named is not None and beside.exists() and Path(named).samefile(beside):
        return ["understudy"]
    if beside.exists():
        return [str(beside)]
    if not sys.executable:
        raise OutsideFailure("cannot-start", "this Python does not know its own program")
    return [sys.executable, "-m", "understudy"]


def _show(change: ConfigurationChange) -> None:
    if not change.is_needed:
        say(printable(f"{change.path}: nothing to do"))
        return
    before = (change.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
    after = change.after.decode("utf-8", "replace").splitlines(keepends=True)
    name = str(change.path)
    was = "/dev/null" if change.before is None else name
    for line in difflib.unified_diff(before, after, was, name):
        say(printable(line.rstrip("\r\n")))


def _is_wanted(output: common.OutputFormat) -> bool:
    """Ask the person at the terminal; without one nothing is written."""
    if output is common.OutputFormat.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm("Write this?")
