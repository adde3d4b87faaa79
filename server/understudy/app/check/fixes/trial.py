"""A trial: fixes on a copy of the edits, judged by a check of the difference that they make."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

from understudy.app.check.blast_radius import Radius, changed_paths
from understudy.app.check.check import check
from understudy.app.check.fixes.holes import left_blank
from understudy.app.check.fixes.offers import UNUSED, Offer
from understudy.app.check.fixes.together import as_batch
from understudy.app.check.sides import branch_side
from understudy.app.check.silenced import added_silencings
from understudy.shadow.branch import Branch
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, Conflict
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.lines import line_texts
from understudy.values.verdicts import CheckReport, FileVerdict
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.checked import Checked
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session

NO_GAIN = "the finding would stay"

Pairs = frozenset[tuple[str, str]]
"""Files with servers that had no proof about them."""


@frozen
class Start:
    """Where a trial begins: a branch as it is `seen`.

    `wished` are the findings that are to go, `unproven` what no server has judged before.
    """

    branch: Branch
    seen: Snapshot
    wished: frozenset[Finding]
    unproven: Pairs


@frozen
class Trial:
    """What fixes would come to: the branch that holds them, or why they are not kept.

    `brought` are new findings, where those alone speak against it: it has its branch then, too,
    which is the caller's to discard. `offers` are the fixes in it.
    """

    branch: Branch | None
    why: str | None = None
    offers: tuple[Offer, ...] = ()
    brought: tuple[Finding, ...] = ()


@frozen
class Tester:
    """Tries fixes on copies of branches of `book`."""

    session: Session
    book: BranchBook
    live_base: LiveBase
    options: CheckOptions
    owner: str

    async def tried(
        self, start: Start, offers: Sequence[Offer], timeout_s: float, after: Trial | None = None
    ) -> Trial:
        """Judge what fixes make of the start, which they were offered for; raises as `check` does.

        `after` is a trial that brought findings: the fixes are for those, are laid over it, and
        have to leave nothing of them.
        """
        begin = start.branch if after is None or after.branch is None else after.branch
        laid = (*(() if after is None else after.offers), *offers)
        copy = await self.book.copy(begin, "fix")
        trial = Trial(None)
        try:
            seen = start.seen
            if begin is not start.branch:
                seen = await self.book.snapshot(begin.id, seen.base)
            why = await self._unfit(copy, seen, offers)
            brought: tuple[Finding, ...] = ()
            if why is None:
                checked = await self._judged(start.branch, copy, timeout_s)
                goals = offers if after is None else ()
                why, brought = _against(_without_shown(checked, laid), goals, start)
            if why is None or brought:
                trial = Trial(await self.book.get(copy.id), why, laid, brought)
            else:
                trial = Trial(None, why)
            return trial
        finally:
            if trial.branch is None:
                await self.book.discard(copy.id)

    async def _unfit(self, copy: Branch, seen: Snapshot, offers: Sequence[Offer]) -> str | None:
        """Why fixes cannot be laid over the edits, or only silence."""
        try:
            await self.book.edit(copy.id, as_batch(offers), seen.base)
        except (BadInput, Conflict) as error:
            place = "" if error.where is None else f" ({error.where})"
            return f"{error.code}: {error.text}{place}"
        after = await self.book.snapshot(copy.id, seen.base)
        changed = changed_paths(seen, after)
        if any(UNUSED.search(one.finding.message) for one in offers):
            after = await self._without_holes(copy, seen, after, changed)
        silencings = await added_silencings(
            self.session.workers, seen, after, Radius(changed, {}, {})
        )
        forms = [form for form in silencings.forms if form.how != "unread"]
        return f"it only silences: {forms[0].what}" if forms else None

    async def _without_holes(
        self, copy: Branch, seen: Snapshot, after: Snapshot, changed: Collection[str]
    ) -> Snapshot:
        """The snapshot without blank lines that what was unused has left behind."""
        changes: dict[str, list[dict[str, Any]]] = {}
        for path in sorted(changed):
            blank = left_blank(_lines(seen, path), _lines(after, path))
            if blank:
                changes[self.session.root.uri(path)] = [_removal(*lines) for lines in blank]
        if not changes:
            return after
        edit = {"kind": "workspaceEdit", "edit": {"changes": changes}}
        await self.book.edit(copy.id, [edit], seen.base)
        return await self.book.snapshot(copy.id, seen.base)

    async def _judged(self, shadow: Branch, copy: Branch, timeout_s: float) -> Checked:
        options = replace(self.options, severity="hint", timeout_s=timeout_s, strict=False)
        return await check(
            self.session,
            branch_side(self.book, shadow.id),
            branch_side(self.book, copy.id),
            options,
            owner=self.owner,
            live_base=self.live_base,
        )


def _removal(first: int, end: int) -> dict[str, Any]:
    span = {"start": {"line": first, "character": 0}, "end": {"line": end, "character": 0}}
    return {"range": span, "newText": ""}


def unproven_pairs(files: Sequence[FileVerdict]) -> Pairs:
    """The files and servers of a report that have no verdict."""
    return frozenset(
        (file.path, server.name)
        for file in files
        for server in file.servers
        if server.verdict == "unknown"
    )


def _against(
    report: CheckReport, goals: Sequence[Offer], start: Start
) -> tuple[str | None, tuple[Finding, ...]]:
    """What speaks against keeping fixes, and what new findings, if that is all."""
    if report.silenced:
        return f"it silences: {report.silenced[0].what}", ()
    gone, hidden, brought = _unmoved(report)
    if hidden and not brought:
        return f"it would hide: {hidden[0].message}", ()
    against = None if hidden else _without_gain(gone, goals, start)
    if against is not None:
        return against, ()
    if report.unattributed or not unproven_pairs(report.files) <= start.unproven:
        reasons = [file.reason.text for file in report.files if file.reason is not None]
        return f"what it does is not proven: {min(reasons, default='unknown')}", ()
    if brought:
        first = brought[0]
        place = f"{first.path}:{first.range.start.line + 1}"
        return f"it would bring: {place} {first.message}", tuple(brought)
    return None, ()


def _without_shown(checked: Checked, laid: Sequence[Offer]) -> CheckReport:
    """The report without milder findings that a mended error has kept its server from looking for.

    gopls runs no analyser on a package that does not compile. They stand in lines that are as they
    were; the verdict in the end tells of them.
    """
    servers = {one.finding.server for one in laid if one.finding.severity == "error"}
    report = checked.report

    def is_shown(finding: Finding) -> bool:
        if finding.server not in servers or finding.severity not in ("information", "hint"):
            return False
        line = _lines(checked.after, finding.path)[finding.range.start.line]
        return line in _lines(checked.before, finding.path)

    brought = tuple(one for one in report.introduced if not is_shown(one))
    return replace(report, introduced=brought)


def _lines(snapshot: Snapshot, path: str) -> list[str]:
    text = snapshot.read(path)
    return [""] if text is None else line_texts(text.content)


def _without_gain(gone: Collection[Finding], goals: Sequence[Offer], start: Start) -> str | None:
    for offer in goals:
        if offer.is_whole_file:
            if start.wished.isdisjoint(gone):
                return NO_GAIN
            if not start.wished.issuperset(gone):
                return "it would change more than what was asked for"
        elif offer.finding not in gone:
            return NO_GAIN
    return None


def _unmoved(report: CheckReport) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """What is fixed, hidden and introduced, without what stands in other lines of its file now.

    A finding about several lines is said at the first, which a fix may well remove.
    """
    came = Counter(map(_likeness, report.introduced))
    went = Counter(map(_likeness, (*report.fixed, *(one.finding for one in report.hidden))))
    moved = came & went

    def left(findings: Iterable[Finding]) -> list[Finding]:
        rest = moved.copy()
        kept: list[Finding] = []
        for one in findings:
            key = _likeness(one)
            if rest[key] > 0:
                rest[key] -= 1
            else:
                kept.append(one)
        return kept

    gone = left((*report.fixed, *(one.finding for one in report.hidden)))
    hidden = {one.finding for one in report.hidden}
    return (
        [one for one in gone if one not in hidden],
        [one for one in gone if one in hidden],
        left(report.introduced),
    )


def _likeness(finding: Finding) -> tuple[str, str, str, str | None, str]:
    message = finding.message.partition("\n")[0]
    return finding.path, finding.server, finding.severity, finding.code, message
