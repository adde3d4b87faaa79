"""`understudy code …`: what files and folders declare."""

from __future__ import annotations

import typer

from understudy.faces.cli import map as cli_map
from understudy.faces.cli import outline as cli_outline

app = typer.Typer(
    help="Print what files declare (outline), or what matters most in a folder (map).",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("outline")(cli_outline.outline)
app.command("map")(cli_map.map_command)
