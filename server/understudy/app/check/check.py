"""The verb `check`: compare two snapshots on real language servers and give a verdict.

scan -> snapshots -> blast radius, while the edited files are asked about -> answers of every server
     (after, then before) -> judgement -> scan again; what moved is judged again, twice at most
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from understudy.app.check.answers import Answerer, HeadStart
from understudy.app.check.blast_radius import Radius, changed_paths, line_maps
from understudy.app.check.drilled import doubt_now
from understudy.app.check.hidden import HiddenTeller
from understudy.app.check.plan import (
    CheckAsking,
    Plan,
    fill_plan,
    not_asked,
    plan_deadline,
    plan_the_edited_alone,
)
from understudy.app.check.reasons import ReasonTeller
from understudy.app.check.silenced import Silencings, added_silencings
from understudy.app.check.unproven import (
    mark_closed,
    mark_moved,
    mark_onlookers,
    mark_unjudged,
    mark_unproven,
)
from understudy.app.check.waves import FirstAnswers, late, unheard
from understudy.dependents.onlookers import kind_of
from understudy.findings.judgement import Difference, Judged, LineMaps, judge
from understudy.langserver.waiting import all_of, ended_by
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.silencing import Silencing
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.verdicts import CheckReport
from understudy.workspace.branches.checked import Checked, SnapshotSource
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import REPEATS, CheckOptions, refuse_unknown_servers, time_limit
from understudy.workspace.progress import Progress, TellFirst, silent, unawaited
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session

if TYPE_CHECKING:
    from understudy.app.check.command_answers import CommandAnswerer


@frozen
class _Outcome:
    """One attempt's answer, and the files in scope that moved while it was found."""

    plan: Plan
    difference: Difference
    moved: frozenset[str]
    base_moved: bool
    silenced: tuple[Silencing, ...] = ()


async def check(
    session: Session,
    before: SnapshotSource,
    after: SnapshotSource,
    options: CheckOptions,
    *,
    owner: str = "check",
    progress: Progress = silent,
    first: TellFirst = unawaited,
    live_base: LiveBase | None = None,
) -> Checked:
    """Judge the difference between two snapshots; an answer by the time limit at the latest.

    `owner` names who asks, for the fair queue; `live_base` is what both sides are over (None: the
    base of this process' own connection). `first` hears of the files nearest to the edit while the
    others are asked, perhaps several times. Raises BadInput for unusable options or texts.
    """
    started = time.monotonic()
    refuse_unknown_servers(session.servers, options)
    deadline = started + time_limit(options.timeout_s, session.settings.timeout_s)
    severity = options.severity or session.settings.severity
    asking = CheckAsking(
        session, live_base or session.bases.own, before, after,
        options, severity, owner, deadline, progress, first,
    )  # fmt: skip
    outcome = await _attempt(asking)
    base_moved = outcome.base_moved
    for _ in range(REPEATS):
        if not outcome.moved or time.monotonic() >= deadline:
            break
        outcome = await _attempt(asking)
    plan, difference = outcome.plan, outcome.difference
    mark_moved(difference, outcome.moved)
    mark_closed(difference, plan.before.closed)
    judged = {file.path for file in difference.files}  # a checker may speak of its configuration
    unjudged = [path for path in plan.unjudged if path not in judged]
    if options.strict or (unjudged and not difference.files):
        mark_unjudged(difference, unjudged, options.servers)
    mark_onlookers(difference, plan.onlookers.unknown)
    mark_unproven(difference, plan.after, plan.radius.changed, unjudged)
    report = CheckReport(
        verdict=difference.verdict,
        stamp=await _stamp(session, plan),
        base_moved=base_moved or outcome.base_moved,
        introduced=tuple(difference.introduced),
        fixed=tuple(difference.fixed),
        hidden=tuple(difference.hidden),
        unattributed=tuple(difference.unattributed),
        remaining=difference.remaining,
        passed_over=plan.onlookers.passed_over,
        out_of_reach=len(plan.out_of_reach),
        unjudged=(*unjudged, *session.unreadable),
        files=tuple(difference.files),
        elapsed_ms=(time.monotonic() - started) * 1000,
        silenced=outcome.silenced,
        late=late(difference.files, plan.radius),
        affected_files=plan.n_affected,
        not_asked=not_asked(session, plan.radius, plan.choices, options.servers),
    )
    return Checked(report, plan.before, plan.after, severity, tuple(plan.answers), plan.refuted)


