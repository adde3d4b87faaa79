"""`understudy doctor`: what works here, why not, and the fix; and a report of it for others."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.mending import refuse_unwritable, write_file
from understudy.faces.cli.streams import say
from understudy.values.errors import BadInput

if TYPE_CHECKING:
    from understudy.app.doctor import HealthFinding


def doctor(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
    report: Annotated[
        str | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Write it for somebody else: with versions, settings and how the last checks "
            "were judged, without secrets. It is shown before.",
        ),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Write the report without a question.")
    ] = False,
) -> None:
    """Look at everything a check needs here; each language server is really asked once.

    Exit codes: 0 all that is needed works, 1 something does not.
    """
    with common.answering(output):
        if report is None and yes:
            raise BadInput("conflicting-options", "--yes goes with --report", "--yes")
        if report is not None and output is common.OutputFormat.json:
            raise BadInput("conflicting-options", "a report is text", "--format")
        refuse_unwritable(root, report)
        from understudy.app.doctor import doctor as examine

        found = common.run(lambda: examine(root, trust=trust))
        if report is not None:
            _report(root, found, report, trust=trust, yes=yes)
        elif output is common.OutputFormat.json:
            say(json_line({"findings": [asdict(finding) for finding in found]}))
        else:
            from understudy.faces.answers.doctor import doctor_text

            say(doctor_text(found), end="")
        if any(finding.state == "problem" for finding in found):
            raise typer.Exit(1)


def _report(
    root: Path, found: list[HealthFinding], file: str, *, trust: bool, yes: bool
) -> None:  # fmt: skip
    """Show the report, and write it if that is agreed to."""
    from understudy.app.doctor_report import report_text
    from understudy.disk.trust import is_trusted
    from understudy.faces.answers.doctor import doctor_text
    from understudy.faces.cli.attached import ask_if_hosted
    from understudy.values.paths import Root
    from understudy.workspace.progress import NOBODY
    from understudy.workspace.settings import load

    folder = Root.open(root)
    told = ask_if_hosted(root, "understudy/traces", {}, NOBODY)
    traces = [] if told is None else [one["text"] for one in told["traces"]]
    settings = load(folder, trusted=trust or is_trusted(folder))
    text, n_secrets = report_text(settings, doctor_text(found), traces)
    say(text, end="")
    if n_secrets:
        say(f"({n_secrets} secrets are taken out)")
    if yes or _is_wanted(file):
        write_file(text.encode("utf-8", "surrogateescape"), file, root)
        say(f"written to {file}")
    else:
        say("nothing is written; --yes does it")


def _is_wanted(file: str) -> bool:
    """Ask the person at the terminal; without one nothing is written."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm(f"Write this to {file}?")
