"""The command line: parse, call one verb, format. Each command lies in a module of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from understudy.faces.cli.streams import open_streams, say
from understudy.values.frozen import frozen
from understudy.values.version import __version__


def main() -> None:
    """Run the command line; every command's help lists its exit codes."""
    open_streams()
    is_version = sys.argv[1:] == ["--version"]
    named = COMMANDS.keys() & sys.argv[1:2]
    command_line(named or (() if is_version else COMMANDS))(prog_name="understudy")


def command_line(commands: Iterable[str]) -> typer.Typer:
    """The program with these commands; what only the others need is not loaded."""
    app = typer.Typer(
        name="understudy",
        cls=_Panels,
        help="Check AI edits beside the user's editor: what would this patch break?\n\n"
        "Nothing in your folder is touched; see `understudy check --help` for the main job.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for command in commands:
        COMMANDS[command](app)
    return app


@frozen
class HelpEntry:
    """A command of the help: its line there, and what adds the command to the program."""

    help: str
    add: Callable[[typer.Typer], None]


def _setup(app: typer.Typer) -> None:
    from understudy.faces.cli import setup as cli_setup

    app.command("setup")(cli_setup.setup)


def _doctor(app: typer.Typer) -> None:
    from understudy.faces.cli import doctor as cli_doctor

    app.command("doctor")(cli_doctor.doctor)


def _trust(app: typer.Typer) -> None:
    from understudy.faces.cli import trust as cli_trust

    app.command("trust")(cli_trust.trust)


def _check(app: typer.Typer) -> None:
    from understudy.faces.cli import check as cli_check

    app.command("check")(cli_check.check)


def _run(app: typer.Typer) -> None:
    from understudy.faces.cli import run as cli_run

    app.command("run", cls=cli_run.RunCommand)(cli_run.run)


def _rank(app: typer.Typer) -> None:
    from understudy.faces.cli.candidates import rank as cli_rank
    from understudy.faces.cli.run import RunCommand

    app.command("rank", cls=RunCommand)(cli_rank.rank)


def _rehearse(app: typer.Typer) -> None:
    from understudy.faces.cli import rehearse as cli_rehearse
    from understudy.faces.cli.run import RunCommand

    app.command("rehearse", cls=RunCommand)(cli_rehearse.rehearse)


def _branches(app: typer.Typer) -> None:
    from understudy.faces.cli import branches as cli_branches

    app.add_typer(cli_branches.app, name="branches")


def _code(app: typer.Typer) -> None:
    from understudy.faces.cli.reading import code as cli_code

    app.add_typer(cli_code.app, name="code")


def _terminals(app: typer.Typer) -> None:
    from understudy.faces.cli import terminals as cli_terminals

    app.add_typer(cli_terminals.app, name="terminals")


def _lsp(app: typer.Typer) -> None:
    from understudy.faces.cli import lsp as cli_lsp

    app.command("lsp")(cli_lsp.lsp)


def _mcp(app: typer.Typer) -> None:
    from understudy.faces.cli import mcp as cli_mcp

    app.command("mcp")(cli_mcp.mcp)


def _context(app: typer.Typer) -> None:
    from understudy.faces.cli import context as cli_context

    app.add_typer(cli_context.app, name="context")


def _tools(app: typer.Typer) -> None:
    from understudy.faces.cli import tools as cli_tools

    app.add_typer(cli_tools.app, name="tools")


def _servers(app: typer.Typer) -> None:
    from understudy.faces.cli import servers as cli_servers

    app.add_typer(cli_servers.app, name="servers")


def _batch(app: typer.Typer) -> None:
    from understudy.faces.cli.candidates import batch as cli_batch

    app.command("batch")(cli_batch.batch)


def _outline(app: typer.Typer) -> None:
    from understudy.faces.cli.reading import outline as cli_outline

    app.command("outline", hidden=True)(cli_outline.outline)


def _map(app: typer.Typer) -> None:
    from understudy.faces.cli.reading import map as cli_map

    app.command("map", hidden=True)(cli_map.map_command)


def _record(app: typer.Typer) -> None:
    from understudy.faces.cli import record as cli_record

    app.command("record", cls=cli_record.RecordCommand, hidden=True)(cli_record.record)


PANELS: Mapping[str, Mapping[str, HelpEntry]] = MappingProxyType(
    {
        "Begin": {
            "setup": HelpEntry("Connect an agent: show, write and try its configuration.", _setup),
            "doctor": HelpEntry(
                "Say what works in this folder, and how to mend the rest.", _doctor
            ),
            "trust": HelpEntry("Allow the folder's own interpreter and tools to be run.", _trust),
        },
        "Every day": {
            "check": HelpEntry("Say what a patch, or the working tree, breaks.", _check),
            "run": HelpEntry("Run a command on a private copy that holds a patch.", _run),
            "rank": HelpEntry("Say which of many patches is the best, and why.", _rank),
            "branches": HelpEntry("List, show, accept or discard the kept branches.", _branches),
            "rehearse": HelpEntry("Let an agent work in a branch, live, as it is.", _rehearse),
        },
        "Read": {
            "code": HelpEntry("Ask about code: outlines, uses, types, calls; rename it.", _code),
            "terminals": HelpEntry("Record what a terminal shows, and read it.", _terminals),
        },
        "Build with it": {
            "lsp": HelpEntry("Serve an editor or an agent over LSP.", _lsp),
            "mcp": HelpEntry("Serve an agent over MCP.", _mcp),
            "batch": HelpEntry("Judge patches of many repositories, a row each.", _batch),
            "context": HelpEntry("Keep long outputs, histories and skills as files.", _context),
            "tools": HelpEntry("Let agents call the tools of your own MCP servers.", _tools),
            "servers": HelpEntry("List language servers, and prove that one is right.", _servers),
        },
    }
)
"""Panel of the help -> its commands; docs/reference/surface.md says which may still come."""

OLD_NAMES: Mapping[str, Callable[[typer.Typer], None]] = MappingProxyType(
    {"outline": _outline, "map": _map, "record": _record}
)
"""What `code outline`, `code map` and `terminals record` were called; no help lists them."""

COMMANDS: Mapping[str, Callable[[typer.Typer], None]] = MappingProxyType(
    {
        **{name: door.add for doors in PANELS.values() for name, door in doors.items()},
        **OLD_NAMES,
    }
)
"""Every command that there is at the top, and what adds it."""


class _Panels(TyperGroup):
    """The help lists commands by what they are for; it loads none of them."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer has a click of its own, or not
        """Write a section a panel."""
        del ctx
        for panel, doors in PANELS.items():
            with formatter.section(panel):
                formatter.write_dl([(name, door.help) for name, door in doors.items()])


def _print_version(value: bool) -> None:
    if value:
        say(f"understudy {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    del version
