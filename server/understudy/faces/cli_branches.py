"""`understudy branches`: the branches kept for a folder, without an editor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from understudy.app.accept import AcceptReport
from understudy.app.accept import accept as accept_branch
from understudy.app.branch_reports import BranchDiff, BranchSummary
from understudy.app.host import Host, HostOptions, open_host
from understudy.faces import cli_common as common
from understudy.faces.sound_json import json_line
from understudy.faces.wire import summary_json
from understudy.findings.lines import printable
from understudy.values.paths import Root

T = TypeVar("T")
app = typer.Typer(
    help="List, show, accept or discard the branches kept for a folder.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
BranchArgument = Annotated[str, typer.Argument(metavar="BRANCH", help="The branch's id, as b1.")]


@app.command("list")
def list_branches(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    archived: Annotated[bool, typer.Option("--archived", help="The archived ones too.")] = False,
) -> None:
    """Print the branches kept for the folder, oldest first."""

    async def verb(host: Host) -> list[BranchSummary]:
        return host.session.branches.summaries(archived)

    with common.answering(output):
        found = _with_host(root, verb)
        if output is common.OutputFormat.json:
            typer.echo(json_line({"branches": [summary_json(summary) for summary in found]}))
        elif not found:
            typer.echo("no branches")
        for summary in found if output is common.OutputFormat.text else ():
            typer.echo(_line(summary))


@app.command("diff")
def diff(
    branch: BranchArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Print a branch's edits as a git-style diff against the folder as it is now."""

    async def verb(host: Host) -> BranchDiff:
        return await host.session.branches.diff(branch, await host.session.fresh_base())

    with common.answering(output):
        found = _with_host(root, verb)
        if output is common.OutputFormat.json:
            typer.echo(json_line({"diff": found.text, "conflicts": list(found.conflicts)}))
        else:
            typer.echo(found.text, nl=False)
            for path in found.conflicts:
                typer.echo(f"understudy: conflict: {path} does not fit the folder's text", err=True)


@app.command("accept")
def accept(
    branch: BranchArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Write a branch into the folder and put it away.

    What has changed meanwhile is merged; where both sides changed the same lines nothing is
    written, and the exit code is 1.
    """

    async def verb(host: Host) -> AcceptReport:
        return await accept_branch(host.session.branches, branch, await host.session.fresh_base())

    with common.answering(output):
        report = _with_host(root, verb)
        lists = {
            "written": list(report.written),
            "deleted": list(report.deleted),
            "merged": list(report.merged),
        }
        if output is common.OutputFormat.json:
            typer.echo(json_line(lists))
            return
        for path in report.written:
            note = " (merged with the folder's changes)" if path in report.merged else ""
            typer.echo(f"wrote {printable(path)}{note}")
        for path in report.deleted:
            typer.echo(f"deleted {printable(path)}")


@app.command("discard")
def discard(
    branch: BranchArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Put a branch into the archive, from which it can come back for a while."""

    async def verb(host: Host) -> None:
        await host.session.branches.discard(branch)

    with common.answering(output):
        _with_host(root, verb)
        if output is common.OutputFormat.json:
            typer.echo(json_line({"discarded": branch}))
        else:
            typer.echo(f"discarded {branch}")


def _with_host(folder: Path, verb: Callable[[Host], Awaitable[T]]) -> T:
    """Be the folder's host for one verb."""

    async def run() -> T:
        host = await open_host(Root.open(folder), HostOptions())
        try:
            return await verb(host)
        finally:
            await host.close()

    return common.run(run)


def _line(summary: BranchSummary) -> str:
    when = datetime.fromtimestamp(summary.used, timezone.utc).strftime("%Y-%m-%d %H:%MZ")
    state = f", {summary.ended}" if summary.ended else ""
    files = f"{summary.n_files} file{'' if summary.n_files == 1 else 's'}"
    return printable(f"{summary.id}  {files}, used {when}{state}  {summary.title}")
