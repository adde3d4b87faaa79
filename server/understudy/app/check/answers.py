"""One server's answers about both snapshots: what is known, what cannot be asked, what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from understudy.app.check.blast_radius import Radius
from understudy.app.check.sight import Sight, sights
from understudy.findings.judgement import Judged
from understudy.langserver.lease import Lease
from understudy.langserver.spec import ServerSpec
from understudy.langserver.waiting import all_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Answer, Reason
from understudy.workspace.progress import Progress
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session


@dataclass
class Answerer:
    """Asks one server; made for one check."""

    session: Session
    choice: ServerChoice
    before: Snapshot
    after: Snapshot
    radius: Radius
    owner: str
    deadline: float
    progress: Progress
    out_of_reach: frozenset[str] = frozenset()
    """What a server is asked about is always what the edits reach."""
    is_about_configuration: bool = field(init=False, default=False)
    """Both sides have processes of their own, as one starts with other configuration."""

    async def ask(self, paths: Sequence[str]) -> list[Judged]:
        """The server's answers about `paths` (nearest first) on both sides."""
        limit = self.session.settings.max_files
        text = f"more than {limit} files are in scope (setting max_files)"
        skipped = Reason("skipped", text)
        asked, left_out = paths[:limit], paths[limit:]
        after = {path: path for path in asked if self.after.exists(path)}
        before = {path: self.radius.path_before(path) for path in asked}
        before = {path: old for path, old in before.items() if self.before.exists(old)}
        sides = (self.after, self.before)
        to_after, to_before = await sights(self.session, self.choice, sides)
        self.is_about_configuration = to_after.spec != to_before.spec
        right = self._prepare(_Side(self.after, to_after), after.values())
        await asyncio.sleep(0)  # preparing takes milliseconds: let the user's typing in
        left = self._prepare(_Side(self.before, to_before), before.values())
        await self._fill(right, left)
        self._doubt(right, left)
        judged = [
            Judged(
                path,
                self._known(left, before[path]) if path in before else None,
                self._side_after(right, path, exists=path in after),
            )
            for path in asked
        ]
        # Without a text on either side there is nothing to say, however much is unknown.
        judged = [one for one in judged if one.before is not None or one.after is not None]
        return judged + [Judged(path, None, self._unknown(path, skipped)) for path in left_out]

    def _prepare(self, side: _Side, paths: Iterable[str]) -> _Side:
        """Sort a side's paths into those that are known and those to ask the server about."""
        everything = side.blind.get("*")
        for path in paths:
            reason = self.choice.reason or everything or side.blind.get(path)
            cached = self._cached(side, path)
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
            side.errors = answers.errors(self.choice, side.snapshot)
            if side.errors is None:
                return None
        return answers.get(self.choice, side.snapshot, path, staged=side.sight.staged)

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

    async def _fill(self, right: _Side, left: _Side) -> None:
        """Ask for what is missing; of one process under one lease, after first: it matters most."""
        leases: dict[ServerSpec, list[_Side]] = {}
        for side in (right, left):
            if side.missing:
                # Without a server, `choice.reason` has answered everything.
                assert side.sight.spec is not None
                leases.setdefault(side.sight.spec, []).append(side)
        await all_of([self._ask(spec, sides) for spec, sides in leases.items()])

    async def _ask(self, spec: ServerSpec, sides: Sequence[_Side]) -> None:
        total = sum(len(side.missing) for side in sides)
        self.progress(f"{self.choice.name}: waiting for its turn", 0, total)
        async with self.session.pool.lease(spec, self.owner, self.deadline) as lease:
            done = 0
            for side in sides:
                self.progress(f"{self.choice.name}: {len(side.missing)} files", done, total)
                answers = await lease.judge(side.snapshot, side.missing, self.deadline)
                if self.is_about_configuration:
                    await self._ask_errors(lease, side)
                side.known.update(answers)
                for answer in answers.values():
                    self.session.answers.put(
                        self.choice, side.snapshot, answer, staged=side.sight.staged
                    )
                done += len(side.missing)

    async def _ask_errors(self, lease: Lease, side: _Side) -> None:
        said = await lease.configuration_errors(side.snapshot, side.missing, self.deadline)
        side.errors = said
        if isinstance(said, frozenset):
            self.session.answers.put_errors(self.choice, side.snapshot, said)

    def _known(self, side: _Side, path: str) -> Answer:
        answer = side.known.get(path)
        if answer is not None:
            return answer
        return self._unknown(path, Reason("unproven", "the server gave no answer for it"))

    def _side_after(self, side: _Side, path: str, *, exists: bool) -> Answer | None:
        if exists:
            return self._known(side, path)
        reason = self.choice.reason or side.blind.get("*") or side.blind.get(path)
        return None if reason is None else self._unknown(path, reason)

    def _unknown(self, path: str, reason: Reason) -> Answer:
        return Answer(path, self.choice.name, self.choice.rule, None, reason, 0.0)


@dataclass
class _Side:
    """One snapshot of the two, how the server is shown it, and what is known about it."""

    snapshot: Snapshot
    sight: Sight

    def __post_init__(self) -> None:
        self.blind = self.sight.blind
        self.known: dict[str, Answer] = {}
        self.missing: list[str] = []
        self.errors: frozenset[str] | Reason | None = None
