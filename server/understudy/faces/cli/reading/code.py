"""`understudy code …`: what files declare, what a change reaches, and what servers know of it."""

from __future__ import annotations

import typer

from understudy.faces.cli.reading import affected as cli_affected
from understudy.faces.cli.reading import map as cli_map
from understudy.faces.cli.reading import outline as cli_outline
from understudy.faces.cli.reading import questions as cli_questions

app = typer.Typer(
    help="Print what files declare (outline), what matters most in a folder (map), which files a "
    "change can reach (affected), and what language servers know of a name (the others).",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("outline")(cli_outline.outline)
app.command("map")(cli_map.map_command)
app.command("affected")(cli_affected.affected)
cli_questions.add_questions(app)
