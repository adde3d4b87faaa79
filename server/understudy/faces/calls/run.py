"""The verb `run` for requests: the options that their params are, and the receipt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from understudy.app.run.asked import receipt_of
from understudy.app.run.run import RunOptions
from understudy.faces.answers.receipt import receipt_json, told
from understudy.faces.calls.entry import Json, Side
from understudy.faces.params.calls import Execute, Run
from understudy.faces.params.requests import RunOnBranch
from understudy.stage.model import MAX_LIMIT, MIB, Network, StageLimits
from understudy.values.errors import BadInput, Refused
from understudy.values.hosts import parse_hosts
from understudy.workspace.progress import Audience

_MAX_PROCESSES = 1 << 22
"""More than any kernel has numbers for."""


async def run_on_branch(side: Side, params: RunOnBranch, audience: Audience) -> Json:
    """The receipt of a command on a stage with a branch, or with the user's text."""
    options = run_options(params, side.network)
    session, base = side.host.session, side.live_base
    return receipt_json(
        await receipt_of(session, options, base, branch=params.branch, audience=audience)
    )


async def execute(side: Side, params: Execute, audience: Audience) -> Json:
    """The command line's run; its receipt as JSON and as text, and its exit code."""
    session, base = side.host.session, side.live_base
    receipt = await receipt_of(
        session, user_options(params), base,
        branch=params.branch, edits=params.edits, audience=audience,
    )  # fmt: skip
    return told(receipt)


def run_options(asked: RunOnBranch | Run, network: Network) -> RunOptions:
    """What is run, and how; `network` is the most that the user allows.

    Raises Refused `network-not-allowed`, BadInput `bad-limit`.
    """
    if asked.network == "host" and network != "host":
        text = (
            "the user has not allowed agents the network: it takes `understudy mcp --net host`, "
            "or an editor with a user at it"
        )
        raise Refused("network-not-allowed", text, "network")
    options = RunOptions(
        argv=asked.command,
        cwd=asked.cwd,
        env=asked.env,
        network=asked.network,
        seconds=asked.timeout,
        keep=asked.keep,
        adopt=asked.adopt,
    )
    if isinstance(asked, Run):
        return replace(options, shared=asked.stage)
    limits = _limits(asked.memory, asked.processes, asked.disk)
    patch = "beside" if asked.patch else None
    return replace(options, limits=limits, shared=asked.stage, patch=patch)


def user_options(asked: Execute) -> RunOptions:
    """The options of a command line's run: its user asks; raises BadInput `bad-host`."""
    return replace(
        run_options(asked, "host"),
        home=asked.home,
        hosts=parse_hosts(asked.hosts, "--net") if asked.hosts else None,
        kind=asked.kind,
        patch=None if asked.patch_file is None else Path(asked.patch_file),
        unfenced=asked.unfenced,
        by_user=asked.by_user,
        environ=asked.environ,
    )


def _limits(memory: int | None, processes: int | None, disk: int | None) -> StageLimits:
    """Limits in bytes of those in MiB; what is not given is as usual.

    Raises BadInput `bad-limit`.
    """
    usual = StageLimits()
    _refuse("memory", memory, MAX_LIMIT // MIB)
    _refuse("processes", processes, _MAX_PROCESSES)
    _refuse("disk", disk, MAX_LIMIT // MIB)
    return StageLimits(
        memory=None if memory is None else memory * MIB,
        processes=usual.processes if processes is None else processes,
        disk=usual.disk if disk is None else disk * MIB,
    )


def _refuse(name: str, number: int | None, most: int) -> None:
    if number is not None and not 1 <= number <= most:
        text = f"the limit is a number from 1 to {most}, not {number}"
        raise BadInput("bad-limit", text, name)
