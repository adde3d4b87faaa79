"""`understudy doctor`: what works here, why not, and the fix."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import say


def doctor(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    trust: common.TrustOption = False,
) -> None:
    """Look at everything a check needs here; each language server is really asked once.

    Exit codes: 0 all that is needed works, 1 something does not.
    """
    from understudy.app.doctor import doctor as examine
    from understudy.faces.answers.doctor import doctor_text

    with common.answering(output):
        found = common.run(lambda: examine(root, trust=trust))
        if output is common.OutputFormat.json:
            say(json_line({"findings": [asdict(finding) for finding in found]}))
        else:
            say(doctor_text(found), end="")
        if any(finding.state == "problem" for finding in found):
            raise typer.Exit(1)
