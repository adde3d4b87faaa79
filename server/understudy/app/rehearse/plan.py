"""What a rehearsal wants of its stage: what lives there, what it is shown and reaches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from understudy.stage.choose import StageChooser
from understudy.stage.live import LiveStage
from understudy.stage.model import (
    Additions,
    KindName,
    Network,
    StageLimits,
    StagePlan,
    unavailable,
)
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.hosts import HostList
from understudy.values.paths import Root
from understudy.workspace.agents.presets import Preset
from understudy.workspace.rehearsals.place import RehearsalPlace
from understudy.workspace.settings import Settings
from understudy.workspace.stage_additions import added_by, program_places


@frozen
class RehearseOptions:
    """What lives on the stage, and what it is shown; `env` is put over what passes of `environ`.

    `hosts` are reached besides where the network is `none`; None is what the agent's `preset`
    opens. `publish` are ports of the stage that are shown outside. `visible` is shown besides,
    `way_out` is the socket of its branch.
    """

    argv: tuple[str, ...]
    cwd: str = "."
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    home: tuple[str, ...] = ()
    network: Network = "none"
    hosts: HostList | None = None
    preset: Preset | None = None
    publish: tuple[int, ...] = ()
    limits: StageLimits = field(default_factory=StageLimits)
    kind: KindName | None = None
    visible: tuple[Path, ...] = ()
    way_out: Path | None = None
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))


def plan_of(
    root: Root, settings: Settings, options: RehearseOptions, place: RehearsalPlace, commits: Path
) -> StagePlan:
    """The stage: what it shows, where what is written on it lies, and what it reaches."""
    return StagePlan(
        root.path,
        options.network,
        options.limits,
        keep=place.layer,
        environ=options.environ,
        visible=options.visible,
        way_out=options.way_out,
        added=added_by(settings, options.home, options.environ)
        + _opened_by(options)
        + Additions(read_only=(commits,) if commits.exists() else ()),
        hosts=_hosts(options),
        own_git=True,
        live=True,
    )


def _opened_by(options: RehearseOptions) -> Additions:
    program = options.argv[0] if options.argv else ""
    found = Additions(read_only=program_places(program, options.environ))
    return found if options.preset is None else found + options.preset.additions(options.environ)


def _hosts(options: RehearseOptions) -> HostList | None:
    """The list that the stage keeps: an empty one notes who was asked for."""
    if options.network != "none":
        return None
    if options.hosts is None and options.preset is not None:
        return options.preset.hosts
    return options.hosts or HostList()


async def open_stage(chooser: StageChooser, plan: StagePlan, options: RehearseOptions) -> LiveStage:
    """A stage that can be looked through: an overlay, or else a fenced copy.

    Raises OutsideFailure `stage-unavailable` where there is none, `cannot-reach` for ports to show
    where the stage has no network of its own.
    """
    stage = await chooser.open(plan, wanted=options.kind)
    if not hasattr(stage, "sightings"):
        await stage.close()
        why = [one for one in await chooser.probe() if not one.ok]
        text = "; ".join(unavailable(one).text for one in why)
        raise OutsideFailure("stage-unavailable", f"a rehearsal needs a stage: {text}; {_INSTEAD}")
    if options.publish and stage.kind == "copy":
        await stage.close()
        text = "the stage here is a copy, with no network of its own whose ports could be shown"
        raise OutsideFailure("cannot-reach", f"{text}; `understudy doctor` says why", "--publish")
    return stage  # type: ignore[return-value] - it has what is needed


_INSTEAD = (
    "what works without one: `understudy check` of a patch, and agents that ask over MCP or hooks "
    "(`understudy setup AGENT`)"
)
