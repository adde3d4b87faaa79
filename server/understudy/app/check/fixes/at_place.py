"""What servers would do at a place of a branch, each tried on a copy before it is told."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from understudy.app.check.asked import CheckQuestion, answer
from understudy.app.check.fixes.kinds import PlaceKind
from understudy.app.check.fixes.offers import QUICK, Offer, OfferQuestion, offers
from understudy.app.check.fixes.trial import Start, Tester, Trial, unproven_pairs
from understudy.langserver.waiting import all_of
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure, Refused
from understudy.values.findings import Finding
from understudy.values.frozen import frozen
from understudy.values.positions import Position, Range
from understudy.values.stamps import Stamp
from understudy.workspace.branches.checked import Checked
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions, FixWish, time_limit
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.sight.code_actions import FileActions, code_actions

_MOST, _FORMAT = 6, "Format the file"
_Titled = tuple[str, tuple[Mapping[str, Any], ...]]


@frozen
class PlaceFix:
    """An offer with its edits (LSP workspace edits); `why` speaks against it, None: verified."""

    title: str
    server: str
    why: str | None
    edits: tuple[Mapping[str, Any], ...]


async def fixes_at(
    session: Session,
    branch_id: str,
    path: str,
    kind: PlaceKind,
    line: int | None,
    live_base: LiveBase,
    timeout_s: float | None = None,
) -> tuple[Stamp, tuple[PlaceFix, ...]]:
    """What is offered for the findings of a line that a branch brings, or for the whole file.

    The branch stays as it is; the stamp is the one that the edits are for. What there is no time to
    try is told as not verified. Raises as `answer` does.
    """
    until = time.monotonic() + time_limit(timeout_s, session.settings.timeout_s)
    branch = await session.branches.get(branch_id)
    checked = await _checked(session, branch_id, live_base, timeout_s)
    report, book, owner = checked.report, session.unlisted, branch_id
    wanted = [
        one
        for one in (*report.introduced, *report.unattributed)
        if one.path == path and (line is None or one.range.start.line <= line <= one.range.end.line)
    ]
    origin = await book.copy(branch, "check")
    try:
        seen = await book.snapshot(origin.id, checked.after.base)
        if kind == "quickfix":
            question = OfferQuestion(session, seen, FixWish(unsafe=True), owner, until)
            found = await offers(question, wanted, QUICK)
            offered = [offer for one in found.values() for offer in one.offers]
        else:
            offered = await _of_file(session, seen, path, kind, owner, until)
        tester = Tester(session, book, live_base, CheckOptions(), owner)
        start = Start(origin, seen, frozenset(wanted), unproven_pairs(report.files))
        told = [
            PlaceFix(
                offer.title,
                offer.finding.server,
                await _tried(tester, start, offer, until, is_for_finding=kind == "quickfix"),
                offer.edits,
            )
            for offer in offered[:_MOST]
        ]
    finally:
        await book.discard(origin.id)
    return branch.stamp, tuple(told)


async def _checked(
    session: Session, branch_id: str, live_base: LiveBase, timeout_s: float | None
) -> Checked:
    """The verdict of now: the kept one, else a new one."""
    branch = await session.branches.get(branch_id)
    for whole in (True, False):
        kept = session.verdicts.of(branch_id, live_base, whole=whole)
        if kept is not None and kept.is_of_now(branch):
            return kept.checked
    question = CheckQuestion(branch_id, options=CheckOptions(timeout_s=timeout_s))
    return (await answer(session, question, live_base)).checked


async def _tried(
    tester: Tester, start: Start, offer: Offer, until: float, *, is_for_finding: bool
) -> str | None:
    """What speaks against an offer; one for no finding has only to harm nothing."""
    left = until - time.monotonic()
    if left <= 0:
        return "there was no time to try it"
    after = None if is_for_finding else Trial(start.branch)
    trial = await tester.tried(start, [offer], left, after)
    if trial.branch is not None:
        await tester.book.discard(trial.branch.id)
    return trial.why


async def _of_file(
    session: Session, seen: Snapshot, path: str, kind: PlaceKind, owner: str, until: float
) -> list[Offer]:
    """What each server of a file would make of the whole of it; one that fails offers nothing."""
    found: list[Offer] = []

    async def ask(choice: ServerChoice) -> None:
        at = Range(Position(0, 0), Position(0, 0))
        with suppress(OutsideFailure, Refused):  # what it does not say is not told
            async with code_actions(session, seen, choice, owner=owner, deadline=until) as server:
                file = await server.about(path)
                is_format = kind == "format"
                offered = [(_FORMAT, await file.formatted())] if is_format else await _sorted(file)
            for title, edits in (one for one in offered if one[1]):
                whole = Finding(path, at, "hint", None, None, title, choice.name)
                found.append(Offer(whole, title, edits))

    chosen = session.servers.choose(path)
    await all_of([ask(one) for one in chosen if not one.is_command and one.spec is not None])
    return sorted(found, key=lambda offer: offer.finding.server)


async def _sorted(file: FileActions) -> list[_Titled]:
    return [(one.title, await file.edits_of(one)) for one in await file.organizing()]
