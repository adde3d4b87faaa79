"""`understudy rehearse`: a command, or an agent as it is, lives in a branch."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from understudy.faces.cli import boundary as common
from understudy.faces.cli.run import (
    DiskOption,
    FolderOption,
    HomeOption,
    MemoryOption,
    ProcessesOption,
    VariableOption,
    as_env_does,
    command_of,
    network,
    variables,
)
from understudy.faces.cli.streams import complain, say
from understudy.values.errors import BadInput, Refused, UnderstudyError
from understudy.values.hosts import HostList, parse_hosts
from understudy.values.printable import first_few, printable

if TYPE_CHECKING:
    from understudy.app.rehearse.plan import RehearseOptions
    from understudy.app.rehearse.rehearse import RehearsalEnd
    from understudy.stage.model import StageLimits
    from understudy.workspace.agents.presets import Preset

MAX_TITLE = 200
MAX_AGENTS = 64
_FEW = 8
BranchOption = Annotated[
    str | None, typer.Option("--branch", metavar="ID", help="Go on in this kept branch.")
]
NetOption = Annotated[
    str | None,
    typer.Option(
        "--net",
        metavar="none|host|HOST[:PORT],...",
        help="none: a private loopback; host: your network; else these hosts alone (443 if no port "
        "is named; *.example.org stands for all below). Default: an agent's preset, else none.",
    ),
]
PublishOption = Annotated[
    list[str] | None,
    typer.Option(
        "--publish",
        metavar="auto|PORT",
        help="Show a port of it (auto: the first at which it listens) at http://BRANCH.localhost, "
        "on this machine alone (repeatable).",
    ),
]
NoPresetOption = Annotated[
    bool, typer.Option("--no-preset", help="Open nothing for an agent that is known.")
]
YesOption = Annotated[
    bool, typer.Option("--yes", help="Agree to what an agent's preset opens, for this once.")
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
AgentsOption = Annotated[
    int | None,
    typer.Option(
        "--agents",
        metavar="N",
        min=1,
        max=MAX_AGENTS,
        help="Start CMD N times, each in a branch of its own, without a terminal and with empty "
        "input; what they print comes by lines, as `BRANCH| LINE`.",
    ),
]


def rehearse(
    ctx: typer.Context,
    root: common.RootOption = Path(),
    branch: BranchOption = None,
    name: NameOption = None,
    net: NetOption = None,
    cwd: FolderOption = ".",
    env: VariableOption = None,
    home: HomeOption = None,
    memory: MemoryOption = None,
    processes: ProcessesOption = None,
    disk: DiskOption = None,
    publish: PublishOption = None,
    no_preset: NoPresetOption = False,
    yes: YesOption = False,
    until_clean: UntilCleanOption = None,
    acp: AcpOption = False,
    agents: AgentsOption = None,
) -> None:
    """Let CMD work in a branch, live: an agent, a shell, any program, as it is.

    It sees your folder at its own path, unsaved text included, and may change, build and delete
    what it likes: nothing of that reaches your folder. What it writes becomes edits of the branch
    while it works, judged in the gaps; you accept what is good (`understudy branches`). You go on
    working meanwhile, and what you save it sees. Its git folder is its own. It has no network but
    a private loopback; what an agent that we know needs besides (hosts, login, settings) is shown
    to you once, and asked.

    Exit codes: CMD's own (128 + N for signal N; of --agents the first that is not 0), 125 a failure
    of ours, 126 not executable, 127 no such command.

    Example: understudy rehearse -- claude
    """
    with as_env_does(), common.answering():
        argv = command_of(ctx)
        _refuse_early(branch, name, acp=acp, agents=agents, argv=argv)
        from understudy.app.rehearse.plan import RehearseOptions

        preset = None if no_preset else _agreed(argv, yes=yes)
        options = RehearseOptions(
            argv if preset is None else preset.argv(argv),
            cwd,
            variables(env or []),
            tuple(home or ()),
            **_network(net),
            preset=preset,
            publish=tuple(map(_port, publish or ())),
            limits=_limits(memory, processes, disk),
        )
        title = shlex.join(argv) if name is None else name
        title = printable(title)
        if agents is None:
            status = _one(root, branch, title, options, until_clean=until_clean, speaks_acp=acp)
        else:
            status = _several(root, agents, title, options, until_clean=until_clean)
    raise typer.Exit(status)


def _one(
    root: Path,
    branch: str | None,
    title: str,
    options: RehearseOptions,
    *,
    until_clean: int | None,
    speaks_acp: bool,
) -> int:
    from understudy.faces.rehearsal.rehearsing import rehearse_here

    ended = rehearse_here(
        root, branch, title[:MAX_TITLE], options,
        tell=complain, until_clean=until_clean, speaks_acp=speaks_acp,
    )  # fmt: skip
    _report(ended)
    return _exit_code(ended)


def _several(
    root: Path, agents: int, title: str, options: RehearseOptions, *, until_clean: int | None
) -> int:
    """Each is told at the end; the exit code of the first, in their order, that has failed."""
    from understudy.faces.rehearsal.several import rehearse_several

    parts = [f" ({number} of {agents})" for number in range(1, agents + 1)]
    titles = [title[: MAX_TITLE - len(part)] + part for part in parts]
    outcomes = rehearse_several(root, titles, options, tell=complain, until_clean=until_clean)
    failed: list[int | UnderstudyError] = []
    changed: list[str] = []
    for part, one in zip(parts, outcomes, strict=True):
        if isinstance(one, UnderstudyError):
            if failed and one not in failed:  # the first is said by whoever catches it
                complain(f"the one{part}: {one}")
            failed.append(one)
            continue
        complain(f"{one.branch}{part} has ended with {_exit_code(one)}")
        _report(one)
        failed += [_exit_code(one)] if one.status else []
        changed += [one.branch] if one.n_changed else []
    if len(changed) > 1:
        complain(f"compare them with `understudy rank --branches {' '.join(changed)}`")
    first = failed[0] if failed else 0
    if isinstance(first, UnderstudyError):
        raise first
    return first


def _refuse_shared(argv: tuple[str, ...]) -> None:
    from understudy.faces.rehearsal.again import way_without_terminal

    word = way_without_terminal(argv)
    if word is not None:
        text = "several cannot share a terminal, and it was given no task to work without one"
        raise BadInput("needs-terminal", f"{text}: `{argv[0]} {word} TASK`", argv[0])


def _exit_code(ended: RehearsalEnd) -> int:
    return ended.status if ended.status >= 0 else 128 - ended.status


def _refuse_early(
    branch: str | None, name: str | None, *, acp: bool, agents: int | None, argv: tuple[str, ...]
) -> None:
    if os.name == "nt":
        raise BadInput("unsupported", "a rehearsal needs Linux; in WSL it works")
    if branch is not None and name is not None:
        text = "a kept branch has its title; give either --branch or --name"
        raise BadInput("conflicting-options", text, branch)
    if agents is not None and (branch is not None or acp):
        text = "several need a branch each, and no editor speaks to them; leave --agents out"
        raise BadInput("conflicting-options", text, "--acp" if acp else branch)
    if agents is not None:
        _refuse_shared(argv)
    if acp:
        _refuse_acp()


def _network(net: str | None) -> dict[str, Any]:
    """The network and the hosts; unless they are named, a preset's own."""
    if net is None:
        return {}
    asked = network(net)
    hosts = parse_hosts(asked["hosts"], "--net") if "hosts" in asked else HostList()
    return {"network": asked["network"], "hosts": hosts}


