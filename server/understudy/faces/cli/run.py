"""`understudy run`: a command on a private stage that holds the edits."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from understudy.faces.answers.sound_json import json_line
from understudy.faces.cli import boundary as common
from understudy.faces.cli.attached import ask_if_hosted
from understudy.faces.cli.check import EditsOption, PatchArgument, read_edits
from understudy.faces.cli.streams import complain, drop_output, say
from understudy.values.errors import BadInput, OutsideFailure

if TYPE_CHECKING:
    from understudy.workspace.progress import Audience, Live

FAILED, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127
_ENV_CODES = {"command-not-executable": NOT_EXECUTABLE, "command-not-found": NOT_FOUND}


class _Kind(str, Enum):
    overlay = "overlay"
    copy = "copy"


class RunCommand(TyperCommand):
    """Everything after the first `--` is the command, whatever it looks like."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:  # noqa: ANN401 - see below
        """Cut the command off; a mistake before it is 125, as all that is not the command's."""
        if "--" in args:
            cut = args.index("--")
            ctx.meta["command"] = args[cut + 1 :]
            args = args[:cut]
        try:
            return super().parse_args(ctx, args)
        except Exception as error:  # click's own, and typer brings a click of its own by now
            if getattr(error, "exit_code", 0) == common.BAD_INPUT:
                vars(error)["exit_code"] = FAILED
            raise

    def collect_usage_pieces(self, ctx: Any) -> list[str]:  # noqa: ANN401 - click's, as above
        """The usage line with the command in it."""
        return [*super().collect_usage_pieces(ctx), "-- CMD..."]


BranchOption = Annotated[
    str | None,
    typer.Option("--branch", metavar="ID", help="Run with this kept branch instead of a patch."),
]
NetworkOption = Annotated[
    str,
    typer.Option(
        "--net",
        metavar="none|host|HOST[:PORT],...",
        help="none: a private loopback; host: your network; else these hosts alone (443 if no port "
        "is named; *.example.org stands for all below).",
    ),
]
TimeoutOption = Annotated[
    float | None, typer.Option(metavar="S", help="Time limit in seconds (default: 600).")
]
MemoryOption = Annotated[
    int | None,
    typer.Option(metavar="MIB", min=1, help="Most memory (default: 3/4 of the machine's)."),
]
ProcessesOption = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Most processes (default: 4096).")
]
DiskOption = Annotated[
    int | None,
    typer.Option(
        metavar="MIB", min=1, help="Most that is written, 256 files a MiB (default: 2048)."
    ),
]


FolderOption = Annotated[
    str, typer.Option("--cwd", metavar="DIR", help="Where to run it, relative to the root.")
]
VariableOption = Annotated[
    list[str] | None,
    typer.Option(
        "--env",
        metavar="NAME[=VALUE]",
        help="Set a variable for it, or pass one on that is kept back otherwise (repeatable).",
    ),
]
HomeOption = Annotated[
    list[str] | None,
    typer.Option(
        "--home",
        metavar="PATH[:ro]",
        help="Show it a place in your home (or anywhere) that is hidden otherwise; what it writes "
        "there goes with the copy, and with :ro it cannot (repeatable).",
    ),
]
KeepOption = Annotated[
    bool, typer.Option("--keep", help="Keep build products for the next run with --keep.")
]
PatchOption = Annotated[
    Path | None,
    typer.Option("--diff-out", metavar="FILE", help="Write what it changed as a git patch."),
]
AdoptOption = Annotated[
    bool, typer.Option("--adopt", help="Make what it changed edits of the (or a new) branch.")
]
KindOption = Annotated[
    _Kind | None,
    typer.Option("--stage", help="How the copy is kept apart (default: the best that works)."),
]
ShareOption = Annotated[
    str | None,
    typer.Option(
        "--share",
        metavar="NAME",
        help="Share the copy of that name with other runs of this branch: one loopback, and the "
        "text of the run that came first.",
    ),
]
UnfencedOption = Annotated[
    bool, typer.Option("--unfenced", help="Where nothing isolates: run on a plain copy, unfenced.")
]


def run(
    ctx: typer.Context,
    patch: PatchArgument = None,
    edits: EditsOption = None,
    branch: BranchOption = None,
    root: common.RootOption = Path(),
    output: common.FormatOption = common.OutputFormat.text,
    net: NetworkOption = "none",
    cwd: FolderOption = ".",
    env: VariableOption = None,
    home: HomeOption = None,
    timeout: TimeoutOption = None,
    memory: MemoryOption = None,
    processes: ProcessesOption = None,
    disk: DiskOption = None,
    keep: KeepOption = False,
    diff_out: PatchOption = None,
    adopt: AdoptOption = False,
    stage: KindOption = None,
    share: ShareOption = None,
    unfenced: UnfencedOption = False,
) -> None:
    """Run CMD on a private copy of the folder that holds a patch; the folder stays untouched.

    Its output comes live and lies whole in a file; the last lines on stderr say where, how it
    ended and what it changed. It has no network but a private loopback, and sees what is listed of
    your home, environment and machine (`understudy doctor`).
    Where an editor or an agent has the folder open, its host runs it, over the unsaved text.

    Exit codes: CMD's own, 125 a failure of ours, 126 not executable, 127 no such command,
    130 interrupted.

    Example: git diff HEAD...topic | understudy run - -- pytest -q
    """
    with as_env_does(), common.answering(output):
        params: dict[str, Any] = {
            "command": command_of(ctx),
            "branch": branch,
            "edits": read_edits(patch, edits) if patch is not None or edits is not None else [],
            "cwd": cwd,
            "env": variables(env or []),
            "home": tuple(home or ()),
            # A host has another environment, and passes on of ours what may pass.
            "environ": dict(os.environ),
            **network(net),
            "timeout": timeout,
            "memory": memory,
            "processes": processes,
            "disk": disk,
            "kind": None if stage is None else stage.value,
            "stage": share,
            "keep": keep,
            "patch_file": None if diff_out is None else str(diff_out.absolute()),
            "adopt": adopt,
            "unfenced": unfenced,
        }
        _refuse(params)
        answer = _answer(root, params, output)
        _print(answer, output)
    raise typer.Exit(answer["exit"])


