"""The question `affected`: which files a change can reach, and on which way. No server is asked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from understudy.app.check.asked import CheckQuestion, sides_of
from understudy.app.check.blast_radius import Radius, blast_radius
from understudy.dependents.reach import Reach
from understudy.dependents.test_files import is_test
from understudy.shadow.base import Base
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.progress import Progress, silent
from understudy.workspace.session import Session


@dataclass(frozen=True)
class AffectedFile:
    """A file that a change can reach; an edited one has distance 0.

    `names` are those by which it takes what has changed, sorted; `via` are the files on the way to
    it, from the edited one on.
    """

    path: str
    distance: int
    names: tuple[str, ...]
    via: tuple[str, ...]


@dataclass(frozen=True)
class AffectedFiles:
    """What a change can reach, nearest first; `revision` as in `CheckAnswer`."""

    files: tuple[AffectedFile, ...]
    revision: str | None


async def affected(
    session: Session,
    question: CheckQuestion,
    live_base: LiveBase,
    *,
    tests: bool = False,
    progress: Progress = silent,
) -> AffectedFiles:
    """The files whose findings the difference can change; with `tests` the tests that can run it.

    A test runs bodies that no checker looks behind, so every test counts that depends on an edited
    file at all. Raises as `answer` does.
    """
    if question.edits is None:
        base = await live_base.fresh()
        return await _affected(session, session.branches, question, base, tests, progress)
    book = session.unlisted
    async with passing_branch(book, question.edits, live_base, "affected") as branch:
        kept = CheckQuestion(branch=branch, options=question.options)
        # The edits were laid over a fresh base just now: another look would say the same.
        return await _affected(session, book, kept, live_base.now, tests, progress)


async def _affected(
    session: Session,
    book: BranchBook,
    question: CheckQuestion,
    base: Base,
    tests: bool,
    progress: Progress,
) -> AffectedFiles:
    sides = await sides_of(session, book, question, progress)
    before, after = await sides.before(base), await sides.after(base)
    radius = await blast_radius(session.bindings, before, after, "affected")
    if not tests:
        return AffectedFiles(tuple(_listed(radius)), sides.revision)
    dependent = await session.bindings.distances([before, after], radius.changed)
    distances = {**dependent, **dict.fromkeys(radius.changed, 0)}
    found = (_file(path, far, radius.reach) for path, far in distances.items() if is_test(path))
    return AffectedFiles(tuple(sorted(found, key=_nearness)), sides.revision)


def _listed(radius: Radius) -> Iterable[AffectedFile]:
    distances = {**radius.distance, **dict.fromkeys(radius.changed, 0)}
    found = (_file(path, far, radius.reach) for path, far in distances.items())
    return sorted(found, key=_nearness)


def _file(path: str, distance: int, reach: Mapping[str, Reach]) -> AffectedFile:
    own = reach.get(path)
    names = () if own is None else tuple(sorted(own.names))
    return AffectedFile(path, distance, names, tuple(_way(path, reach)))


def _way(path: str, reach: Mapping[str, Reach]) -> list[str]:
    """The files before this one on the way of a change, the edited one first."""
    way: list[str] = []
    own = reach.get(path)
    while own is not None and own.via and own.via not in way:
        way.append(own.via)
        own = reach.get(own.via)
    return way[::-1]


def _nearness(file: AffectedFile) -> tuple[int, str]:
    return file.distance, file.path
