"""`understudy doctor`: what works here, why not, and the fix."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from understudy.faces import cli_common as common
from understudy.faces.sound_json import json_line


def doctor(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
) -> None:
    """Look at everything a check needs here; each language server is really asked once.

    Exit codes: 0 all that is needed works, 1 something does not.
    """
    from understudy.app.doctor import doctor as examine
    from understudy.faces.doctor_text import doctor_text

    with common.answering(output):
        found = common.run(lambda: examine(root, trust=trust))
        if output is common.OutputFormat.json:
            typer.echo(json_line({"findings": [asdict(finding) for finding in found]}))
        else:
            typer.echo(doctor_text(found), nl=False)
        if any(finding.state == "problem" for finding in found):
            raise typer.Exit(1)