async def _attempt(asking: CheckAsking) -> _Outcome:
    """Judge once, over the base as it is now, and see what moved meanwhile."""
    session = asking.session
    base = await asking.base.fresh()
    refuted = session.refuted
    plan = Plan(Snapshot(base), Snapshot(base), refuted=refuted)
    try:
        async with session.planning:
            left, right = await asking.before(base), await asking.after(base)
        plan = Plan(left, right, unjudged=sorted(left.unread | right.unread), refuted=refuted)
        with session.watching_servers(asking.progress):
            silencings = await _plan_and_ask(asking, plan)
        await asyncio.sleep(0)  # the rest takes milliseconds: let the user's typing in
        maps = await _maps(session, plan)
        difference = judge(plan.answers, maps, asking.severity)
        silenced = _without_silenced(difference, silencings, plan, maps)
        teller = HiddenTeller(session, plan.before, plan.after, plan.radius, plan.answers, maps)
        await teller.tell(difference)
        now = await asking.base.fresh()
        moved = await _moved_in_scope(session, plan, base, now)
    except Moved as signal:  # a file changed on disk between the scan and its first read
        unread = frozenset((signal.path, *plan.choices))
        return _Outcome(plan, Difference(), unread, base_moved=True)
    base_moved = now.generation != base.generation
    return _Outcome(plan, difference, moved, base_moved, silenced)


async def _maps(session: Session, plan: Plan) -> LineMaps:
    if plan.maps is None:
        plan.maps = await line_maps(session.workers, plan.before, plan.after, plan.radius)
    return plan.maps


def _without_silenced(
    difference: Difference, silencings: Silencings, plan: Plan, maps: LineMaps
) -> tuple[Silencing, ...]:
    """What the edit silences; the findings that went with it are fixed no more."""
    chosen = (choice for choices in plan.choices.values() for choice in choices)
    types = {choice.name for choice in chosen if choice.profile.group == "types"}
    rows, left = silencings.told(difference.fixed, maps, types)
    difference.fixed[:] = left
    return rows


async def _plan_and_ask(asking: CheckAsking, plan: Plan) -> Silencings:
    """Make the plan, ask the servers by it; what the edit silences is read meanwhile."""
    head_start = _head_start(asking, plan)
    found: list[Silencings] = []

    async def ask() -> None:
        await head_start.all_asked()
        try:
            await ended_by(fill_plan(asking, plan), plan_deadline(asking.deadline))
        except asyncio.TimeoutError:
            await plan_the_edited_alone(asking, plan)
        await all_of([_ask(asking, plan, head_start), look()])

    async def look() -> None:
        sides = plan.before, plan.after
        found.append(await added_silencings(asking.session.workers, *sides, plan.radius))

    await all_of([head_start.run(), ask()])
    return found[0]


def _head_start(asking: CheckAsking, plan: Plan) -> HeadStart:
    """Who is asked about the edited files in any case; that scope alone has its plan at once."""
    session, options = asking.session, asking.options
    radius = Radius(changed_paths(plan.before, plan.after), {}, {})
    asked: dict[ServerChoice, list[str]] = {}
    scope = options.scope or session.settings.scope
    for path in () if scope == "edited" else radius.ordered()[: session.settings.max_files]:
        for choice in session.servers.choose(path, options.servers):
            if plan.after.exists(path) and not choice.is_command and choice.reason is None:
                asked.setdefault(choice, []).append(path)

    def answerer(choice: ServerChoice, progress: Progress) -> Answerer:
        return Answerer(
            session, choice, plan.before, plan.after, radius,
            asking.owner, asking.deadline, progress, unheard,
        )  # fmt: skip

    return HeadStart(asked, answerer)


async def _ask(asking: CheckAsking, plan: Plan, head_start: HeadStart) -> None:
    """Ask every chosen server about its files, all servers at once."""
    by_choice: dict[ServerChoice, list[str]] = {}
    for path, choices in plan.choices.items():
        for choice in choices:
            by_choice.setdefault(choice, []).append(path)
    limit = asking.session.settings.max_files
    n_asked = sum(min(len(paths), limit) for paths in by_choice.values())
    first = FirstAnswers(
        plan.after, lambda: _maps(asking.session, plan), asking.severity,
        n_asked, asking.progress, asking.first,
    )  # fmt: skip
    answerers = {choice: _answerer(asking, plan, choice, first) for choice in by_choice}

    async def judged_by(choice: ServerChoice, paths: Sequence[str]) -> list[Judged]:
        answerer = answerers[choice]
        if isinstance(answerer, Answerer):
            answerer.ahead, answerer.ahead_by = await head_start.answers(choice)
        return await answerer.ask(paths)

    if by_choice:  # of what is answered by now nothing else may be told
        asking.progress("asking " + ", ".join(sorted(one.name for one in by_choice)), 0, n_asked)
        head_start.tell(asking.progress)
    asked = [judged_by(choice, paths) for choice, paths in by_choice.items()]
    answered = await all_of(asked)
    plan.refuted = asking.session.refuted  # before the doubts are read, which may be newer
    for choice, judged in zip(answerers, answered, strict=True):
        doubt = doubt_now(asking.session, choice)
        led_to = {one.path: (choice,) for one in judged if one.path not in plan.choices}
        plan.choices = {**plan.choices, **led_to}  # by a new error
        weighed = (one.doubted(doubt) for one in judged) if doubt is not None else judged
        plan.answers.extend(map(_teller(asking, plan, choice).told, weighed))
    for choice, answerer in answerers.items():
        plan.out_of_reach |= answerer.out_of_reach
        if isinstance(answerer, Answerer):
            plan.asked_as[choice] = answerer.specs


