"""An hour of eight agents in branches beside a user who types, saves and switches; all are killed.

Who writes which line is known beforehand: the agents have lines of their own, so that what is right
in the end is known without any merge. An agent is killed between two writes, or nobody knew what it
has done. `--edits` is the number of minutes.
"""

from __future__ import annotations

import asyncio
import random
import re
import signal
import time
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from bench.rehearse_hour_user import LINES_APART, N_LINES, User, first_line, line_of
from bench.rehearsed import WAYS, Rehearsed
from bench.report import Figure, Setup
from tests.e2e.folders import settings_text, toy_profile, write_user_settings
from tests.e2e.warm_hosts import Hosts

N_AGENTS = 8
FILES = ("a.txt", "b.txt", "deep/c.txt", "deep/d.txt", "typed.txt")
KILL_EVERY_S = 20.0
SETTLE_S = 120.0
PAUSE_S = 35.0
"""So long a rest now and then is a pause, at which merged texts come onto the stage."""
_LOST_ENDS = (ConnectionError, RuntimeError, asyncio.IncompleteReadError, asyncio.TimeoutError)


@dataclass
class Counts:
    """What went wrong, and how much was tried."""

    users_files: int = 0
    lost: int = 0
    wrong: int = 0
    left: list[str] = field(default_factory=list[str])
    writes: int = 0
    acknowledged: int = 0
    kills: int = 0
    conflicts: int = 0


