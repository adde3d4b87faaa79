"""`understudy run`: a command on a private stage that holds the edits."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from understudy.faces import cli_common as common
from understudy.faces.cli_check import EditsOption, PatchArgument, read_edits
from understudy.faces.sound_json import json_line
from understudy.values.errors import BadInput, OutsideFailure

if TYPE_CHECKING:
    from understudy.app.run import Live, Receipt, RunOptions
    from understudy.stage.model import Limits

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
    unfenced: UnfencedOption = False,
) -> None:
    """Run CMD on a private stage that shows the folder with a patch; the folder stays untouched.

    Its output comes live and lies whole in a file; a receipt on stderr says where, how it ended
    and what it changed. It has no network but a private loopback, and sees no secrets.

    Exit codes: CMD's own, 125 a failure of ours, 126 not executable, 127 no such command,
    130 interrupted.

    Example: git diff | understudy run - -- pytest -q
    """
    from understudy.app.run import RunOptions
    from understudy.faces.receipt import exit_code

    with _as_env_does(), common.answering(output):
        if not ctx.meta.get("command"):
            text = "put the command behind `--`, as in `understudy run -- pytest -q`"
            raise BadInput("no-command", text)
        options = RunOptions(
            argv=tuple(ctx.meta["command"]),
            cwd=cwd,
            env=_variables(env or []),
            network=net.value,
            limits=_limits(memory, processes, disk),
            seconds=timeout,
            kind=None if stage is None else stage.value,
            keep=keep,
            patch=diff_out,
            adopt=adopt,
            unfenced=unfenced,
            by_user=True,
        )
        raw = read_edits(patch, edits) if patch is not None or edits is not None else []
        receipt = _receipt(root, branch, raw, options, _live(output))
        _show(receipt, output)
    raise typer.Exit(exit_code(receipt))


def _limits(memory: int | None, processes: int | None, disk: int | None) -> Limits:
    """Limits in bytes of those in MiB; what is not given is as usual."""
    from understudy.stage.model import MIB, Limits

    usual = Limits()
    return Limits(
        memory=None if memory is None else memory * MIB,
        processes=processes or usual.processes,
        disk=usual.disk if disk is None else disk * MIB,
    )


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


def _receipt(
    root: Path,
    branch: str | None,
    raw: list[dict[str, Any]],
    options: RunOptions,
    live: Live,
) -> Receipt:
    from understudy.app.run_alone import run_branch, run_edits

    if branch is not None and raw:
        text = "a kept branch is run as it is; give either --branch or a patch"
        raise BadInput("conflicting-options", text, branch)
    if branch is None and not options.adopt:
        return common.run(lambda: run_edits(root, raw, options, live))
    return common.run(lambda: run_branch(root, branch, raw, options, live))


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


def _show(receipt: Receipt, output: common.OutputFormat) -> None:
    from understudy.faces.receipt import receipt_json, receipt_text

    if output is common.OutputFormat.json:
        typer.echo(json_line(receipt_json(receipt), indent=1))
    else:
        typer.echo(receipt_text(receipt), err=True, nl=False)


def _variables(pairs: list[str]) -> dict[str, str]:
    def split() -> Iterator[tuple[str, str]]:
        for pair in pairs:
            name, equals, value = pair.partition("=")
            if not name or not equals:
                raise BadInput("bad-variable", "write NAME=VALUE", pair)
            yield name, value

    return dict(split())
