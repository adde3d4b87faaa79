"""`understudy rehearse`: a command, or an agent as it is, lives in a branch."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from understudy.faces.cli import boundary as common
from understudy.faces.cli.run import (
    DiskOption,
    FolderOption,
    HomeOption,
    MemoryOption,
    NetworkOption,
    ProcessesOption,
    VariableOption,
    as_env_does,
    command_of,
    variables,
)
from understudy.faces.cli.streams import complain, say
from understudy.stage.model import MIB, StageLimits
from understudy.values.errors import BadInput
from understudy.values.printable import printable

if TYPE_CHECKING:
    from understudy.app.rehearse.rehearse import RehearsalEnd

MAX_TITLE = 200
BranchOption = Annotated[
    str | None, typer.Option("--branch", metavar="ID", help="Go on in this kept branch.")
]
NameOption = Annotated[
    str | None,
    typer.Option("--name", metavar="TEXT", help="The new branch's title (default: the command)."),
]
UntilCleanOption = Annotated[
    int | None,
    typer.Option(
        "--until-clean",
        metavar="N",
        min=1,
        help="Tell the agent at the end of its turn what its branch breaks, N times at most.",
    ),
]
AcpOption = Annotated[
    bool,
    typer.Option(
        "--acp",
        help="Stand between an editor and an agent that speak the Agent Client Protocol.",
    ),
]


def rehearse(
    ctx: typer.Context,
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    name: NameOption = None,
    net: NetworkOption = common.NetworkName.none,
    cwd: FolderOption = ".",
    env: VariableOption = None,
    home: HomeOption = None,
    memory: MemoryOption = None,
    processes: ProcessesOption = None,
    disk: DiskOption = None,
    until_clean: UntilCleanOption = None,
    acp: AcpOption = False,
) -> None:
    """Let CMD work in a branch, live: an agent, a shell, any program, as it is.

    It sees your folder at its own path, unsaved text included, and may change, build and delete
    what it likes: nothing of that reaches your folder. What it writes becomes edits of the branch
    while it works, judged in the gaps; you accept what is good (`understudy branches`). You go on
    working meanwhile, and what you save it sees. It has no network but a private loopback.

    Exit codes: CMD's own (128 + N for signal N), 125 a failure of ours, 126 not executable,
    127 no such command.

    Example: understudy rehearse --net host -- claude
    """
    with as_env_does(), common.answering():
        if os.name == "nt":
            raise BadInput("unsupported", "a rehearsal needs Linux; in WSL it works")
        if branch is not None and name is not None:
            text = "a kept branch has its title; give either --branch or --name"
            raise BadInput("conflicting-options", text, branch)
        from understudy.app.rehearse.rehearse import RehearseOptions
        from understudy.faces.rehearsal.rehearsing import rehearse_here

        if acp:
            _refuse_acp()
        argv = command_of(ctx)
        options = RehearseOptions(
            argv, cwd, variables(env or []), tuple(home or ()), net.value, _limits(
                memory, processes, disk
            ),
        )  # fmt: skip
        title = shlex.join(argv) if name is None else name
        title = printable(title)[:MAX_TITLE]
        ended = rehearse_here(
            root, branch, title, options, tell=complain, until_clean=until_clean, speaks_acp=acp
        )
        _report(ended)
    raise typer.Exit(ended.status if ended.status >= 0 else 128 - ended.status)


def _refuse_acp() -> None:
    """Raise BadInput `not-an-editor` on a terminal, OutsideFailure `acp-missing`."""
    from understudy.faces.rehearsal.acp import refuse_missing

    if os.isatty(0) or os.isatty(1):
        text = "an editor starts this, and speaks its protocol on stdin and stdout"
        raise BadInput("not-an-editor", text, "--acp")
    refuse_missing()


def _limits(memory: int | None, processes: int | None, disk: int | None) -> StageLimits:
    usual = StageLimits()
    return StageLimits(
        memory=None if memory is None else memory * MIB,
        processes=processes or usual.processes,
        disk=usual.disk if disk is None else disk * MIB,
    )


def _report(ended: RehearsalEnd) -> None:
    """What is in the branch, and what is not, on stderr."""
    files = f"{ended.n_changed} file{'' if ended.n_changed == 1 else 's'}"
    say(f"understudy: {ended.branch} holds {files}", err=True)
    for path, why in sorted(ended.left_out.items()):
        say(f"understudy:   not in it: {printable(path)}: {why}", err=True)
    if ended.n_changed:
        say(f"understudy: see `understudy branches diff {ended.branch}`", err=True)