def network(text: str) -> dict[str, Any]:
    """What `--net` says, as params; raises BadInput `bad-host`."""
    if text in ("none", "host"):
        return {"network": text}
    from understudy.values.hosts import parse_hosts

    parse_hosts([text], "--net")
    return {"network": "none", "hosts": (text,)}


def _print(answer: dict[str, Any], output: common.OutputFormat) -> None:
    if output is common.OutputFormat.json:
        say(json_line(answer["receipt"], indent=1))
    else:
        say(answer["text"], err=True, end="")


def command_of(ctx: typer.Context) -> tuple[str, ...]:
    """What stands behind `--`; raises BadInput `no-command`."""
    if not ctx.meta.get("command"):
        text = "put the command behind `--`, as in `understudy run -- pytest -q`"
        raise BadInput("no-command", text)
    return tuple(ctx.meta["command"])


def _refuse(params: dict[str, Any]) -> None:
    if params["branch"] is not None and params["edits"]:
        text = "a kept branch is run as it is; give either --branch or a patch"
        raise BadInput("conflicting-options", text, params["branch"])
    if params["stage"] is not None and params["edits"]:
        text = "runs of one kept branch, or of the folder itself, can share a stage; a patch cannot"
        raise BadInput("conflicting-options", text, params["stage"])
    if params["patch_file"] is not None and Path(params["patch_file"]).name == "-":
        text = "standard output is the command's own; name a file for the patch"
        raise OutsideFailure("cannot-write", text, "--diff-out -")


@contextmanager
def as_env_does() -> Generator[None, None, None]:
    """Whatever is ours is 125; a command that cannot be executed 126 or 127."""
    try:
        yield
    except typer.Exit as error:
        if error.exit_code in (common.INTERRUPTED, common.READER_GONE):
            raise
        code = getattr(error.__cause__, "code", "")
        raise typer.Exit(_ENV_CODES.get(code, FAILED)) from error


def _answer(root: Path, params: dict[str, Any], output: common.OutputFormat) -> dict[str, Any]:
    """The receipt, by the folder's host where one runs; what was kept is named when interrupted."""
    from understudy.workspace.progress import Audience

    places: list[Path] = []
    audience = Audience(live=_live(output), placed=places.append, told=_tell)
    try:
        if any(params[name] for name in ("branch", "adopt", "stage")):
            from understudy.faces.hosting.link import ask_host

            return common.run(lambda: ask_host(root, "execute", params, audience, stays=True))
        answer = ask_if_hosted(root, "execute", params, audience)
        return answer or common.run(lambda: _without_host(root, params, audience))
    except (KeyboardInterrupt, asyncio.CancelledError):
        for place in places:
            complain(f"the output until then is kept: {place}")
        raise


def _tell(line: str) -> None:
    say(f"understudy: {line}", err=True)


async def _without_host(root: Path, params: dict[str, Any], audience: Audience) -> dict[str, Any]:
    from understudy.app.run.asked import run_alone
    from understudy.faces.answers.receipt import told
    from understudy.faces.calls.run import user_options
    from understudy.faces.params.calls import Execute

    options = user_options(Execute(**params))
    return told(await run_alone(root, params["edits"], options, audience))


def _live(output: common.OutputFormat) -> Live:
    """The command's streams are ours; with JSON, which has stdout alone, both go to stderr."""

    from understudy.workspace.progress import ReaderGone

    def live(stream: str, data: bytes) -> None:
        as_is = stream == "stdout" and output is common.OutputFormat.text
        target = (sys.stdout if as_is else sys.stderr).buffer
        try:
            target.write(data)
            target.flush()
        except BrokenPipeError as error:
            raise ReaderGone(*error.args) from error
        except OSError as error:
            if as_is:
                drop_output()
            text = f"its output cannot be handed on: {error.strerror}"
            raise OutsideFailure("cannot-write", text, stream) from error

    return live


def variables(pairs: list[str]) -> dict[str, str]:
    """What `--env` says; raises BadInput `bad-variable`."""
    from understudy.workspace.stage_additions import named_variable

    return dict(named_variable(pair, os.environ, "--env") for pair in pairs)
