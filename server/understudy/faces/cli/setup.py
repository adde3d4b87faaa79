"""`understudy setup`: shows, then writes what an agent's own configuration needs."""

from __future__ import annotations

import difflib
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import say
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.paths import Root
from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.setup.changes import ConfigurationChange
    from understudy.workspace.agents.profile import Agent

NOT_VERIFIED = 1
_JSON = common.OutputFormat.json
_BY_PATH = (
    "import sys; sys.path[:] = filter(None, sys.path); sys.argv[0] = 'understudy'; "
    "from understudy.__main__ import main; main()"
)
"""The command line for a Python that has us without a program of that name."""


def setup(
    agent: Annotated[
        str | None, typer.Argument(help="The agent to set up; --list names them.")
    ] = None,
    root: common.RootOption = Path(),
    write: Annotated[bool, typer.Option("--write", help="Write without a question.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be written, and do nothing else.")
    ] = False,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take out what was written: files are as before.")
    ] = False,
    list_agents: Annotated[
        bool, typer.Option("--list", help="Name every agent, and which are set up here.")
    ] = False,
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Show what an agent's own configuration needs to use Understudy, write it, and try it out.

    That is an entry for the MCP server and, where the agent has hooks, a check of what it edited.
    What else a file holds stays as it is. At the end a mistake is checked through that entry.

    Exit codes: 0 set up (or shown) and tried, 1 the trial did not find the mistake, 2 a file that
    cannot be merged, 4 a failure of our own.
    """
    from understudy.workspace.agents.catalogue import agent_named

    with common.answering(output):
        folder = Root.open(root)
        if list_agents or agent is None:
            if not list_agents:
                raise BadInput("no-agent", "name one; --list has all of them")
            _list(folder, output)
            raise typer.Exit(common.CLEAN)
        known = agent_named(agent)
        if remove:
            _remove(known, folder, output, dry_run=dry_run)
        else:
            _set_up(known, folder, output, write=write, dry_run=dry_run)


def _set_up(
    agent: Agent, folder: Root, output: common.OutputFormat, *, write: bool, dry_run: bool
) -> None:
    from understudy.app.setup.changes import setup_changes, words_of, write_changes
    from understudy.app.setup.entry import server_entry
    from understudy.faces.cli.setup_lint import lint_as_agent

    program = _program()
    changes = setup_changes(agent, folder, Path.home(), program)
    note = words_of(agent, folder, program).text(agent.asks) or None
    wanted = _shown(changes, output)
    files = _files(changes)
    writes = wanted and not dry_run and (write or _is_wanted(output))
    if writes:
        write_changes(changes)
    said, found = None, None
    if not dry_run:
        entry = server_entry(changes) or (*program, "mcp")
        said = common.run(lambda: lint_as_agent(entry, folder.path))
        found = said.startswith("findings: ")
    if output is _JSON:
        head = {"agent": agent.name, "files": files, "written": writes}
        say(json_line({**head, "works": found, "lint": said, "note": note}))
    elif said is not None:
        if wanted and not writes:
            say("nothing is written; --write does it")
        if note is not None:
            say(printable(note))
        say("a mistake, checked through this entry:")
        say("".join(f"  {line}\n" for line in said.splitlines()), end="")
    raise typer.Exit(NOT_VERIFIED if found is False else common.CLEAN)


def _remove(agent: Agent, folder: Root, output: common.OutputFormat, *, dry_run: bool) -> None:
    from understudy.app.setup.changes import removal_changes, write_changes
    from understudy.workspace.agents.catalogue import agent_named, agent_names

    others = [agent_named(name) for name in agent_names()]
    changes = removal_changes(agent, folder, Path.home(), _program(), others)
    wanted = _shown(changes, output)
    if wanted and not dry_run:
        write_changes(changes)
    if output is _JSON:
        written = wanted and not dry_run
        say(json_line({"agent": agent.name, "files": _files(changes), "written": written}))
    raise typer.Exit(common.CLEAN)


def _list(folder: Root, output: common.OutputFormat) -> None:
    from understudy.app.setup.changes import is_set_up
    from understudy.workspace.agents.catalogue import agent_named, agent_names

    agents = [agent_named(name) for name in agent_names()]
    rows = [
        {
            "agent": one.name,
            "title": one.title,
            "installed": bool(one.binary) and shutil.which(one.binary) is not None,
            "setUp": is_set_up(one, folder, Path.home()),
            "tried": [*one.tried],
        }
        for one in agents
    ]
    if output is _JSON:
        say(json_line({"agents": rows}))
        return
    for row in rows:
        state = "set up" if row["setUp"] else "installed" if row["installed"] else "-"
        say(printable(f"{row['agent']:<10} {state:<10} {row['title']}"))


def _files(changes: list[ConfigurationChange]) -> list[dict[str, Any]]:
    return [{"path": str(change.path), "needed": change.is_needed} for change in changes]


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
    # Not by `-m`: agents start it in the folder that they work in, whose modules would come first.
    return [sys.executable, "-c", _BY_PATH]


def _shown(changes: list[ConfigurationChange], output: common.OutputFormat) -> bool:
    """Show the differences, as text; whether there are any."""
    for change in changes if output is not _JSON else ():
        if not change.is_needed:
            say(printable(f"{change.path}: nothing to do"))
            continue
        before = (change.before or b"").decode("utf-8", "replace").splitlines(keepends=True)
        after = (change.after or b"").decode("utf-8", "replace").splitlines(keepends=True)
        name = str(change.path)
        was = "/dev/null" if change.before is None else name
        becomes = "/dev/null" if change.after is None else name
        for line in difflib.unified_diff(before, after, was, becomes):
            say(printable(line.rstrip("\r\n")))
    return any(change.is_needed for change in changes)


def _is_wanted(output: common.OutputFormat) -> bool:
    """Ask the person at the terminal; without one nothing is written."""
    if output is _JSON or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm("Write this?")
