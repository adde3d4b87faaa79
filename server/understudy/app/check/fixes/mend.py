"""Mending: round by round, the servers' fixes for what the edits introduce are tried and kept."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from understudy.app.check.check import check
from understudy.app.check.fixes.offers import (
    QUICK,
    UNUSED,
    WHOLE_FILE,
    Offer,
    Offered,
    OfferQuestion,
    offers,
)
from understudy.app.check.fixes.together import without_meeting
from understudy.app.check.fixes.trial import Start, Tester, Trial, unproven_pairs
from understudy.shadow.base import Base
from understudy.shadow.branch import Branch
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.findings import Finding
from understudy.values.lines import line_texts
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.checked import (
    Checked,
    Explanation,
    FixAccount,
    MendingEnd,
    SnapshotSource,
)
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions, FixWish, time_limit
from understudy.workspace.progress import Audience
from understudy.workspace.session import Session

_MOST_ROUNDS = 60
_MOST_MOVES = 5
_DEEPEST = 3
"""How many fixes may follow one another to mend what the one before has brought."""
_LAST_PART = 0.25
"""The part of the time that is kept for judging what was mended."""

_SORTS = re.compile(r"\bimports?\b.*\b(?:un)?sorted\b|\border of imports\b", re.IGNORECASE)
"""What is unused goes before imports are sorted: sorting lays them out in groups."""
_MEANT = "what is unused may be what an error of this file misses; it stays until that is mended"
_WENT = "the finding went with another fix"

_Key = tuple[str, str, str | None, str, str]
"""What a finding is known by in another round: its place may have moved."""


@dataclass
class Mender:
    """Mends the edits of one branch of `book`, for one question.

    `kept` is the branch as it is now: each fix that is kept makes it another one. `renamed` is a
    side that knows of renames which no branch has.
    """

    session: Session
    book: BranchBook
    kept: Branch
    before: SnapshotSource
    renamed: SnapshotSource
    options: CheckOptions
    wish: FixWish
    live_base: LiveBase
    owner: str
    audience: Audience
    rounds: int = 0
    ended: MendingEnd = "done"

    def __post_init__(self) -> None:
        limit = time_limit(self.options.timeout_s, self.session.settings.timeout_s)
        self._until = time.monotonic() + limit
        self._last_start = self._until - _LAST_PART * limit
        self._tried: Counter[_Key] = Counter()
        self._whole_files: set[tuple[str, str]] = set()
        self._gained = False
        self._moves = 0
        self._helped: list[FixAccount] = []
        self._left: dict[tuple[_Key, str], FixAccount] = {}
        self._origin = self.kept

    async def mend(self) -> Checked:
        """The check of the edits with all fixes that were kept; raises as `check` does."""
        checked = await self.check()
        while True:
            ended = self._end(checked)
            if ended is not None:
                self.ended = ended
                return checked
            self.rounds += 1
            try:
                gained = await self._round(checked)
            except Moved:  # the user goes on: what servers said is about another text
                self._moves += 1
                gained = True
            if gained:
                checked = await self.check()

    def _end(self, checked: Checked) -> MendingEnd | None:
        """Why nothing more is tried, if so; begins anew where that was wished and can gain."""
        if time.monotonic() >= self._last_start:
            return "time"
        if self.rounds >= _MOST_ROUNDS or self._moves > _MOST_MOVES:
            return "limit"
        wished = self._wished(checked)
        if self._untried(wished, checked.after) or self._untried_files(wished):
            return None
        if checked.report.verdict == "clean" or not self.wish.until_clean or not wished:
            return "clean" if checked.report.verdict == "clean" else "done"
        if not self._gained:
            return "no-gain"
        self._tried.clear()
        self._whole_files.clear()
        self._gained = False
        return None

    async def _round(self, checked: Checked) -> bool:
        """Try the next findings' fixes; whether the edits are others now."""
        wished = self._wished(checked)
        start = self._start(checked, wished)
        untried = self._untried(wished, checked.after)
        broken = {one.path for one in checked.report.introduced if _is_other_error(one)}
        if untried:
            others = [one for one in untried if not UNUSED.search(one.message)]
            unused = [one for one in untried if one not in others and one.path not in broken]
            first = [one for one in others if not _SORTS.search(one.message)] or unused or others
            if not first:
                for one in untried:
                    self._tried[_key(one, start.seen)] += 1
                    self._note(start, Offer(one, "", ()), _MEANT)
                return False
            found = await self._offers(checked.after, first, QUICK)
            return await self._try_quick(start, [found[one] for one in first if one in found])
        files = self._untried_files(wished)
        self._whole_files |= {file for file in files if file[1] in broken}
        left = [one for one in wished if (one.server, one.path) in files - self._whole_files]
        found = await self._offers(checked.after, left, WHOLE_FILE)
        for one in found.values():
            self._whole_files.add((one.finding.server, one.finding.path))
            if await self._try_each(start, one):
                return True
        self._whole_files |= files
        return False

    async def _try_quick(self, start: Start, found: Sequence[Offered]) -> bool:
        """Those that leave no choice together, then the others one by one."""
        sure = [one.offers[0] for one in found if len(one.offers) == 1]
        chosen, _ = without_meeting(sure)
        for one in found:
            if not one.offers:
                self._tried[_key(one.finding, start.seen)] += 1
                for title, why in one.refused:
                    self._note(start, Offer(one.finding, title, ()), why)
        for offer in chosen:
            self._tried[_key(offer.finding, start.seen)] += 1
        if await self._keep_what_helps(start, chosen):
            return True
        open_ones = [one for one in found if len(one.offers) > 1]
        for one in open_ones:
            self._tried[_key(one.finding, start.seen)] += 1
            if await self._try_each(start, one):
                return True
        return False

    async def _keep_what_helps(self, start: Start, chosen: Sequence[Offer]) -> bool:
        """Keep fixes together, else each half by itself; whether any was kept."""
        if not chosen:
            return False
        trial = await self._trial(start, chosen)
        if len(chosen) == 1:
            trial = await self._followed(start, trial)
        elif trial.why is not None:
            await self._drop(trial)
            half = len(chosen) // 2
            if await self._keep_what_helps(start, chosen[:half]):
                for offer in chosen[half:]:  # they come again, for the text as it is then
                    self._tried[_key(offer.finding, start.seen)] -= 1
                return True
            return await self._keep_what_helps(start, chosen[half:])
        return await self._settle(start, chosen, trial)

    async def _try_each(self, start: Start, found: Offered) -> bool:
        """Fixes of which at most one can be meant: kept is the only one that helps.

        Of a whole file's fixes, which differ in how much they do, it is the first one.
        """
        helping: list[tuple[Offer, Trial]] = []
        for offer in found.offers:
            trial = await self._followed(start, await self._trial(start, [offer]))
            if trial.branch is None or trial.why is not None:
                await self._drop(trial)
                self._note(start, offer, trial.why)
                continue
            helping.append((offer, trial))
            if offer.is_whole_file:
                break
        if len(helping) == 1:
            return await self._settle(start, [helping[0][0]], helping[0][1])
        for offer, trial in helping:
            await self._drop(trial)
            why = f"{len(helping)} fixes would help, and nobody knows which one is meant"
            self._note(start, offer, why)
        return False

    async def _followed(self, start: Start, trial: Trial) -> Trial:
        """Mend what a fix has brought, and what that brings, until nothing new is left."""
        for _ in range(_DEEPEST):
            if trial.branch is None or not trial.brought:
                return trial
            seen = await self.book.snapshot(trial.branch.id, start.seen.base)
            found = await self._offers(seen, trial.brought, QUICK)
            sure = [one.offers[0] for one in found.values() if len(one.offers) == 1]
            chosen, _ = without_meeting(sure)
            if not chosen or time.monotonic() >= self._last_start:
                return trial
            following = await self._trial(start, chosen, trial)
            if following.branch is None:
                return trial
            await self._drop(trial)
            trial = following
        return trial

    async def _settle(self, start: Start, chosen: Sequence[Offer], trial: Trial) -> bool:
        """Take the trial's branch for the edits, or leave it; whether it was taken."""
        for offer in chosen if trial.why is not None else trial.offers:
            self._note(start, offer, trial.why)
        if trial.branch is None or trial.why is not None:
            await self._drop(trial)
            return False
        if self.kept is not self._origin:  # which is the caller's
            await self.book.discard(self.kept.id)
        self.kept = trial.branch
        self._gained = True
        return True

    async def _drop(self, trial: Trial) -> None:
        if trial.branch is not None:
            await self.book.discard(trial.branch.id)

    async def _trial(
        self, start: Start, chosen: Sequence[Offer], after: Trial | None = None
    ) -> Trial:
        self.audience.progress(f"trying {len(chosen)} fixes", self.rounds, 0)
        left = self._until - time.monotonic()
        if time.monotonic() >= self._last_start:
            return Trial(None, "there was no time left to try it")
        return await self._tester().tried(start, chosen, left, after)

    def _tester(self) -> Tester:
        return Tester(self.session, self.book, self.live_base, self.options, self.owner)

    async def explained(self, checked: Checked) -> tuple[Explanation, ...]:
        """What servers know of the findings of the last check."""
        from understudy.app.check.fixes.explain import Explainer  # noqa: PLC0415 - few ask for it

        start = self._start(checked, checked.report.introduced)
        left = Explainer(self.session, checked, start, self._tester(), self._until)
        return await left.explained()

    def _start(self, checked: Checked, wished: Iterable[Finding]) -> Start:
        unproven = unproven_pairs(checked.report.files)
        return Start(self.kept, checked.after, frozenset(wished), unproven)

    async def check(self) -> Checked:
        """The check of the edits as they are now; raises as `check` does."""
        left = max(self._until - time.monotonic(), 0.001)
        return await check(
            self.session,
            self.before,
            self._after,
            replace(self.options, timeout_s=left),
            owner=self.owner,
            progress=self.audience.progress,
            first=self.audience.first,
            live_base=self.live_base,
        )

    async def _after(self, base: Base) -> Snapshot:
        snapshot = await self.book.snapshot(self.kept.id, base)
        origins = (await self.renamed(base)).origins
        return replace(snapshot, origins={**origins, **snapshot.origins})

    async def _offers(
        self, seen: Snapshot, findings: Sequence[Finding], kinds: Sequence[str]
    ) -> dict[Finding, Offered]:
        question = OfferQuestion(self.session, seen, self.wish, self.owner, self._last_start)
        return await offers(question, findings, kinds)

    def _wished(self, checked: Checked) -> list[Finding]:
        codes = self.wish.codes
        return [one for one in checked.report.introduced if not codes or one.code in codes]

    def _untried(self, wished: Sequence[Finding], seen: Snapshot) -> list[Finding]:
        """Those that no fix was tried for; of findings that read alike, as many as were tried."""
        passed: Counter[_Key] = Counter()
        left: list[Finding] = []
        for one in wished:
            key = _key(one, seen)
            if passed[key] < self._tried[key]:
                passed[key] += 1
            else:
                left.append(one)
        return left

    def _untried_files(self, wished: Sequence[Finding]) -> set[tuple[str, str]]:
        return {(one.server, one.path) for one in wished} - self._whole_files

    def _note(self, start: Start, offer: Offer, why: str | None) -> None:
        """Write down what became of a fix; what came of it in earlier rounds counts no more."""
        account = FixAccount(offer.finding, start.seen, offer.title, why is None, why)
        place = (_key(offer.finding, start.seen), offer.title)
        if why is None:
            self._helped.append(account)
            self._left.pop(place, None)
        else:
            self._left[place] = account

    def told(self, checked: Checked) -> tuple[tuple[FixAccount, ...], int]:
        """The accounts, kept ones first, and how many wished findings are left without any."""
        keys = [_key(one, checked.after) for one in self._wished(checked)]
        left = [
            one if key in keys else replace(one, why=_WENT) for (key, _), one in self._left.items()
        ]
        known = {key for key, _ in self._left}
        return (*self._helped, *left), sum(key not in known for key in keys)


def _is_other_error(finding: Finding) -> bool:
    return finding.severity == "error" and not UNUSED.search(finding.message)


def _key(finding: Finding, seen: Snapshot) -> _Key:
    try:
        text = seen.read(finding.path)
    except BadInput:
        text = None
    lines = [] if text is None else line_texts(text.content)
    line = finding.range.start.line
    source = lines[line].strip() if line < len(lines) else ""
    return finding.path, finding.server, finding.code, finding.message, source
