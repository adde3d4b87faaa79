"""The preset of an agent that is rehearsed: what it opens, and whether the user has agreed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from understudy.disk.agreements import has_agreed
from understudy.values.errors import Refused
from understudy.values.frozen import frozen
from understudy.values.hosts import HostList, parse_hosts
from understudy.workspace.agents.catalogue import agent_named, agent_names
from understudy.workspace.agents.profile import Agent, LifeOnStage
from understudy.workspace.stage_additions import home_folder

if TYPE_CHECKING:  # a command that rehearses nothing makes no stage
    from understudy.stage.model import Additions


@frozen
class Preset:
    """An agent's own needs, as they stand in its table."""

    agent: Agent
    life: LifeOnStage

    @property
    def digest(self) -> str:
        """Names what is agreed to: where the table opens more, the user is asked again."""
        text = json.dumps([self.agent.binary, asdict(self.life)], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def hosts(self) -> HostList:
        """The hosts that it reaches."""
        return parse_hosts(self.life.hosts, "hosts") if self.life.hosts else HostList()

    def lines(self) -> Iterator[str]:
        """What it opens, for people: a kind a line."""
        life = self.life
        yield f"{self.agent.title} is shown, besides this folder:"
        for what, items in (
            ("hosts", life.hosts),
            ("of your home, a copy", life.private),
            ("of your home, read-only", life.read_only),
            ("of your home, a copy that is written back", (*life.login, *life.history)),
            ("variables, where you have set them", life.variables),
        ):
            if items:
                yield f"  {what}: {', '.join(items)}"
        if life.sets or life.arguments:
            sets = (f"{name}={value}" for name, value in life.sets.items())
            yield f"  and is started with: {' '.join((*sets, *life.arguments))}"

    def argv(self, argv: Sequence[str]) -> tuple[str, ...]:
        """The command with the preset's arguments behind its name, unless they are there."""
        given = () if _has(argv, self.life.arguments) else self.life.arguments
        return (argv[0], *map(str, given), *argv[1:])

    def additions(self, environ: Mapping[str, str]) -> Additions:
        """What a stage shows for it, as far as it is there."""
        from understudy.stage.model import Additions  # noqa: PLC0415 - see above

        life, home = self.life, home_folder(environ)
        private = (*life.private, *life.login, *life.history)
        return Additions(
            tuple(_there(private, home)), tuple(_there(life.read_only, home)),
            life.variables, dict(life.sets),
        )  # fmt: skip


def preset_of(argv: Sequence[str]) -> Preset | None:
    """The preset of the agent whose program this is; None where we know none.

    Raises BadInput `bad-setting` for the user's own table of agents.
    """
    name = Path(argv[0]).name if argv else ""
    for agent in map(agent_named, agent_names()):
        if agent.rehearsal is not None and agent.binary == name:
            return Preset(agent, agent.rehearsal)
    return None


def check_agreed(preset: Preset) -> None:
    """Raise Refused `not-agreed`, with all that it opens, unless the user has agreed to it."""
    if not has_agreed(preset.agent.name, preset.digest):
        first, *lines = (line.strip() for line in preset.lines())
        text = f"{first} {'; '.join(lines)}"
        text += "; agree once at a terminal, or with --yes, or leave it out with --no-preset"
        raise Refused("not-agreed", text, preset.agent.name)


def _there(places: Sequence[str], home: Path) -> Iterator[Path]:
    for place in places:
        path = home / place.removeprefix("~/")
        if path.exists():
            yield path


def _has(argv: Sequence[str], wanted: Sequence[str]) -> bool:
    n = len(wanted)
    return any(tuple(argv[at : at + n]) == tuple(wanted) for at in range(1, len(argv) - n + 1))