def _teller(asking: CheckAsking, plan: Plan, choice: ServerChoice) -> ReasonTeller:
    sides = (plan.after, plan.before)
    return ReasonTeller(asking.session.root.path, choice.profile.remedies, sides)


def _answerer(
    asking: CheckAsking, plan: Plan, choice: ServerChoice, first: FirstAnswers
) -> Answerer | CommandAnswerer:
    if choice.is_command:
        from understudy.app.check.command_answers import CommandAnswerer  # noqa: PLC0415 - needs a stage

        scope = asking.options.scope or asking.session.settings.scope
        return CommandAnswerer(
            asking.session, choice, plan.before, plan.after, plan.radius,
            asking.deadline, asking.progress, whole_project=scope != "edited",
        )  # fmt: skip
    return Answerer(
        asking.session, choice, plan.before, plan.after, plan.radius,
        asking.owner, asking.deadline, asking.progress, first.hear,
    )  # fmt: skip


async def _moved_in_scope(session: Session, plan: Plan, base: Base, now: Base) -> frozenset[str]:
    """Files in scope whose answer may not hold for what the user has by now.

    A buffer matters to its own file only: servers saw the pinned text of all others. A file that
    changed on disk may have been read by a server in the midst of the check, so its dependents
    count too, and so do all files of a server whose configuration or environment changed. An
    onlooker may name something else by now.
    """
    reconfigured = await _reconfigured(session, plan)
    if now.generation == base.generation:
        return reconfigured
    on_disk = now.folder.moved_since(base.folder.files)
    typed = {
        now.folder.links.real(path)
        for path in base.buffers.keys() | now.buffers.keys()
        if _digest(base, path) != _digest(now, path)
    }
    reached = await session.bindings.dependents_of([plan.before, plan.after], on_disk)
    if now.folder.environment != base.folder.environment:
        reached |= plan.choices.keys()
    governed = {
        path
        for path, choices in plan.choices.items()
        if any(choice.is_moved_by(moved) for choice in choices for moved in on_disk)
    }
    watched = {path for path in on_disk | typed if kind_of(path) is not None}
    return (on_disk | typed | reached | governed) & plan.choices.keys() | watched | reconfigured


async def _reconfigured(session: Session, plan: Plan) -> frozenset[str]:
    """Files of those servers of which something has moved that their configuration takes."""
    moved: set[ServerChoice] = set()
    for choice, specs in plan.asked_as.items():
        for spec, side in zip(specs, (plan.after, plan.before), strict=False):
            if spec is not None and await session.taken_files.fitted(spec, side) != spec:
                moved.add(choice)
    return frozenset(path for path, chosen in plan.choices.items() if moved.intersection(chosen))


def _digest(base: Base, path: str) -> str | None:
    buffer = base.buffers.get(path)
    return None if buffer is None else buffer.text.digest


async def _stamp(session: Session, plan: Plan) -> Stamp:
    """Hash of the texts judged on both sides, and of each server, its version and configuration."""
    choices = sorted({c for cs in plan.choices.values() for c in cs}, key=lambda c: c.name)
    parts: list[str | None] = []
    for snapshot in (plan.before, plan.after):
        for path in sorted({*plan.choices, *plan.radius.changed, *plan.onlookers.unknown}):
            parts += [path, _digest_or_refusal(snapshot, path)]
        for path in session.configuration_files.of(snapshot):
            if any(choice.reads_as_configuration(path) for choice in choices):
                parts += [path, _digest_or_refusal(snapshot, path)]
        for choice in choices:
            parts += await _taken(session, choice, snapshot)
    for choice in choices:
        parts += [choice.name, choice.stamp]
    return stamp_of(parts)


async def _taken(session: Session, choice: ServerChoice, snapshot: Snapshot) -> list[str | None]:
    """The files that are there and that the server's configuration takes, with their digests."""
    try:
        taken = await session.taken_files.of(choice.profile, snapshot)
    except Moved as signal:
        return [signal.path]
    parts: list[str | None] = [taken.others]
    for path in sorted(path for path in taken.marks if snapshot.exists(path)):
        parts += [path, _digest_or_refusal(snapshot, path)]
    return parts


def _digest_or_refusal(snapshot: Snapshot, path: str) -> str | None:
    """The text's digest; for what is no text (too large, binary), why: it was judged unknown."""
    try:
        return snapshot.digest(path)
    except BadInput as error:
        return error.code
    except Moved:  # changed since the last scan: that scan's fingerprint is what was judged
        return repr(snapshot.base.folder.files.get(path))
