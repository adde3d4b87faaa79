"""The questions of a proof, group by group; the first wrong answer refutes the profile."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median

from understudy.langserver.proven.kit import Kit
from understudy.values.verdicts import Answer
from understudy.workspace.progress import Progress, silent
from understudy.workspace.proving.asker import Asker
from understudy.workspace.proving.questions import (
    MARK,
    KitQuestion,
    across,
    alone,
    branch_text,
    definition,
)

MOST_UNKNOWN = 0.02
"""Of all questions, at most so many may be without an answer."""
PATIENCE_S = 60.0
"""How long a new process may take for its first answer; later ones get a third of that at most."""
_BRIEF_S, _LONGEST_BRIEF_S = 8.0, 13.0
"""A brief drill asks nothing more after so long: once it has asked what it needs, and at all."""
_SLACK, _LEAST_S = 30.0, 3.0
"""A later answer may take so many times as long as the slowest one so far, and so long at least."""
_LATER, _LATER_S = 10, 0.3
"""So often it is looked whether what was not found can be found at all; the time between."""
_ABANDONED_S = (0.0, 0.002, 0.02, 0.08, 0.2)


class _Enough(Exception):
    """A brief drill has asked what fits into its time."""


class Refuted(Exception):
    """The profile is not right: the text says what was asked, and what was answered.

    is_wrong: an answer was. is_passing: there were too few, which may be otherwise at another time.
    """

    def __init__(self, text: str, *, is_wrong: bool = False, is_passing: bool = False) -> None:
        super().__init__(text)
        self.is_wrong, self.is_passing = is_wrong, is_passing


@dataclass
class Group:
    """One kind of questions: how many, how many without an answer, and their times in seconds."""

    name: str
    asked: int = 0
    unknown: int = 0
    seconds: list[float] = field(default_factory=lambda: [])
    note: str = ""

    @property
    def median_ms(self) -> float:
        """The time of an answer."""
        return median(self.seconds) * 1000 if self.seconds else 0.0


@dataclass
class Drill:
    """Asks the questions of a kit of one candidate; `groups` has what came of them.

    is_brief: fewer of each kind, what needs most time left out, and what comes last as time allows.
    """

    asker: Asker
    progress: Progress = silent
    groups: list[Group] = field(default_factory=lambda: [])
    patience_s: float = PATIENCE_S
    is_brief: bool = False

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._has_needed = False
        self._chance = random.Random(self.kit.file)  # noqa: S311 - no secret
        self._patience = self.patience_s
        self._slowest = 0.0
        self.last_reason = ""

    @property
    def kit(self) -> Kit:
        """The kit that is asked by."""
        return self.asker.kit

    @property
    def asked(self) -> int:
        """All questions so far."""
        return sum(group.asked for group in self.groups)

    @property
    def unknown(self) -> int:
        """Those without an answer."""
        return sum(group.unknown for group in self.groups)

    async def run(self) -> None:
        """Ask everything; raises Refuted."""
        with suppress(_Enough):
            for name, questions, is_needed in self._plan():
                self._has_needed = self.is_brief and not is_needed
                group = Group(name)
                self.groups.append(group)
                await questions(group)
        self.groups = [group for group in self.groups if group.asked]
        if self.unknown > MOST_UNKNOWN * self.asked:
            text = f"{self.unknown} of {self.asked} questions had no answer: {self.last_reason}"
            raise Refuted(text, is_passing=True)

    def _plan(self) -> Sequence[tuple[str, Callable[[Group], Awaitable[None]], bool]]:
        """The kinds of questions in their order, and whether a brief drill needs them."""
        kit, is_whole = self.kit, not self.is_brief
        crosses = kit.crosses_files and self.asker.profile.scope == "project"
        configures = is_whole and kit.configuration is not None
        plan = [
            ("a new process, asked at once", self._first, True, True),
            ("branches", self._branches, True, True),
            ("users of an edited file", self._users, True, crosses),
            ("an objection", self._objection, True, bool(kit.objection)),
            ("files that are not open", self._unopened, False, True),
            ("a file saved", self._saved, False, crosses),
            ("files that come and go", self._moved, False, crosses and kit.names_files),
            ("configuration", self._configured, False, configures),
            ("a loaded machine", self._loaded, False, is_whole),
        ]
        return [(name, ask, is_needed) for name, ask, is_needed, is_there in plan if is_there]

    async def _first(self, group: Group) -> None:
        for number in range(1 if self.is_brief else 3):
            await self.asker.start_anew()
            self._patience = self.patience_s
            await self._ask(group, alone(self.kit, 4 * number, self.kit.path("us_one")))

    async def _can_be_found(self, question: KitQuestion) -> bool:
        """Whether a new process finds, with all of it on disk, what was not found.

        If not, something silences it that a drill knows nothing of; it may take a moment.
        """
        await self.asker.save(question.edits)
        await self.asker.start_anew()
        path = question.path
        text = (self.asker.folder / path).read_text("utf-8")
        for number in range(_LATER):  # a text of its own each time, as it keeps what it has said
            edits = {path: text + "\n" * number} if number else {}
            answer = await self.asker.ask(edits, path, self._left())
            if not question.is_missed(answer, self.kit):
                return True
            await asyncio.sleep(_LATER_S)
        return False

    def _left(self) -> float:
        """How many seconds a brief drill has yet; raises Refuted where there are none."""
        left = self._began + _LONGEST_BRIEF_S - time.monotonic()
        if left <= 0:
            raise Refuted("it was not asked enough in time")
        return left

    async def _branches(self, group: Group) -> None:
        """Switches between branches, half of them after one that was given up."""
        paths = [self.kit.path(name) for name in ("us_one", "us_two", "us_three")]
        for turn in range(8 if self.is_brief else 28):
            path = self._chance.choice(paths)
            if turn % 2:
                given_up = alone(self.kit, self._chance.randrange(40), path)
                await self._abandon(given_up)
            await self._ask(group, alone(self.kit, self._chance.randrange(40), path))

    async def _unopened(self, group: Group) -> None:
        path, marker = self.kit.path("us_wrong"), f"{MARK}disk"
        line = self.kit.marked_line(marker, 3)
        first = self.kit.wrong.partition("{marker}")[0].count("\n")
        n_lines = self.kit.wrong.rstrip("\n").count("\n") + 1
        on_disk = KitQuestion(path, {}, range(line - first, line - first + n_lines), marker)
        await self._ask(group, on_disk)
        mended, _, _ = branch_text(self.kit, 3)
        await self._ask(group, KitQuestion(path, {path: mended}, range(0)))
        await self._ask(group, on_disk)

    async def _users(self, group: Group) -> None:
        """An edit of the module decides about a file that uses it: open, or never opened yet."""
        user, other, third = (self.kit.path(one) for one in ("us_user", "us_other", "us_third"))
        await self._ask(group, across(self.kit, 0, other))
        for number in range(6 if self.is_brief else 18):
            path = third if number in (4, 9) else user
            if number % 3:
                await self._abandon(across(self.kit, self._chance.randrange(20), user))
            await self._ask(group, across(self.kit, number, path))
            if number % 6 == 5:
                await self._ask(group, KitQuestion(user, {}, range(0)))
        own, _, _ = branch_text(self.kit, 1)
        await self._ask(group, across(self.kit, 2, user, {self.kit.path("us_one"): own}))

    async def _saved(self, group: Group) -> None:
        """The user saves the module: the disk decides, and no branch."""
        path, module = self.kit.path("us_user"), self.kit.module_path("us_lib")
        for number in range(4):
            broken = number % 2 == 0
            await self.asker.save({module: definition(self.kit, 40 + number, broken=broken)})
            await self._ask(group, KitQuestion(path, {}, None if broken else range(0)))

    async def _moved(self, group: Group) -> None:
        """A module comes, goes and is renamed, in a branch and on disk."""
        user, wants = self.kit.path("us_user"), self.kit.path("us_wants")
        module, extra = self.kit.module_path("us_lib"), self.kit.module_path("us_extra")
        text = definition(self.kit, 1, broken=False)
        renamed = {module: None, extra: text}
        for question in (
            KitQuestion(wants, {}, None),
            KitQuestion(wants, {extra: text}, range(0)),
            KitQuestion(
                user, {extra: text, module: definition(self.kit, 2, broken=False)}, range(0)
            ),
            KitQuestion(user, {module: None}, None),
            KitQuestion(user, {}, range(0)),
            KitQuestion(wants, renamed, range(0)),
            KitQuestion(user, renamed, None),
            KitQuestion(wants, {}, None),
        ):
            await self._ask(group, question, anew=True)
        await self.asker.save({extra: text})
        await self._ask(group, KitQuestion(wants, {}, range(0)), anew=True)
        await self.asker.save({extra: None})
        await self._ask(group, KitQuestion(wants, {}, None), anew=True)
        await self._ask(group, KitQuestion(user, {}, range(0)), anew=True)

    async def _configured(self, group: Group) -> None:
        """A branch configures the server; the others are judged as before."""
        configuration = self.kit.configuration
        assert configuration is not None
        path = self.kit.path("us_one")
        plain = alone(self.kit, 1, path)
        silenced = {**plain.edits, configuration.file: configuration.text}
        for _ in range(2):
            await self._ask(group, plain, anew=True)
            await self._ask(group, KitQuestion(path, silenced, range(0)), anew=True)
        await self._ask(group, plain, anew=True)

    async def _objection(self, group: Group) -> None:
        """What keeps a server that says nothing from counting as one that finds nothing."""
        path = self.kit.path("us_two")
        text = f"{self.kit.text(None, 2)}{self.kit.objection}\n"
        await self._ask(group, KitQuestion(path, {path: text}, None))

    async def _loaded(self, group: Group) -> None:
        async with self.asker.loaded():
            await self._branches_of(group, 8)
            if self.kit.crosses_files and self.asker.profile.scope == "project":
                for number in range(6):
                    await self._ask(group, across(self.kit, number, self.kit.path("us_user")))

    async def _branches_of(self, group: Group, number: int) -> None:
        path = self.kit.path("us_one")
        for turn in range(number):
            await self._abandon(alone(self.kit, self._chance.randrange(40), path))
            await self._ask(group, alone(self.kit, turn, path))

    async def _abandon(self, question: KitQuestion) -> None:
        after_s = self._chance.choice(_ABANDONED_S)
        await self.asker.abandon(question.edits, question.path, after_s)

    async def _ask(self, group: Group, question: KitQuestion, *, anew: bool = False) -> None:
        """Ask, and note what came; raises Refuted for a wrong answer, or for no answers at all.

        anew: a process, or a stage for it, may have to be started for the answer.
        """
        if anew:
            self._patience = self.patience_s
        began = time.monotonic()
        patience = self._patience
        if self.is_brief:
            if self._has_needed and began > self._began + _BRIEF_S:
                raise _Enough
            patience = min(patience, self._left())
        answer = await self.asker.ask(question.edits, question.path, patience)
        group.asked += 1
        self.progress(f"{self.asker.profile.name}: {group.name}", self.asked, 0)
        outcome = question.outcome(answer, self.kit)
        if outcome == "wrong":
            told = f"{group.name}: {_told(question, answer)}"
            if self.is_brief and not (
                question.is_missed(answer, self.kit) and await self._can_be_found(question)
            ):
                raise Refuted(f"{told}; what configures it here may say so")
            raise Refuted(told, is_wrong=True)
        if outcome == "unknown":
            group.unknown += 1
            assert answer.reason is not None
            self.last_reason = f"{group.name}: {answer.reason.code}: {answer.reason.text}"
            if self.is_brief:
                self._left()
            if self.unknown >= 3 or len(self.groups) == 1:
                raise Refuted(self.last_reason, is_passing=True)
        else:
            took = time.monotonic() - began
            group.seconds.append(took)
            if len(self.groups) > 1:
                self._slowest = max(self._slowest, took)
            wait = max(_LEAST_S, _SLACK * self._slowest)
            self._patience = min(self.patience_s / 3, wait)


def _told(question: KitQuestion, answer: Answer) -> str:
    found = answer.findings or ()
    said = ", ".join(f"line {one.range.start.line + 1}: {one.message[:80]}" for one in found[:3])
    edited = ", ".join(sorted(question.edits)) or "nothing"
    wanted = question.wanted()
    return f"{question.path}, edited: {edited}; wanted {wanted}, got {said or 'nothing'}"