def _port(text: str) -> int:
    """A port to show; 0 for the first at which anything listens."""
    if text == "auto":
        return 0
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 1 << 16):
        raise BadInput("bad-port", "it takes a port from 1 to 65535, or auto", f"--publish {text}")
    return int(text)


def _agreed(argv: tuple[str, ...], *, yes: bool) -> Preset | None:
    """The preset of the agent that this command starts, if the user agrees to it."""
    from understudy.disk.agreements import agree
    from understudy.workspace.agents.presets import check_agreed, preset_of

    preset = preset_of(argv)
    if preset is None or yes:
        return preset
    try:
        check_agreed(preset)
    except Refused:
        if not (os.isatty(0) and os.isatty(2)):
            raise
        for line in preset.lines():
            say(f"understudy: {printable(line)}", err=True)
        if not typer.confirm("understudy: Agree, now and from now on?", err=True):
            raise
        agree(preset.agent.name, preset.digest)
    return preset


def _refuse_acp() -> None:
    """Raise BadInput `not-an-editor` on a terminal, OutsideFailure `acp-missing`."""
    from understudy.faces.rehearsal.acp import refuse_missing

    if os.isatty(0) or os.isatty(1):
        text = "an editor starts this, and speaks its protocol on stdin and stdout"
        raise BadInput("not-an-editor", text, "--acp")
    refuse_missing()


def _limits(memory: int | None, processes: int | None, disk: int | None) -> StageLimits:
    from understudy.stage.model import MIB, StageLimits

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
    for path in ended.collisions:
        say(f"understudy:   collides: {printable(path)}: you changed the same lines", err=True)
    if ended.collisions:
        text = "it is not accepted so: rebase it in an editor, or take your lines back"
        say(f"understudy: {text}", err=True)
    for text in ended.warnings:
        say(f"understudy: warning: {printable(text)}", err=True)
    if ended.refused_hosts:
        say(f"understudy: asked for, and not reached: {_few(ended.refused_hosts)}", err=True)
    if ended.given_back is not None and ended.given_back.written:
        say(f"understudy: kept in your home: {_few(ended.given_back.written)}", err=True)
    for path, why in () if ended.given_back is None else ended.given_back.left:
        say(f"understudy:   not kept in your home: {printable(path)}: {why}", err=True)
    if ended.has_commits:
        take = f"understudy branches accept --commits {ended.branch}"
        say(f"understudy: it has committed; `{take}` takes the commits, too", err=True)
    elif ended.has_commits is None:
        say("understudy: its commits are too large to be kept, or its stage is lost", err=True)
    if ended.n_changed:
        say(f"understudy: see `understudy branches diff {ended.branch}`", err=True)


def _few(names: Sequence[str]) -> str:
    return printable(first_few(names, _FEW))
