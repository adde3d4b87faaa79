"""One server's answers about both snapshots: what is known, what cannot be asked, what it says.

Asked of one process in waves: near after, near before, far before, far after. So it is turned from
one text to the other as seldom as may be. The edited files come first of all (`HeadStart`): they
are asked about while it is still looked up whom the edit reaches.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from understudy.app.check.blast_radius import Radius
from understudy.app.check.drilled import begun, through
from understudy.app.check.waves import Heard, in_waves
from understudy.findings.hiding import hushing
from understudy.findings.judgement import Judged
from understudy.langserver.lease import Lease
from understudy.langserver.spec import ServerSpec
from understudy.langserver.waiting import all_of, ended_by
from understudy.shadow.snapshot import Snapshot
from understudy.values.frozen import frozen
from understudy.values.verdicts import Answer, Reason
from understudy.workspace.progress import Progress
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.sights import Sight, sights


@dataclass
class Answerer:
    """Asks one server; made for one check.

    `heard` gets the answers of the first wave, where there is another one.
    """

    session: Session
    choice: ServerChoice
    before: Snapshot
    after: Snapshot
    radius: Radius
    owner: str
    deadline: float
    progress: Progress
    heard: Heard
    ahead: Mapping[str, Answer] = field(default_factory=dict[str, Answer])
    """What a head start has proven about the side after, by the process `ahead_by`."""
    ahead_by: ServerSpec | None = None
    asking: Callable[[], None] = lambda: None
    """Called as the server gets to work."""
    out_of_reach: frozenset[str] = frozenset()
    """What a server is asked about is always what the edits reach."""
    is_about_configuration: bool = field(init=False, default=False)
    """Both sides have processes of their own, as one starts with other configuration."""
    specs: tuple[ServerSpec | None, ...] = field(init=False, default=())
    """The processes that were asked: about the side after, and about the one before."""

    async def ask(self, paths: Sequence[str]) -> list[Judged]:
        """The server's answers about `paths` (nearest first) on both sides."""
        limit = self.session.settings.max_files
        text = f"more than {limit} files are in scope (setting max_files)"
        skipped = Reason("skipped", text)
        asked, left_out = paths[:limit], paths[limit:]
        sides = (self.after, self.before)
        to_after, to_before = await sights(self.session, self.choice, sides)
        self.specs = to_after.spec, to_before.spec
        self.is_about_configuration = to_after.spec != to_before.spec
        right = self._prepare(_Side(self.after, to_after), asked)
        await asyncio.sleep(0)  # preparing takes milliseconds: let the user's typing in
        left = self._prepare(
            _Side(self.before, to_before), [self.radius.path_before(path) for path in asked]
        )
        near, far = (asked, ()) if self.is_about_configuration else in_waves(asked, self.radius)
        drill = begun(self.session, self.choice)

        async def first_told() -> None:
            if far:
                await self.heard(self._judged(near, right, left))

        await self._fill(_turns(right, left, frozenset(far)), first_told)
        hushed, too_many = await self._hushed(right, left, paths, limit - len(asked))
        asked, left_out = [*asked, *hushed], [*left_out, *too_many]
        self._doubt(right, left)
        if drill is not None and any(one.reason is None for one in self._all(right, left)):
            await through(drill, self.progress, self.deadline)
        judged = self._judged(asked, right, left)
        return judged + [Judged(path, None, self._unknown(path, skipped)) for path in left_out]

    async def _hushed(
        self, right: _Side, left: _Side, asked: Collection[str], room: int
    ) -> tuple[Sequence[str], Sequence[str]]:
        """Ask about those, too, of whom an error kept the server from saying what it says without.

        No name leads to them: what they declare and use is as it was. The error is new, or mended.
        Gives those that were asked, and those for whom there is no room.
        """
        if not self.radius.reach or self.is_about_configuration:
            return (), ()
        rules = self.choice.profile.hiding_rules
        now, then = right.known.values(), left.known.values()
        by = hushing(rules, now, then) | hushing(rules, then, now)
        if not by:
            return (), ()
        folders = {path.rpartition("/")[0] for path in by}
        users = await self.session.bindings.distances([self.after, self.before], by)
        distance = dict(users)
        distance |= {p: 0 for p in self.after.paths() if p.rpartition("/")[0] in folders}
        fresh = [
            path
            for path in sorted(distance.keys() - {*asked}, key=lambda path: (distance[path], path))
            if path not in right.known
            and self.after.exists(path)
            and self.before.exists(path)
            and self.choice in self.session.servers.choose(path, (self.choice.name,))
        ]
        fresh, too_many = fresh[:room], fresh[room:]
        for side in (right, left):
            side.missing.clear()
            self._prepare(side, fresh)
        await self._fill(_turns(right, left, frozenset()), _untold)
        return [path for path in fresh if self._known(left, path).reason is None], too_many

    @staticmethod
    def _all(right: _Side, left: _Side) -> Iterable[Answer]:
        return (*right.known.values(), *left.known.values())

    async def ask_ahead(self, paths: Sequence[str]) -> Mapping[str, Answer]:
        """What can be proven of these edited files on the side after, by the process for both."""
        sides = (self.after, self.before)
        to_after, to_before = await sights(self.session, self.choice, sides)
        if to_after.spec != to_before.spec:
            return {}
        self.ahead_by = to_after.spec
        right = self._prepare(_Side(self.after, to_after), paths)
        turns = [_Turn(right, list(right.missing), is_far=False)] if right.missing else []
        await self._fill(turns, _untold)
        return {path: one for path, one in right.known.items() if one.reason is None}

    def _judged(self, paths: Iterable[str], right: _Side, left: _Side) -> list[Judged]:
        """The pairs of answers; without a text on either side there is nothing to say."""
        judged: list[Judged] = []
        for path in paths:
            old = self.radius.path_before(path)
            before = self._known(left, old) if left.snapshot.exists(old) else None
            after = self._side_after(right, path)
            if before is not None or after is not None:
                one, doubt = Judged(path, before, after), self.choice.doubt
                judged.append(one if doubt is None else one.doubted(doubt))
        return judged

    def _prepare(self, side: _Side, paths: Iterable[str]) -> _Side:
        """Sort a side's paths into those that are known and those to ask the server about."""
        everything = side.blind.get("*")
        for path in paths:
            if not side.snapshot.exists(path):
                continue
            reason = self.choice.reason or everything or side.blind.get(path)
            is_ahead = side.snapshot is self.after and not self.is_about_configuration
            is_ahead = is_ahead and side.sight.spec == self.ahead_by
            cached = (self.ahead.get(path) if is_ahead else None) or self._cached(side, path)
            if reason is not None:
                side.known[path] = self._unknown(path, reason)
            elif cached is not None:
                side.known[path] = cached
            else:
                side.missing.append(path)
        return side

    def _cached(self, side: _Side, path: str) -> Answer | None:
        answers = self.session.answers
        if self.is_about_configuration:
            side.errors = answers.errors(self.choice, side.snapshot, side.configured)
            if side.errors is None:
                return None
        return answers.get(
            self.choice, side.snapshot, path, staged=side.sight.staged, configured=side.configured
        )

    def _doubt(self, right: _Side, left: _Side) -> None:
        """Take the answers back that were made without the configuration as the edit has it."""
        if not self.is_about_configuration:
            return
        errors, known = right.errors or frozenset(), left.errors or frozenset()
        reason = next((said for said in (errors, known) if isinstance(said, Reason)), None)
        if isinstance(errors, frozenset) and isinstance(known, frozenset) and errors - known:
            text = f"{self.choice.name} cannot use its configuration: {min(errors - known)}"
            reason = Reason("unproven", text)
        if reason is not None:
            for path, answer in right.known.items():
                right.known[path] = answer if answer.reason else self._unknown(path, reason)

    async def _fill(
        self, turns: Iterable[_Turn], first_told: Callable[[], Awaitable[None]]
    ) -> None:
        """Ask for what is missing; of one process under one lease."""
        leases: dict[ServerSpec, list[_Turn]] = {}
        for turn in turns:
            # Without a server, `choice.reason` has answered everything.
            assert turn.side.sight.spec is not None
            leases.setdefault(turn.side.sight.spec, []).append(turn)
        await all_of([self._ask(spec, turns, first_told) for spec, turns in leases.items()])

    async def _ask(
        self, spec: ServerSpec, turns: Sequence[_Turn], first_told: Callable[[], Awaitable[None]]
    ) -> None:
        total = sum(len(turn.paths) for turn in turns)
        self.progress(f"{self.choice.name}: waiting for its turn", 0, total)
        async with self.session.pool.lease(spec, self.owner, self.deadline) as lease:
            done, is_first = 0, True
            for turn in turns:
                if is_first and turn.is_far:
                    is_first = False
                    await first_told()
                self.progress(f"{self.choice.name}: {len(turn.paths)} files", done, total)
                side = turn.side
                answers = await lease.judge(side.snapshot, turn.paths, self.deadline, self.asking)
                if self.is_about_configuration:
                    await self._ask_errors(lease, side)
                side.known.update(answers)
                for answer in answers.values():
                    self.session.answers.put(
                        self.choice, side.snapshot, answer,
                        staged=side.sight.staged, configured=side.configured,
                    )  # fmt: skip
                done += len(turn.paths)

    async def _ask_errors(self, lease: Lease, side: _Side) -> None:
        said = await lease.configuration_errors(side.snapshot, side.missing, self.deadline)
        side.errors = said
        if isinstance(said, frozenset):
            self.session.answers.put_errors(self.choice, side.snapshot, said, side.configured)

    def _known(self, side: _Side, path: str) -> Answer:
        answer = side.known.get(path)
        if answer is not None:
            return answer
        return self._unknown(path, Reason("unproven", "the server gave no answer for it"))

    def _side_after(self, side: _Side, path: str) -> Answer | None:
        if side.snapshot.exists(path):
            return self._known(side, path)
        reason = self.choice.reason or side.blind.get("*") or side.blind.get(path)
        return None if reason is None else self._unknown(path, reason)

    def _unknown(self, path: str, reason: Reason) -> Answer:
        return Answer(path, self.choice.name, self.choice.rule, None, reason, 0.0)


