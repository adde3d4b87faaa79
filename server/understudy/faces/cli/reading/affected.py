"""`understudy code affected`: which files a change can reach."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.cli import boundary as common
from understudy.faces.cli.attached import ask_if_hosted
from understudy.faces.cli.check import BaseOption, EditsOption, PatchArgument, read_edits
from understudy.faces.cli.progress import terminal_progress
from understudy.faces.cli.streams import complain, say
from understudy.faces.inside.place import way_out
from understudy.values.errors import BadInput

if TYPE_CHECKING:  # the command line itself loads no verb
    from understudy.workspace.progress import Audience


def affected(
    patch: PatchArgument = None,
    edits: EditsOption = None,
    base: BaseOption = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    tests: Annotated[
        bool, typer.Option("--tests", help="Only tests, all that can run the change.")
    ] = False,
) -> None:
    """Print the files that a change can reach, the names that they take, and from where.

    Without a patch it is about what the working tree has changed since --base. Files are parsed;
    nothing is built, and no language server is asked. The edited files come first, with distance 0.

    Exit codes: 0 listed, 2 bad input or the patch does not apply, 4 a failure of our own.

    Examples: git diff | understudy code affected - ; understudy code affected --tests --base main
    """
    with common.answering(output):
        if base is not None and (patch is not None or edits is not None):
            text = "--base is for the working tree; a patch is compared with the folder as is"
            raise BadInput("conflicting-options", text, base)
        from understudy.workspace.progress import Audience
        from understudy.workspace.worker_process import COLLECT_AFTER

        is_patch = patch is not None or edits is not None
        params = {
            "edits": read_edits(patch, edits) if is_patch else None,
            "revision": base if is_patch or way_out() is not None else base or "HEAD",
            "tests": tests,
        }
        # Most of the time goes into loading, of which little is ever garbage.
        gc.set_threshold(*COLLECT_AFTER)
        with terminal_progress() as progress:
            found = ask_if_hosted(root, "affected", params, Audience(progress))
            if found is None:
                found = _asked_here(root, params, Audience(progress))
        if output is common.OutputFormat.json:
            from understudy.faces.answers.sound_json import json_line

            say(json_line(found))
            return
        if found["compared"] is not None:
            complain(f"compared with {found['compared']}")
        from understudy.faces.answers.affected import affected_text

        say(affected_text(found), end="")


def _asked_here(root: Path, params: dict[str, Any], audience: Audience) -> dict[str, Any]:
    """Without a host: edits need but the files on disk, a revision needs all that a host has."""
    if params["edits"] is None:
        from understudy.faces.hosting.link import ask_host

        return common.run(lambda: ask_host(root, "affected", params, audience))
    from understudy.app.check.affected import affected_alone
    from understudy.faces.answers.affected import affected_json

    edits, tests = params["edits"], params["tests"]
    return affected_json(common.run(lambda: affected_alone(root, edits, tests=tests)))