@dataclass
class Hour:
    """One agent after the other, and who kills them."""

    folder: Path
    state: Path
    user: User
    until: float
    chance: random.Random
    counts: Counts = field(default_factory=Counts)
    agents: dict[str, tuple[Rehearsed, asyncio.Lock]] = field(default_factory=lambda: {})
    """By branch: who works in it, and the lock that is held while it writes."""
    own: dict[str, dict[str, dict[int, str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )
    """By branch and file: what an agent has written last to a line of its own."""

    @property
    def is_over(self) -> bool:
        """Whether the hour is over."""
        return time.monotonic() >= self.until

    async def agent(self, number: int) -> None:
        """Write until the time is over; killed, go on in the same branch."""
        chance, branch = random.Random(number), None  # noqa: S311 - no secret
        while not self.is_over:
            options = ("--branch", branch) if branch else ("--name", f"agent {number}")
            one = await Rehearsed.start(self.folder, self.state, *options)
            with suppress(ConnectionError):
                await one.write(FILES[0], N_LINES, "", WAYS[0])  # nothing: it has begun
                branch = branch or await self._branch_of(f"agent {number}")
                await self._work(one, branch, chance)
            if branch is not None:
                self.agents.pop(branch, None)
            await one.end()

    async def _branch_of(self, title: str) -> str:
        told = await self.user.asked_until_answered("understudy/branch/list", {})
        return next(one["branch"] for one in told["branches"][::-1] if one["title"] == title)

    async def _work(self, one: Rehearsed, branch: str, chance: random.Random) -> None:
        step, lock = 0, asyncio.Lock()
        self.agents[branch] = one, lock
        while not self.is_over:
            step += 1
            async with lock:
                await self._write(one, branch, chance)
            await asyncio.sleep(chance.choice((0, 0, 0.1, 0.4, 2)) if step % 40 else PAUSE_S)

    async def _write(self, one: Rehearsed, branch: str, chance: random.Random) -> None:
        path = chance.choice(FILES)
        line = chance.randrange(LINES_APART // 2, N_LINES, LINES_APART)
        text = line_of(f"{branch} writes {self.counts.writes}")
        if await one.write(path, line, text, chance.choice(WAYS)) is not None:
            self.own[branch][path][line] = text
            self.counts.writes += 1

    async def acknowledge(self) -> None:
        """Look now and then at what the branches list."""
        seen: set[str] = set()
        while not self.is_over:
            for branch in list(self.own):
                with suppress(*_LOST_ENDS):
                    told = await self.user.ask("understudy/branch/diff", {"branch": branch})
                    seen |= set(re.findall(r"^\+(b\d+ writes \d+)", told["diff"], re.MULTILINE))
            self.counts.acknowledged = len(seen)
            await asyncio.sleep(1)

    async def kill(self) -> None:
        """End a rehearsal, the program in it, or the host, without a word."""
        while not self.is_over:
            await asyncio.sleep(KILL_EVERY_S)
            victims = list(self.agents.values())
            if not victims or self.is_over:
                continue
            one, lock = self.chance.choice(victims)
            what = self.chance.randrange(3)
            async with lock:
                hosts = [found.pid for found in Hosts(self.state).found()]
                pid = hosts[0] if what == 2 and hosts else one.process.pid
                with suppress(psutil.NoSuchProcess):
                    process = psutil.Process(_deepest(pid) if what == 1 else pid)
                    process.send_signal(signal.SIGKILL)
                    self.counts.kills += 1

    async def judge(self) -> None:
        """Hold every branch against what is known, once all have settled."""
        for branch, files in self.own.items():
            end = time.monotonic() + SETTLE_S
            while True:
                told = await self.user.asked_until_answered(
                    "understudy/branch/diff", {"branch": branch}
                )
                wrong = {
                    path: mistake
                    for path, lines in files.items()
                    if path not in told["conflicts"]
                    and (mistake := _mistake(told["diff"], path, lines))
                }
                if not wrong or time.monotonic() > end:
                    break
                await asyncio.sleep(1)
            self.counts.wrong += len(wrong)
            for path, mistake in wrong.items():
                self.user.say(f"{branch} {path}: {mistake}")
            await self._conflicts(branch, told["conflicts"])

    async def _conflicts(self, branch: str, paths: list[str]) -> None:
        """Where the user has to decide, nothing of either side may be lost."""
        if not paths:
            return
        asked = await self.user.asked_until_answered("understudy/branch/rebase", {"branch": branch})
        for one in asked["conflicts"]:
            self.counts.conflicts += 1
            texts = self.own[branch][one["path"]].values()
            self.counts.lost += sum(text not in (one["ours"] or "") for text in texts)


def _mistake(diff: str, path: str, lines: Mapping[int, str]) -> str | None:
    """What a file's part of a branch's diff has besides the agent's own lines, or lacks."""
    part = re.search(rf"^\+\+\+ b/{re.escape(path)}\n(.*?)(?=^diff |^--- |\Z)", diff, re.M | re.S)
    found = [] if part is None else part[1].splitlines(keepends=True)
    wanted = {f"+{text}" for text in lines.values()}
    wanted |= {f"-{first_line(path, number)}" for number in lines}
    got = {line for line in found if line[0] in "+-"}
    return None if got == wanted else repr(sorted(got ^ wanted)[:4])


def _deepest(pid: int) -> int:
    """The last of the processes that one has started: the agent itself, or a server."""
    children = psutil.Process(pid).children(recursive=True)
    return children[-1].pid if children else pid


async def run(setup: Setup) -> list[Figure]:
    """One figure: changed files of the user's, lost edits, wrong merges, and what is left."""
    folder, state = setup.folder / "work", setup.folder / "state"
    write_user_settings(state, settings_text({"toy": toy_profile("well_behaved")}))
    user = await User.begin(folder, state, FILES, setup.say)
    began = time.monotonic()
    until = began + setup.n_edits * 60
    hour = Hour(folder, state, user, until, random.Random(1))  # noqa: S311 - no secret
    try:
        work = [hour.agent(number) for number in range(N_AGENTS)]
        work += [hour.kill(), hour.acknowledge(), user.type_until(until), user.save_until(until)]
        await asyncio.gather(*work)
        setup.say(f"rehearse_hour: all have ended after {time.monotonic() - began:.0f} s")
        await hour.judge()
        setup.say(f"rehearse_hour: judged after {time.monotonic() - began:.0f} s")
    finally:
        await user.end()
        await asyncio.to_thread(Hosts(state).end)
    hour.counts.users_files = user.n_changed + user.n_wrong_now()
    hour.counts.left = await _left(folder, state)
    return [_figure(hour.counts, time.monotonic() - began)]


def _figure(counts: Counts, seconds: float) -> Figure:
    wrong = counts.users_files, counts.lost, counts.wrong, len(counts.left)
    return Figure(
        "rehearse_hour", f"{N_AGENTS} agents, {seconds / 60:.0f} min, {counts.kills} kills",
        f"{wrong[0]} files of the user's changed, {wrong[1]} edits lost, {wrong[2]} merges wrong, "
        f"{wrong[3]} left",
        f"{counts.writes} writes, {counts.acknowledged} seen in a list, "
        f"{counts.conflicts} files left to the user",
        bar="0, 0, 0, 0",
        ok=not any(wrong) and min(counts.acknowledged, counts.kills) > 0,
        data=vars(counts),
    )  # fmt: skip


async def _left(folder: Path, state: Path) -> list[str]:
    """What is left once all have ended, or have had their time for it."""
    end = time.monotonic() + SETTLE_S
    while True:
        left = await asyncio.to_thread(_left_now, folder, state)
        if not left or time.monotonic() > end:
            return left
        await asyncio.sleep(0.5)


def _left_now(folder: Path, state: Path) -> list[str]:
    """Processes that work there, mounts of it, and folders of rehearsals."""
    left = [str(path) for path in state.rglob("rehearsals/*")]
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    left += [line for line in mounts if str(folder) in line or str(state) in line]
    return left + [name for one in psutil.process_iter() if (name := _works_in(one, folder, state))]


def _works_in(process: psutil.Process, *folders: Path) -> str | None:
    with suppress(psutil.Error):
        words = [*process.cmdline(), process.cwd()]
        if any(str(folder) in word for folder in folders for word in words):
            return f"{process.pid}: {' '.join(process.cmdline())[:100]}"
    return None
