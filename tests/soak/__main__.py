"""Everybody at work in one folder, for hours, while things break: `make soak HOURS=1`.

32 agents ask what their edits break; the user types, formats everything and switches git branches;
servers are killed, hang, get no memory, and one misbehaves by itself; the machine sleeps, and runs
out of descriptors. A model beside it knows what each edit breaks. Exit code 1 where an answer was
wrong, an `unknown` was said for no reason, or something was left or has grown.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.e2e.folders import make_folder, settings_text, toy_profile, write_user_settings
from tests.e2e.lsp_client import Editor, open_editor
from tests.langserver.toybox import running_in
from tests.soak import model
from tests.soak.faults import Faults
from tests.soak.growth import Growth
from tests.soak.people import Agent, Answers, User
from tests.support.repositories import GitRepository
from understudy.values.own_folders import STATE_VARIABLE
from understudy.values.paths import Root

N_AGENTS = 32
_OF_FAULTS = frozenset(("crashed", "starting", "timeout", "unproven", "base-unknown"))
_SHOWN = 12


@dataclass
class Soaked:
    """What came of it."""

    answers: Answers
    faults: Faults
    growth: Growth
    seconds: float
    left: list[str] = field(default_factory=list[str])

    @property
    def is_well(self) -> bool:
        """Whether nothing is wrong."""
        answers = self.answers
        return not (answers.wrong or answers.unexplained or self.left or self.growth.grown())


def main() -> int:
    """Exit code 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="how long (1)")
    parser.add_argument("--agents", type=int, default=N_AGENTS, help=f"how many ({N_AGENTS})")
    wish = parser.parse_args()
    logging.disable(logging.WARNING)  # the client's words about what it does not know
    with tempfile.TemporaryDirectory(prefix="understudy-soak-") as folder:
        soaked = asyncio.run(soak(Path(folder).resolve(), wish.hours * 3600, wish.agents))
    sys.stdout.write(told(soaked))
    return 0 if soaked.is_well else 1


async def soak(place: Path, seconds: float, n_agents: int = N_AGENTS) -> Soaked:
    """Have all of them work in a new folder for so long."""
    folder, state = make_folder(place / "work", model.files()), place / "state"
    git = GitRepository(folder)
    git.commit()
    git.git("checkout", "-q", "-b", model.GIT_BRANCHES[1])
    git.commit(dict(model.files(model.GIT_BRANCHES[1])))
    git.git("checkout", "-q", model.GIT_BRANCHES[0])
    write_user_settings(state, settings_text({"misbehaves": toy_profile("misbehaves")}))
    os.environ[STATE_VARIABLE] = str(state / "understudy")  # where the agents find the host
    began = time.monotonic()
    async with open_editor(folder, state, {"trusted": True}) as editor:
        soaked = await _with_editor(editor, state, began + seconds, n_agents)
    soaked.seconds = time.monotonic() - began
    soaked.left += [f"process {pid}" for pid in running_in(folder)]
    soaked.left += [f"temporary {path.name}" for path in (state / "tmp").iterdir()]
    return soaked


async def _with_editor(editor: Editor, state: Path, end: float, n_agents: int) -> Soaked:
    timeline, answers = model.Timeline(), Answers()
    host = psutil.Process(editor.client.process.pid)
    faults = Faults(host, editor.root)
    growth = Growth(host, state / "understudy")

    def explains(reason: str, kind: str, since: float, until: float) -> bool:
        if reason in ("base-moved", "conflict"):
            return timeline.has_moved(since, until)
        return reason in _OF_FAULTS and (kind == "text" or faults.lately(since, until))

    root = Root.open(editor.root)
    user = User.begin(editor, timeline)
    agents = [Agent(number, root, timeline, answers, explains) for number in range(n_agents)]
    work = [agent.ask_until(end) for agent in agents]
    work += [user.type_until(end), user.save_until(end)]
    work += [faults.make_until(end), growth.look_until(end)]
    await asyncio.gather(*work)
    return Soaked(answers, faults, growth, 0.0)


def told(soaked: Soaked) -> str:
    """All of it, as a person reads it."""
    answers, growth = soaked.answers, soaked.growth
    lines = [
        f"{soaked.seconds / 60:.0f} min: {answers.total} answers: {dict(answers.verdicts)}",
        f"reasons of unknown: {dict(answers.reasons)}; refused: {dict(answers.refused)}",
        f"faults: {dict(soaked.faults.done)}",
        f"wrong: {len(answers.wrong)}; unknown for no reason: {len(answers.unexplained)}",
        f"left: {len(soaked.left)}; grown: {', '.join(growth.grown()) or 'nothing'}",
    ]
    lines += [f"  {name}: {early:,.0f} -> {late:,.0f}"
              for name, (early, late) in growth.between().items()]  # fmt: skip
    for name, found in (
        ("wrong", answers.wrong), ("no reason", answers.unexplained), ("left", soaked.left),
    ):  # fmt: skip
        lines += [f"{name}: {one}" for one in found[:_SHOWN]]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
