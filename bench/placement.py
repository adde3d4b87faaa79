"""Which seat judges what over many machines, on a clock of its own: the real queue decides.

Durations are drawn from what was measured (`docs/explanation/scale.md`). The fewest starts are one
a revision, or one a seat where there are more seats; the shortest time is all work over all seats.
The same work by a queue without places (a lot to whoever is free) stands beside it. `--edits` 200
is 100 machines, 2000 is 1,000, and less is less.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass, field

from bench.report import Figure, Setup
from understudy.app.batch.queue import LotQueue, Place
from understudy.app.batch.rows import BatchRow

N_MACHINES, SEATS_EACH = 100, 4
N_REVISIONS = 4
"""A repository a machine, and each with as many revisions."""
ROWS_A_SEAT = 250
START_S, OTHER_REVISION_S, ROW_S = 9.0, 4.0, 0.7
"""Medians: the first start at a repository, another revision of it, a row."""
MAX_STARTS, MIN_USE = 2.2, 0.9
_LOSS_EVERY_S = 3600.0


@dataclass
class Course:
    """What one course of the work came to."""

    started: int = 0
    moved: int = 0
    busy_s: float = 0.0
    end_s: float = 0.0
    judged: set[str] = field(default_factory=set[str])
    twice: int = 0
    lost: int = 0


async def run(setup: Setup) -> list[Figure]:
    """With places and without them, and with a machine lost every hour of each hundred."""
    n_machines = max(20, setup.n_edits * N_MACHINES // 200)
    n_seats, rng = n_machines * SEATS_EACH, random.Random(17)  # noqa: S311 - a course that can be had again
    rows = _rows(rng, n_machines, n_seats * ROWS_A_SEAT)
    n_places = len({(row.repo, row.revision) for row in rows})
    figures: list[Figure] = []
    fewest = max(n_places, n_seats)
    for name, losses, placed in (
        ("by place", False, True),
        ("any lot", False, False),
        ("by place, machines lost", True, True),
    ):
        setup.say(f"{name}: {len(rows)} rows, {n_places} revisions, {n_seats} seats")
        course = _course(rows, n_machines, losses=losses, placed=placed)
        starts, use = course.started + course.moved, course.busy_s / (course.end_s * n_seats)
        whole = len(course.judged) == len(rows) and not course.twice
        is_ours = placed and not losses
        ok = whole and (not is_ours or (starts / fewest <= MAX_STARTS and use >= MIN_USE))
        figures.append(
            Figure(
                "placement", f"{name}, {n_machines} machines",
                f"{starts} starts, {use:.0%} of the seats' time judging or starting",
                f"{fewest} starts at the fewest", starts / fewest,
                f"<= {MAX_STARTS}, >= {MIN_USE:.0%}" if is_ours else "every row once", ok,
                {"hours": course.end_s / 3600, "moved": course.moved, "lost": course.lost,
                 "rows": len(rows)},
            )
        )  # fmt: skip
    return figures


def _rows(rng: random.Random, n_repositories: int, n_rows: int) -> list[BatchRow]:
    """Rows as they come: few repositories have most of them."""
    repositories = [f"r{number:04}" for number in range(n_repositories)]
    weights = [1 / (1 + number) ** 0.7 for number in range(n_repositories)]
    chosen = rng.choices(repositories, weights, k=n_rows)
    return [
        BatchRow(f"{number}", "", "", repo, f"{rng.randrange(N_REVISIONS)}", f"{number:08}")
        for number, repo in enumerate(chosen)
    ]


def _course(rows: list[BatchRow], n_machines: int, *, losses: bool, placed: bool) -> Course:
    """All rows judged by seats that are free in the order of the clock."""
    rng, course = random.Random(18), Course()  # noqa: S311 - as above
    queue = LotQueue.of(rows)
    queue.start_rows = START_S / ROW_S if placed else 0.0
    at: dict[int, Place | None] = dict.fromkeys(range(n_machines * SEATS_EACH))
    free = [(0.0, seat) for seat in at]
    gone = [
        (rng.uniform(0, 24 * 3600), machine)
        for machine in range(n_machines) if losses and rng.random() < 24 / 100
    ]  # fmt: skip
    lost_at = {machine: when for when, machine in gone}
    while free:
        now, seat = heapq.heappop(free)
        taken = queue.take(at[seat] if placed else None)
        if taken is None:
            continue  # nobody gives rows back after this: who is lost is known when it took them
        place, lot = taken
        took = _start_s(rng, at[seat], place, course)
        times = [rng.lognormvariate(0, 0.6) * ROW_S for _ in lot]
        end = now + took + sum(times)
        when = lost_at.pop(seat // SEATS_EACH, None) if losses else None
        if when is not None and now <= when < end:
            course.lost += 1
            n_done = sum(now + took + sum(times[: n + 1]) <= when for n in range(len(lot)))
            given_up = queue.lost(place, lot[n_done:])
            assert given_up is None
            _judged(course, lot[:n_done])
            at[seat], end = None, when
            heapq.heappush(free, (when + _LOSS_EVERY_S / 60, seat))
        else:
            if when is not None:
                lost_at[seat // SEATS_EACH] = when
            at[seat] = place
            _judged(course, lot)
            heapq.heappush(free, (end, seat))
        course.busy_s += end - now
        course.end_s = max(course.end_s, end)
    return course


def _start_s(rng: random.Random, at: Place | None, place: Place, course: Course) -> float:
    if at == place:
        return 0.0
    same = at is not None and at[0] == place[0]
    course.moved += same
    course.started += not same
    return rng.lognormvariate(0, 0.4) * (OTHER_REVISION_S if same else START_S)


def _judged(course: Course, lot: list[BatchRow]) -> None:
    for row in lot:
        course.twice += row.id in course.judged
        course.judged.add(row.id)
