"""`understudy context note`, `notes` and `stats`: facts that stay, and what files have saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli import context_input as given
from understudy.faces.cli.streams import say
from understudy.values.printable import printable

PolicyOption = Annotated[
    str | None,
    typer.Option("--policy", metavar="JSON", help="Numbers that differ from the defaults."),
]


def note(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The fact.")],
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    about: Annotated[
        str | None, typer.Option("--about", metavar="PATH", help="A file that it is about.")
    ] = None,
    lines: Annotated[
        str | None, typer.Option("--lines", metavar="FIRST-LAST", help="Lines of that file.")
    ] = None,
    source: Annotated[
        str, typer.Option("--source", metavar="TEXT", help="Who has found it out.")
    ] = "the user",
) -> None:
    """Keep a fact about this project for every session; it goes stale when its code changes.

    Exit codes: 0 kept, 2 bad input, 4 a failure.
    """
    from understudy.app.context.notes import add_note
    from understudy.values.paths import Root

    with common.answering(output):
        place, where = given.place_of(root), given.lines_option(lines)
        made = add_note(place, Root.open(root), text, source, about, where)
        say(json_line({"number": made.number}) if output is common.OutputFormat.json
            else f"noted as {made.number}")  # fmt: skip


def notes(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    forget: Annotated[
        int | None, typer.Option("--forget", metavar="NUMBER", help="Take this one out first.")
    ] = None,
) -> None:
    """List the facts that are kept about this project, stale ones last and marked.

    Exit codes: 0 done, 2 bad input, 4 a failure.
    """
    from understudy.app.context.notes import forget_note, noted
    from understudy.faces.answers.context import notes_json
    from understudy.values.paths import Root

    with common.answering(output):
        place = given.place_of(root)
        if forget is not None:
            forget_note(place, forget)
        found = noted(place, Root.open(root))
        if output is common.OutputFormat.json:
            say(json_line(notes_json(found)))
            return
        for _, line, _ in found:
            say(printable(line))


def stats(
    name: Annotated[
        str | None, typer.Argument(metavar="[LOG]", help="One log; else all of the folder.")
    ] = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    policy: PolicyOption = None,
) -> None:
    """Say what logs have in their prompts, what their files have saved, what was read again.

    Exit codes: 0 done, 2 bad input, 4 a failure, or a damaged log.
    """
    from understudy.app.context.stats import log_stats

    with common.answering(output):
        found = log_stats(given.place_of(root), name, given.policy_option(policy))
        if output is common.OutputFormat.json:
            say(json_line({"logs": [one.as_json() for one in found]}))
            return
        for one in found:
            hit = "no usage reported" if one.hit is None else f"{one.hit:.0%} from the cache"
            say(
                printable(
                    f"{one.log}: {one.calls} calls, {one.prompt} of {one.window} tokens, {hit}"
                )
            )
            say(
                f"  {one.outputs} outputs: {one.receipts} receipts, {one.left} left later, "
                f"{one.same} said once; {one.read_again} read again"
            )
            say(f"  {one.saved} tokens saved, {one.lost} lost by reading again")
