"""`understudy trust`: allow the code of a folder to be executed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import say
from understudy.values.printable import printable


def trust(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    remove: Annotated[bool, typer.Option("--remove", help="Trust the folder no longer.")] = False,
    show: Annotated[
        bool, typer.Option("--list", help="Print the trusted folders, change nothing.")
    ] = False,
) -> None:
    """Trust a folder: its own interpreter, tools and settings may then be executed.

    Language servers resolve imports with the project's interpreter and load the project's
    TypeScript; that runs the folder's code. Nothing of an untrusted folder is executed, and the
    files whose verdict depends on it are `unknown: untrusted`.
    """
    from understudy.disk import trust as trust_list
    from understudy.faces.inside.place import refuse_trust_inside
    from understudy.values.paths import Root

    with common.answering(output):
        folder = Root.open(root)
        refuse_trust_inside(trusts=not show)
        if remove and not show:
            changed = trust_list.distrust(folder)
        else:
            changed = not show and trust_list.trust(folder)
        folders = [str(path) for path in trust_list.trusted_folders()]
        if output is common.OutputFormat.json:
            say(json_line({"changed": changed, "trusted": folders}))
        elif show:
            say("\n".join(map(printable, folders)) or "no folder is trusted")
        elif remove:
            say(printable(f"{folder.path} is {'no longer' if changed else 'not'} trusted"))
        else:
            say(printable(f"{folder.path} is {'now' if changed else 'already'} trusted"))
