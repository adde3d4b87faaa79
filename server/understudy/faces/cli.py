"""The command line: parse, call one verb, format. Each command lies in a module of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Annotated

import typer

from understudy import __version__


def main() -> None:
    """Run the command line; the exit codes are those of the outer contract (DESIGN)."""
    for stream in (sys.stdout, sys.stderr):
        # File names and source lines must come out whatever the locale; undecodable bytes as such.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="surrogateescape")
    named = COMMANDS.keys() & sys.argv[1:2]
    command_line(named or COMMANDS)(prog_name="understudy")


def command_line(commands: Iterable[str]) -> typer.Typer:
    """The program with these commands; what only the others need is not loaded."""
    app = typer.Typer(
        name="understudy",
        help="Rehearse AI edits beside the user's editor: what would this patch break?\n\n"
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


def _check(app: typer.Typer) -> None:
    from understudy.faces import cli_check

    app.command("check")(cli_check.check)


def _run(app: typer.Typer) -> None:
    from understudy.faces import cli_run

    app.command("run", cls=cli_run.RunCommand)(cli_run.run)


def _outline(app: typer.Typer) -> None:
    from understudy.faces import cli_outline

    app.command("outline")(cli_outline.outline)


def _map(app: typer.Typer) -> None:
    from understudy.faces import cli_map

    app.command("map")(cli_map.map_command)


def _context(app: typer.Typer) -> None:
    from understudy.faces import cli_context

    app.add_typer(cli_context.app, name="context")


def _doctor(app: typer.Typer) -> None:
    from understudy.faces import cli_doctor

    app.command("doctor")(cli_doctor.doctor)


def _trust(app: typer.Typer) -> None:
    from understudy.faces import cli_trust

    app.command("trust")(cli_trust.trust)


def _lsp(app: typer.Typer) -> None:
    from understudy.faces import cli_lsp

    app.command("lsp")(cli_lsp.lsp)


def _mcp(app: typer.Typer) -> None:
    from understudy.faces import cli_mcp

    app.command("mcp")(cli_mcp.mcp)


def _setup(app: typer.Typer) -> None:
    from understudy.faces import cli_setup

    app.command("setup")(cli_setup.setup)


def _branches(app: typer.Typer) -> None:
    from understudy.faces import cli_branches

    app.add_typer(cli_branches.app, name="branches")


def _record(app: typer.Typer) -> None:
    from understudy.faces import cli_record

    app.command("record", cls=cli_record.RecordCommand)(cli_record.record)


def _terminals(app: typer.Typer) -> None:
    from understudy.faces import cli_terminals

    app.add_typer(cli_terminals.app, name="terminals")


COMMANDS: Mapping[str, Callable[[typer.Typer], None]] = MappingProxyType(
    {
        "check": _check,
        "run": _run,
        "outline": _outline,
        "map": _map,
        "record": _record,
        "terminals": _terminals,
        "context": _context,
        "doctor": _doctor,
        "trust": _trust,
        "lsp": _lsp,
        "mcp": _mcp,
        "setup": _setup,
        "branches": _branches,
    }
)
"""Command -> what adds it, in the order of the help."""


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"understudy {__version__}")
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
