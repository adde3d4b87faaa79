"""`understudy run`: a command on a private stage that holds the edits."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from understudy.faces import cli_common as common
from understudy.faces.cli_attached import ask_if_hosted
from understudy.faces.cli_check import EditsOption, PatchArgument, read_edits
from understudy.faces.sound_json import json_line
from understudy.values.errors import BadInput, OutsideFailure

if TYPE_CHECKING:
    from understudy.app.progress import Audience, Live

FAILED, NOT_EXECUTABLE, NOT_FOUND = 125, 126, 127
_ENV_CODES = {"command-not-executable": NOT_EXECUTABLE, "command-not-found": NOT_FOUND}


class _Network(str, Enum):
    none = "none"
    host = "host"


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
    _Network,
    typer.Option("--net", help="none: a private loopback at most; host: the user's network."),
]
TimeoutOption = Annotated[
    float | None, typer.Option(metavar="S", help="Time limit in seconds (default: 600).")
]
MemoryOption = Annotated[
    int | None, typer.Option(metavar="MIB", min=1, help="Most memory (default: no limit).")
]
ProcessesOption = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Most processes (default: 4096).")
]
DiskOption = Annotated[
    int | None, typer.Option(metavar="MIB", min=1, help="Most that is written (default: 2048).")
]


FolderOption = Annotated[
    str, typer.Option("--cwd", metavar="DIR", help="Where to run it, relative to the root.")
]
VariableOption = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME=VALUE", help="Set a variable for it (repeatable)."),
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
    typer.Option("--stage", help="This kind of stage (default: the best that works)."),
]
ShareOption = Annotated[
    str | None,
    typer.Option(
        "--share", metavar="NAME", help="Share this branch's stage of that name: one loopback."
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
    net: NetworkOption = _Network.none,
    cwd: FolderOption = ".",
    env: VariableOption = None,
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
    """Run CMD on a private stage that shows the folder with a patch; the folder stays untouched.

    Its output comes live and lies whole in a file; a receipt on stderr says where, how it ended
    and what it changed. It has no network but a private loopback, and sees no secrets.
    Where an editor or an agent has the folder open, its host runs it, over the unsaved text.

    Exit codes: CMD's own, 125 a failure of ours, 126 not executable, 127 no such command,
    130 interrupted.

    Example: git diff HEAD...topic | understudy run - -- pytest -q
    """
    with _as_env_does(), common.answering(output):
        params: dict[str, Any] = {
            "command": _command(ctx),
            "branch": branch,
            "edits": read_edits(patch, edits) if patch is not None or edits is not None else [],
            "cwd": cwd,
            "env": _variables(env or []),
            "environ": _environ(),
            "network": net.value,
            "timeout": timeout,
            "memory": memory,
            "processes": processes,
            "disk": disk,
            "stage": None if stage is None else stage.value,
            "share": share,
            "keep": keep,
            "patch": None if diff_out is None else str(diff_out.absolute()),
            "adopt": adopt,
            "unfenced": unfenced,
        }
        _refuse(params)
        answer = _answer(root, params, output)
        if output is common.OutputFormat.json:
            typer.echo(json_line(answer["receipt"], indent=1))
        else:
            typer.echo(answer["text"], err=True, nl=False)
    raise typer.Exit(answer["exit"])


def _command(ctx: typer.Context) -> tuple[str, ...]:
    if not ctx.meta.get("command"):
        text = "put the command behind `--`, as in `understudy run -- pytest -q`"
        raise BadInput("no-command", text)
    return tuple(ctx.meta["command"])


def _refuse(params: dict[str, Any]) -> None:
    if params["branch"] is not None and params["edits"]:
        text = "a kept branch is run as it is; give either --branch or a patch"
        raise BadInput("conflicting-options", text, params["branch"])
    if params["share"] is not None and params["edits"]:
        text = "runs of one kept branch, or of the folder itself, can share a stage; a patch cannot"
        raise BadInput("conflicting-options", text, params["share"])
    if params["patch"] is not None and Path(params["patch"]).name == "-":
        text = "standard output is the command's own; name a file for the patch"
        raise OutsideFailure("cannot-write", text, "--diff-out -")


@contextmanager
def _as_env_does() -> Generator[None, None, None]:
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
    from understudy.app.progress import Audience

    places: list[Path] = []
    audience = Audience(live=_live(output), placed=places.append)
    try:
        if any(params[name] for name in ("branch", "adopt", "share")):
            from understudy.faces.host_link import ask_host

            return common.run(lambda: ask_host(root, "execute", params, audience, stays=True))
        answer = ask_if_hosted(root, "execute", params, audience)
        return answer or common.run(lambda: _without_host(root, params, audience))
    except (KeyboardInterrupt, asyncio.CancelledError):
        for place in places:
            typer.echo(f"understudy: the output until then is kept: {place}", err=True)
        raise


async def _without_host(root: Path, params: dict[str, Any], audience: Audience) -> dict[str, Any]:
    from understudy.app.run_alone import run_edits
    from understudy.faces.call_params import Execute
    from understudy.faces.receipt import told
    from understudy.faces.run_options import run_options

    return told(await run_edits(root, params["edits"], run_options(Execute(**params)), audience))


def _live(output: common.OutputFormat) -> Live:
    """The command's streams are ours; with JSON, which has stdout alone, both go to stderr."""

    def live(stream: str, data: bytes) -> None:
        as_is = stream == "stdout" and output is common.OutputFormat.text
        target = (sys.stdout if as_is else sys.stderr).buffer
        try:
            target.write(data)
            target.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            text = f"its output cannot be handed on: {error.strerror}"
            raise OutsideFailure("cannot-write", text, stream) from error

    return live


def _environ() -> dict[str, str]:
    """What the command may know of our environment: a host has another one."""
    from understudy.stage.privacy import scrubbed

    return scrubbed(os.environ, {})


def _variables(pairs: list[str]) -> dict[str, str]:
    def split() -> Iterator[tuple[str, str]]:
        for pair in pairs:
            name, equals, value = pair.partition("=")
            if not name or not equals:
                raise BadInput("bad-variable", "write NAME=VALUE", pair)
            yield name, value

    return dict(split())
