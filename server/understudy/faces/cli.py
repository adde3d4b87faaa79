"""The command line: parse, call one verb, format. Each command lies in a module of its own."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from understudy import __version__
from understudy.faces import cli_branches, cli_check, cli_doctor, cli_lsp, cli_trust

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
app.command("check")(cli_check.check)
app.command("doctor")(cli_doctor.doctor)
app.command("trust")(cli_trust.trust)
app.command("lsp")(cli_lsp.lsp)
app.add_typer(cli_branches.app, name="branches")


def main() -> None:
    """Run the command line; the exit codes are those of the outer contract (DESIGN)."""
    for stream in (sys.stdout, sys.stderr):
        # File names and source lines must come out whatever the locale; undecodable bytes as such.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="surrogateescape")
    app(prog_name="understudy")


def _print_version(value: bool) -> None:
    if value:
        typer.echo(f"understudy {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    del version
