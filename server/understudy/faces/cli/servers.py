"""`understudy servers`: which language servers there are, and whether they can be believed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import say

app = typer.Typer(
    help="List language servers, show one, or prove that its silence can be believed.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The profile's name.")]


@app.command("list")
def list_servers(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
    every: Annotated[
        bool, typer.Option("--all", help="Those that are not installed, too.")
    ] = False,
) -> None:
    """Print a line for each language server: its languages, its version, proven or not."""
    from understudy.app.servers.listing import ServersHere
    from understudy.faces.answers.servers import entry_json, list_text

    with common.answering(output):
        found = list(ServersHere.of(root, trust=trust).entries())
        shown = [one for one in found if every or one.own or one.choice.spec is not None]
        if output is common.OutputFormat.json:
            say(json_line({"servers": [entry_json(one) for one in shown]}))
        else:
            say(list_text(shown), end="")


@app.command("show")
def show_server(
    name: NameArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
) -> None:
    """Print what is known of one language server, and when it was last found right.

    Exit codes: 0, 2 no profile has this name.
    """
    from understudy.app.servers.listing import ServersHere
    from understudy.faces.answers.servers import entry_json, show_text

    with common.answering(output):
        entry = ServersHere.of(root, trust=trust).named(name)
        if output is common.OutputFormat.json:
            say(json_line(entry_json(entry)))
        else:
            say(show_text(entry), end="")


@app.command("prove")
def prove_server(
    name: NameArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
    kit: Annotated[
        Path | None,
        typer.Option("--kit", metavar="FILE", help="How the language looks (TOML)."),
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write what was found there, too."),
    ] = None,
) -> None:
    """Start a language server in a folder of our own, and ask it what has a known answer.

    A server that is right in every answer is proven: from then on its silence counts, in all
    folders and for all its versions of the same minor number.

    Exit codes: 0 proven, 1 not, 2 bad input.
    """
    from understudy.app.servers import prove as verb
    from understudy.faces.answers.servers import proof_json, proof_text
    from understudy.faces.cli.progress import terminal_progress

    with common.answering(output), terminal_progress() as progress:
        found = common.run(
            lambda: verb.prove_server(root, name, kit, export, trust=trust, progress=progress)
        )
        if output is common.OutputFormat.json:
            say(json_line(proof_json(found)))
        else:
            say(proof_text(found), end="")
        if not found.is_kept:
            raise typer.Exit(1)
