"""`understudy branches`: the branches kept for a folder, without an editor."""

from __future__ import annotations

import shlex
from base64 import b64decode
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, Any

import typer

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.streams import complain, hand_over, say
from understudy.values.paths import Root
from understudy.values.printable import printable

app = typer.Typer(
    help="List, show, accept or discard the branches kept for a folder.",
    no_args_is_help=True,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
BranchArgument = Annotated[str, typer.Argument(metavar="BRANCH", help="The branch's id, as b1.")]
PathsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[PATH]...", help="Only these files, as they are called in the branch's diff."
    ),
]


@app.command("list")
def list_branches(
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    archived: Annotated[bool, typer.Option("--archived", help="The archived ones too.")] = False,
) -> None:
    """Print the branches kept for the folder, oldest first."""
    from understudy.disk.layout import workspace_layout
    from understudy.faces.inside.place import way_out

    with common.answering(output):
        answer: dict[str, Any] = {"branches": []}
        journal = workspace_layout(Root.open(root)).journal
        if journal.exists() or way_out() is not None:  # else there were never any
            answer = _ask(root, "branches", {"archived": archived})
        if output is common.OutputFormat.json:
            say(json_line(answer))
            return
        if not answer["branches"]:
            say("no branches")
        from understudy.faces.answers.check import overlap_line

        for summary in answer["branches"]:
            say(_line(summary))
            for line in _noted(summary.get("rehearsal")):
                say(f"  {printable(line)}")
            for one in summary["overlaps"]:
                say(f"  {printable(overlap_line(one))}")


@app.command("diff")
def diff(
    branch: BranchArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Print a branch's edits as a git-style diff against the folder as it is now."""
    with common.answering(output):
        found = _ask(root, "diff", {"branch": branch})
        if output is common.OutputFormat.json:
            say(json_line(found))
        else:
            exact = found.get("base64")
            hand_over(found["diff"].encode() if exact is None else b64decode(exact))
            for path in found["conflicts"]:
                complain(f"conflict: {path} does not fit the folder's text")
            for ask in found.get("asks", []):
                wish = " ".join((ask["text"] or "not like this; make it better").split())
                complain(f"asked: {ask['path']}:{ask['start'] + 1}: {printable(wish)}")


@app.command("accept")
def accept(
    branch: BranchArgument,
    paths: PathsArgument = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    commits: Annotated[
        bool,
        typer.Option("--commits", help="Take what was committed in it as well, at a new ref."),
    ] = False,
) -> None:
    """Write a branch into the folder and put it away.

    What has changed meanwhile is merged; where both sides changed the same lines nothing is
    written, and the exit code is 1.

    A file that has your tools run something (`.envrc`, tasks, hooks, package scripts) is taken only
    if you name it; else it stays in the branch, which is said.
    """
    with common.answering(output):
        taken = _commits(root, branch) if commits else {}  # first: what is refused changes nothing
        params = {"branch": branch, "paths": paths or []}
        report: dict[str, Any] = {**_ask(root, "accept", params), **taken}
        if output is common.OutputFormat.json:
            say(json_line(report))
            return
        for path in report["written"]:
            note = " (merged with the folder's changes)" if path in report["merged"] else ""
            say(f"wrote {printable(path)}{note}")
        for path in report["deleted"]:
            say(f"deleted {printable(path)}")
        for line in left_lines(branch, report["left"]):
            complain(printable(line))
        if commits:
            say(f"{report['ref']} is {report['commit']}")


@app.command("discard")
def discard(
    branch: BranchArgument,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
) -> None:
    """Put a branch into the archive, from which it can come back for a while."""
    with common.answering(output):
        answer = _ask(root, "discard", {"branch": branch})
        if output is common.OutputFormat.json:
            say(json_line({"discarded": answer["branch"]}))
        else:
            say(f"discarded {branch}")


def left_lines(branch: str, left: list[dict[str, str]]) -> list[str]:
    """What an accept has left in a branch as it runs something, and how it is taken."""
    lines = [f"left in {branch}: {one['path']}: {one['runs']}" for one in left]
    if left:
        paths = shlex.join(one["path"] for one in left)
        lines.append(f"after a look at them: understudy branches accept {branch} {paths}")
    return lines


def _commits(folder: Path, branch: str) -> dict[str, str]:
    """Take them in this process, which the user has started."""
    from understudy.app.accept.commits import take_commits
    from understudy.disk.layout import workspace_layout

    root = Root.open(folder)
    taken = common.run(lambda: take_commits(root, workspace_layout(root), branch))
    return {"ref": taken.ref, "commit": taken.commit}


def _ask(folder: Path, name: str, params: dict[str, Any]) -> dict[str, Any]:
    """Ask the folder's host, or be it for this one question."""
    from understudy.faces.hosting.link import ask_host

    return common.run(lambda: ask_host(folder, name, params))


def _line(summary: dict[str, Any]) -> str:
    when = datetime.fromtimestamp(summary["used"], timezone.utc).strftime("%Y-%m-%d %H:%MZ")
    state = f", {summary['ended']}" if summary["ended"] else ""
    files = f"{summary['files']} file{'' if summary['files'] == 1 else 's'}"
    state += ", already in your folder" if summary["in_folder"] else ""
    state += _at_work(summary.get("rehearsal"))
    return printable(f"{summary['branch']}  {files}, used {when}{state}  {summary['called']}")


def _at_work(rehearsal: dict[str, Any] | None) -> str:
    """Who is at work in it, and what is known of that."""
    if rehearsal is None:
        return ""
    verdict, found = rehearsal["verdict"], rehearsal["introduced"]
    judged = "not judged yet" if verdict is None else verdict
    judged += f" ({found} introduced)" if found else ""
    return f", {rehearsal['command'][0]} is at work in it, {judged}"


def _noted(rehearsal: dict[str, Any] | None) -> Iterator[str]:
    """What the user is to know of it while it works."""
    if rehearsal is not None:
        yield from (f"shown at {url}" for url in rehearsal.get("published", ()))
        yield from (f"warning: {text}" for text in rehearsal["warnings"])
        yield from (f"collides: {path}: you changed it too" for path in rehearsal["collisions"])
