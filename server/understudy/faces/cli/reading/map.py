"""`understudy code map`: the most important declarations of a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import say

if TYPE_CHECKING:
    from understudy.workspace.progress import Progress


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
    branch: Annotated[
        str | None,
        typer.Option("--branch", metavar="BRANCH", help="As this kept branch has the files."),
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
    with common.answering(output):
        with terminal_progress() as progress:
            if branch is None:
                found = _of_disk(root, folder or Path(), budget, tuple(task or ()), progress)
            else:
                found = _of_branch(root, folder, budget, task or [], branch, progress)
        if output is common.OutputFormat.json:
            say(json_line(found))
        else:
            say(found["text"], end="")


def _of_disk(
    root: Path, folder: Path, budget: int | None, task: tuple[str, ...], progress: Progress
) -> dict[str, Any]:
    from understudy.faces.answers.outline import map_json
    from understudy.workspace.outlines.conclude import MapWish
    from understudy.workspace.outlines.mapper import DEFAULT_BUDGET, map_folder

    name = folder.as_posix()
    prefix = "" if name == "." else f"{name.rstrip('/')}/"
    wish = MapWish(DEFAULT_BUDGET if budget is None else budget, task, name, prefix)
    return map_json(common.run(lambda: map_folder(root / folder, wish, progress=progress)))


def _of_branch(
    root: Path,
    folder: Path | None,
    budget: int | None,
    task: list[str],
    branch: str,
    progress: Progress,
) -> dict[str, Any]:
    """What the folder's host answers; where there is none, we are it for this one question."""
    from understudy.faces.hosting.link import ask_host
    from understudy.workspace.progress import Audience

    below = None if folder is None or folder == Path() else folder.as_posix()
    inside = task if below is None else [f"{below}/{path}" for path in task]
    params = {"folder": below, "branch": branch, "budget": budget, "task": inside}
    return common.run(lambda: ask_host(root, "map", params, Audience(progress)))
