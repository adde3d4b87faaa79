"""`understudy map`: the most important declarations of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.faces import cli_common as common
from understudy.faces.cli_progress import terminal_progress
from understudy.faces.sound_json import json_line


def map_command(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DIR]", help="The folder to map; default: --root.")
    ] = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", help="At most so many tokens. Default 4096."),
    ] = None,
    task: Annotated[
        list[str] | None,
        typer.Option(
            "--task",
            metavar="FILE",
            help="A file of the task, relative to DIR; may be repeated. "
            "What these mention comes first.",
        ),
    ] = None,
) -> None:
    """Print the declarations of a folder that its files refer to most, within a budget of tokens.

    The first call reads every source file, later ones only what has changed. The same files give
    the same text. Files that .gitignore names are left out.

    Exit codes: 0 mapped, 2 bad input, 4 a failure of our own.
    """
    from understudy.app.map import DEFAULT_BUDGET, map_folder
    from understudy.app.map_conclude import MapWish

    with common.answering(output):
        name = (folder or Path()).as_posix()
        prefix = "" if name == "." else f"{name.rstrip('/')}/"
        wish = MapWish(
            DEFAULT_BUDGET if budget is None else budget, tuple(task or ()), name, prefix
        )
        with terminal_progress() as progress:
            answer = common.run(
                lambda: map_folder(root / (folder or Path()), wish, progress=progress)
            )
        if output is common.OutputFormat.json:
            from understudy.faces.outline_json import map_json

            typer.echo(json_line(map_json(answer)))
        else:
            typer.echo(answer.text, nl=False)
