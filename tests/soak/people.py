"""The user, who types, saves, formats and switches git branches, and the agents, who ask."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from tests.e2e.lsp_client import Editor
from tests.soak import model
from tests.support.repositories import git
from understudy.app.host.terms import terms_of_caller
from understudy.disk.layout import workspace_layout
from understudy.faces.hosting.link import ask_running_host
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root
from understudy.workspace.progress import NOBODY

LIMIT_S = 300.0
"""Of a check: many ask at once, on few processors."""


@dataclass
class Answers:
    """What was answered, and what was wrong with it."""

    verdicts: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    wrong: list[str] = field(default_factory=list[str])
    unexplained: list[str] = field(default_factory=list[str])
    """Answers that are `unknown` and give no reason that something which was done explains."""
    refused: Counter[str] = field(default_factory=Counter[str])

    @property
    def total(self) -> int:
        """How many answers there were."""
        return sum(self.verdicts.values())


@dataclass
class User:
    """The only one who changes the folder."""

    editor: Editor
    timeline: model.Timeline
    chance: Random
    version: int = 1

    @classmethod
    def begin(cls, editor: Editor, timeline: model.Timeline) -> User:
        """Open the text that is typed in."""
        editor.open(model.TYPED, model.typed(0, 1))
        return cls(editor, timeline, Random(1))

    async def type_until(self, end: float) -> None:
        """Type; now and then what is typed uses another module."""
        while time.monotonic() < end:
            await asyncio.sleep(self.chance.choice((0.1, 0.3, 2)))
            number = self.timeline.typed_uses.now
            if self.chance.randrange(20) == 0:
                number = self.chance.randrange(model.N_MODULES)
            self.version += 1
            with self.timeline.typed_uses.becoming(number):
                text = model.typed(number, self.version)
                self.editor.change(model.TYPED, {"text": text}, version=self.version)
                await self.editor.ask("understudy/status")  # what was typed before was read

    async def save_until(self, end: float) -> None:
        """Format everything, and go to the other git branch, by turns."""
        while time.monotonic() < end:
            await asyncio.sleep(self.chance.uniform(4, 12))
            with self.timeline.formatted.becoming(self.version):
                await asyncio.to_thread(self._format)
            await asyncio.sleep(self.chance.uniform(4, 12))
            here = self.timeline.git_branch.now
            other = next(one for one in model.GIT_BRANCHES if one != here)
            with self.timeline.git_branch.becoming(other):
                await asyncio.to_thread(git, self.editor.root, "checkout", "-q", "-f", other)

    def _format(self) -> None:
        """Write each file anew, as formatters do."""
        for path in sorted(self.editor.root.glob("m*.py")):
            text = path.read_text(encoding="utf-8").partition("# formatted")[0]
            path.write_text(f"{text}# formatted {self.version}\n", encoding="utf-8")


@dataclass
class Agent:
    """One who asks about edits of its own, one after the other, by way of the folder's host."""

    number: int
    root: Root
    timeline: model.Timeline
    answers: Answers
    explains: Callable[[str, str, float, float], bool]
    """Whether a reason is explained, of an edit of a kind, by what was done in that time."""

    async def ask_until(self, end: float) -> None:
        """Ask until the time is over."""
        chance = Random(self.number)
        step = 0
        while time.monotonic() < end:
            step += 1
            await self._ask(model.some_edit(chance, f"a{self.number}_{step}"))
            await asyncio.sleep(chance.choice((0, 0, 0.2, 1)))

    async def _ask(self, asked: model.Asked) -> None:
        began = time.monotonic()
        params: dict[str, Any] = {"edits": [dict(asked.edit)], "timeout": LIMIT_S}
        layout, terms = workspace_layout(self.root), terms_of_caller()
        try:
            report = await ask_running_host(layout, "report", params, NOBODY, terms, patient=True)
        except UnderstudyError as error:
            self.answers.refused[error.code] += 1
            return
        if report is None:  # the host was too busy to let somebody in
            self.answers.refused["nobody-listens"] += 1
            return
        self._judge(asked, report, began, time.monotonic())

    def _judge(self, asked: model.Asked, report: Any, began: float, ended: float) -> None:
        answers = self.answers
        answers.verdicts[report["verdict"]] += 1
        mistake = model.wrong(asked, self.timeline.between(began, ended), report)
        if mistake is not None:
            answers.wrong.append(f"{asked.kind} {dict(asked.edit)}: {mistake}\n{report['text']}")
        if report["verdict"] != "unknown":
            return
        rows = [*report["files"], *(one for file in report["files"] for one in file["servers"])]
        reasons = {row["reason"]["code"] for row in rows if row["reason"] is not None}
        answers.reasons.update(reasons)
        if not reasons or not all(self.explains(one, asked.kind, began, ended) for one in reasons):
            answers.unexplained.append(f"{asked.kind} {sorted(reasons)}: {report['text']}")
