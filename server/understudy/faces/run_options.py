"""A run's options from what the command line says, in this process or through a host's door."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from understudy.app.run import RunOptions
from understudy.stage.model import MIB, Limits

if TYPE_CHECKING:
    from understudy.faces.call_params import Execute


def run_options(asked: Execute) -> RunOptions:
    """The options of a command line's run: its user is the one who asks."""
    return RunOptions(
        argv=asked.command,
        cwd=asked.cwd,
        env=asked.env,
        network=asked.network,
        limits=limits_of(asked.memory, asked.processes, asked.disk),
        seconds=asked.timeout,
        kind=asked.stage,
        shared=asked.share,
        keep=asked.keep,
        patch=None if asked.patch is None else Path(asked.patch),
        adopt=asked.adopt,
        unfenced=asked.unfenced,
        by_user=True,
        environ=asked.environ,
    )


def limits_of(memory: int | None, processes: int | None, disk: int | None) -> Limits:
    """Limits in bytes of those in MiB; what is not given is as usual."""
    usual = Limits()
    return Limits(
        memory=None if memory is None else memory * MIB,
        processes=processes or usual.processes,
        disk=usual.disk if disk is None else disk * MIB,
    )