_ASKED_WITHIN_S = 0.01
"""A server that is warm and has no other work is told of an edit within a few milliseconds."""


class HeadStart:
    """Asks the servers about the edited files, before it is known which others count.

    Made for one check; `answerer` makes the one for a server, which asks one side only.
    """

    def __init__(
        self, paths: Mapping[ServerChoice, Sequence[str]],
        answerer: Callable[[ServerChoice, Progress], Answerer],
    ) -> None:  # fmt: skip
        self._paths = paths
        self._answerer = answerer
        self._progress: Progress | None = None
        self._last: tuple[str, int, int] | None = None
        self._ended = {choice: asyncio.Event() for choice in paths}
        self._answers: dict[ServerChoice, tuple[Mapping[str, Answer], ServerSpec | None]] = {}
        self._idle = set(paths)
        self._all_asked = asyncio.Event()

    async def all_asked(self) -> None:
        """Wait until every server is at work, while that takes no longer than it should.

        What is read meanwhile would hold up what they are told, and need not be there sooner.
        """
        if self._idle:
            deadline = asyncio.get_running_loop().time() + _ASKED_WITHIN_S
            with contextlib.suppress(asyncio.TimeoutError):
                await ended_by(self._all_asked.wait(), deadline)

    async def run(self) -> None:
        """Ask all servers at once."""
        await all_of([self._ask(choice, paths) for choice, paths in self._paths.items()])

    def tell(self, progress: Progress) -> None:
        """From now on tell how far it is, beginning with what was to be told last.

        Before it is known whom a check asks, nothing is told.
        """
        self._progress = progress
        if self._last is not None:
            progress(*self._last)

    async def answers(self, choice: ServerChoice) -> tuple[Mapping[str, Answer], ServerSpec | None]:
        """What one server has proven, once it is through, and by which process."""
        if choice not in self._ended:
            return {}, None
        await self._ended[choice].wait()
        return self._answers.get(choice, ({}, None))

    async def _ask(self, choice: ServerChoice, paths: Sequence[str]) -> None:
        def asking() -> None:
            self._idle.discard(choice)
            if not self._idle:
                self._all_asked.set()

        answerer = self._answerer(choice, self._tell)
        answerer.asking = asking
        try:
            self._answers[choice] = await answerer.ask_ahead(paths), answerer.ahead_by
        finally:
            asking()
            self._ended[choice].set()

    def _tell(self, message: str, done: int, total: int) -> None:
        self._last = (message, done, total)
        if self._progress is not None:
            self._progress(message, done, total)


async def _untold() -> None:
    """A head start has one wave."""


@dataclass
class _Side:
    """One snapshot of the two, how the server is shown it, and what is known about it."""

    snapshot: Snapshot
    sight: Sight

    def __post_init__(self) -> None:
        self.blind = self.sight.blind
        self.known: dict[str, Answer] = {}
        self.missing: list[str] = []
        spec = self.sight.spec
        self.configured = "" if spec is None else spec.configured
        self.errors: frozenset[str] | Reason | None = None


@frozen
class _Turn:
    """What a server is asked about one side, in one go."""

    side: _Side
    paths: Sequence[str]
    is_far: bool


def _turns(right: _Side, left: _Side, far: Collection[str]) -> list[_Turn]:
    """The turns that are needed; `far` files come last, beginning with the side that was last."""
    turns: list[_Turn] = []
    for side in (right, left):
        paths = [path for path in side.missing if path not in far]
        if paths:
            turns.append(_Turn(side, paths, is_far=False))
    last = turns[-1].side if turns else right
    for side in (last, right if last is left else left):
        paths = [path for path in side.missing if path in far]
        if paths:
            turns.append(_Turn(side, paths, is_far=True))
    return turns
