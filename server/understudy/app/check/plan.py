"""The plan of a check: the two snapshots, whom the edit reaches, and who is asked what."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from understudy.app.check.blast_radius import Radius, blast_radius, changed_paths
from understudy.app.check.configuration import configured, unproven_reads
from understudy.app.check.onlookers import Onlookers, onlookers
from understudy.findings.judgement import Judged, LineMaps
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Severity
from understudy.values.frozen import frozen
from understudy.values.verdicts import Reason
from understudy.workspace.branches.checked import SnapshotSource
from understudy.workspace.live_base import LiveBase
from understudy.workspace.options import CheckOptions
from understudy.workspace.progress import Progress, TellFirst
from understudy.workspace.servers.choice import ServerChoice
from understudy.workspace.session import Session
from understudy.workspace.settings import Scope
from understudy.workspace.sight.inference import infers_results

_ASKING_S = 10.0
"""Of a check's time, so much (or a quarter) is left for asking, however long its plan takes."""

_REACH_UNKNOWN = Reason(
    "timeout", "it was not known in time which files the edit reaches: scope `edited`, or more time"
)

Choices = Mapping[str, tuple[ServerChoice, ...]]
"""Each file that servers are asked about, nearest first, with those servers."""


@frozen
class CheckAsking:
    """What one check is asked, and by whom."""

    session: Session
    base: LiveBase
    before: SnapshotSource
    after: SnapshotSource
    options: CheckOptions
    severity: Severity
    owner: str
    deadline: float
    progress: Progress
    first: TellFirst


@dataclass
class Plan:
    """One attempt: the two snapshots and who is asked what."""

    before: Snapshot
    after: Snapshot
    radius: Radius = field(default_factory=lambda: Radius(frozenset(), {}, {}))
    choices: Choices = field(default_factory=dict[str, tuple[ServerChoice, ...]])
    unjudged: list[str] = field(default_factory=lambda: [])
    n_affected: int | None = None
    onlookers: Onlookers = field(default_factory=Onlookers)
    answers: list[Judged] = field(default_factory=lambda: [])
    asked_as: dict[ServerChoice, tuple[ServerSpec | None, ...]] = field(
        default_factory=dict[ServerChoice, "tuple[ServerSpec | None, ...]"]
    )
    """The processes of each server that were asked: about the side after, and the one before."""
    out_of_reach: set[str] = field(default_factory=set[str])
    maps: LineMaps | None = None
    refuted: frozenset[object] = frozenset()


def plan_deadline(deadline: float) -> float:
    """What is known by then can still be asked about."""
    left = deadline - time.monotonic()
    return deadline - min(_ASKING_S, left / 4)


async def plan_the_edited_alone(asking: CheckAsking, plan: Plan) -> None:
    """The time limit comes before anybody knows whom the edit reaches: that is unknown, then."""
    changed = changed_paths(plan.before, plan.after)
    plan.radius = _with_renames(asking.session, Radius(changed, {}, {}), asking.options)
    plan.choices = await _choices(asking, plan, plan.radius, "edited")
    plan.onlookers = Onlookers(unknown=dict.fromkeys(changed, _REACH_UNKNOWN))


async def fill_plan(asking: CheckAsking, plan: Plan) -> None:
    """Look up whom the edit reaches, and choose who is asked; one check after the other."""
    async with asking.session.planning:
        await _fill_plan(asking, plan)


async def _fill_plan(asking: CheckAsking, plan: Plan) -> None:
    session, options = asking.session, asking.options
    left, right = plan.before, plan.after
    scope = options.scope or session.settings.scope
    infers = functools.partial(
        infers_results, session, right, changed_paths(left, right), options.servers,
        owner=asking.owner, deadline=asking.deadline,
    )  # fmt: skip
    radius = await blast_radius(session.bindings, left, right, scope, infers)
    radius = plan.radius = _with_renames(session, radius, options)
    choices = plan.choices = await _choices(asking, plan, radius, scope)
    alone = radius.changed - choices.keys()
    unread = sorted(left.unread | right.unread)
    plan.unjudged = [*unread, *(path for path in radius.ordered() if path in alone)]
    if radius.affected is not None:
        affected = replace(radius.affected, origins=radius.origins)
        plan.n_affected = len(await _choices(asking, plan, affected, "affected"))
    if scope != "edited":
        judged = {path for path, chosen in choices.items() if any(c.sees_project for c in chosen)}
        seen = await onlookers(session.bindings, left, right, radius, judged)
        reads = await unproven_reads(session, left, right, radius, options.servers)
        plan.onlookers = replace(seen, unknown={**seen.unknown, **reads})


async def _choices(asking: CheckAsking, plan: Plan, radius: Radius, scope: Scope) -> Choices:
    """Who is asked about each file that a scope takes in."""
    session, only = asking.session, asking.options.servers
    readers: Choices = {}
    if scope == "affected":
        readers = await configured(session, plan.before, plan.after, radius, only)
    choices: dict[str, tuple[ServerChoice, ...]] = {}
    for path in dict.fromkeys((*radius.ordered(), *readers)):
        chosen = session.servers.choose(path, only)
        if path not in radius.changed and scope != "workspace":
            chosen = tuple(choice for choice in chosen if radius.reaches(path, choice))
        chosen = (*chosen, *(c for c in readers.get(path, ()) if c not in chosen))
        if chosen:
            choices[path] = chosen
    return choices


def _with_renames(session: Session, radius: Radius, options: CheckOptions) -> Radius:
    """Only the renames after which the same servers judge the file.

    To all others it is a deletion or a new file, and who asks about the former must be told.
    """

    def judges(path: str) -> tuple[str, ...]:
        return tuple(choice.name for choice in session.servers.choose(path, options.servers))

    kept = {new: old for new, old in radius.origins.items() if judges(new) == judges(old)}
    return replace(radius, origins=kept)


def not_asked(
    session: Session, radius: Radius, choices: Choices, only: tuple[str, ...]
) -> Mapping[str, tuple[str, ...]]:
    """The groups that judge edited files and have nobody among `only`, each with those files."""
    left_out: dict[str, list[str]] = {}
    for path in sorted(radius.changed) if only else ():
        asked = {choice.profile.group for choice in choices.get(path, ())}
        for choice in session.servers.choose(path):
            if choice.profile.group not in asked:
                left_out.setdefault(choice.profile.group, []).append(path)
    return {group: tuple(paths) for group, paths in sorted(left_out.items())}
