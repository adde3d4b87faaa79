"""`understudy servers`: which language servers there are, and whether they can be believed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import say
from understudy.values.errors import Refused
from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.servers.add import AddPlan

app = typer.Typer(
    help="List language servers, show, add or remove one, or prove that its silence counts.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="The profile's name.")]
KitOption = Annotated[
    Path | None, typer.Option("--kit", metavar="FILE", help="How the language looks (TOML).")
]


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


@app.command("add")
def add_server(
    name: NameArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
    yes: Annotated[bool, typer.Option("--yes", help="Install it without a question.")] = False,
    kit: KitOption = None,
) -> None:
    """Install a language server into a folder of our own, and prove it there.

    Its packages come from the registries that your pip, npm, go or cargo is configured for, at
    the version that was proven, where there is one. Nothing is installed into the folder or for
    other programs, and where the server is found elsewhere, nothing is done. One that comes with
    us and answers wrong is taken away again.

    Exit codes: 0 installed and proven, 1 not proven, 2 bad input, or nobody has agreed to it;
    4 it could not be installed, and nothing of it is left.
    """
    from understudy.app.servers import add as verb
    from understudy.faces.answers.servers import added_json, added_text
    from understudy.faces.cli.progress import terminal_progress
    from understudy.faces.inside.place import refuse_trust_inside

    with common.answering(output):
        refuse_trust_inside()
        plan = verb.plan_add(root, name, trust=trust)
        if not plan.there and not yes:
            _ask(plan, output)
        with terminal_progress() as progress:
            found = common.run(lambda: verb.add_server(root, plan, kit, progress))
        if output is common.OutputFormat.json:
            say(json_line(added_json(found)))
        else:
            say(added_text(found), end="")
        if not found.is_right:
            raise typer.Exit(1)


@app.command("remove")
def remove_server(
    name: NameArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
) -> None:
    """Remove what `add` has installed, with all its files.

    Exit codes: 0 removed, 2 it was not added, 4 a failure.
    """
    from understudy.app.servers import add as verb
    from understudy.faces.inside.place import refuse_trust_inside

    with common.answering(output):
        refuse_trust_inside()
        names = verb.remove_server(root, name, trust=trust)
        if output is common.OutputFormat.json:
            say(json_line({"removed": list(names)}))
        else:
            say(printable(f"removed: {', '.join(names)}"))


@app.command("prove")
def prove_server(
    name: NameArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
    kit: KitOption = None,
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


def _ask(plan: AddPlan, output: common.OutputFormat) -> None:
    """Ask the person at the terminal; raises Refused `not-agreed` where none is, or says no."""
    name = plan.profile.name
    if output is common.OutputFormat.text and sys.stdin.isatty() and sys.stdout.isatty():
        say(printable(f"{name}: {plan.text}"))
        say("into a folder of Understudy's own, and nowhere else")
        if typer.confirm("Download and install it?"):
            return
    text = f"it would run `{plan.text}` into a folder of our own; --yes does it"
    raise Refused("not-agreed", text, name)
