"""The question `affected`: which files a change can reach, and on which way. No server is asked."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.app.check.blast_radius import Radius, blast_radius
from understudy.dependents.reach import Reach, way_to
from understudy.dependents.test_files import is_test
from understudy.disk.folder.scan import scan
from understudy.disk.folder.scanner import FolderScanner
from understudy.disk.layout import workspace_layout
from understudy.disk.trust import is_trusted
from understudy.shadow.branch import Branch
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.workspace import settings as settings_module
from understudy.workspace.binding_index import BindingIndex
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.passing import passing_branch
from understudy.workspace.live_base import LiveBase
from understudy.workspace.progress import Progress, silent
from understudy.workspace.selection import selection_of
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

if TYPE_CHECKING:  # see `affected`
    from understudy.app.check.asked import CheckQuestion
    from understudy.workspace.session import Session


@frozen
class AffectedFile:
    """A file that a change can reach; an edited one has distance 0.

    `names` are those by which it takes what has changed, sorted; `via` are the files on the way to
    it, from the edited one on.
    """

    path: str
    distance: int
    names: tuple[str, ...]
    via: tuple[str, ...]


@frozen
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
    if question.edits is not None:
        book, index = session.unlisted, session.bindings
        over = None if question.branch is None else await session.branches.get(question.branch)
        return await affected_by_edits(book, index, question.edits, live_base, over, tests=tests)
    from understudy.app.check.asked import sides_of  # noqa: PLC0415 - a patch needs no session

    sides = await sides_of(session, session.branches, question, progress)
    base = await live_base.fresh()
    before, after = await sides.before(base), await sides.after(base)
    return AffectedFiles(await _files(session.bindings, before, after, tests), sides.revision)


async def affected_by_edits(
    book: BranchBook,
    index: BindingIndex,
    edits: Sequence[Any],
    live_base: LiveBase,
    over: Branch | None = None,
    *,
    tests: bool,
) -> AffectedFiles:
    """The same of edits that no branch keeps, `over` a branch's; raises as `edit_fresh` does."""
    async with passing_branch(book, edits, live_base, "affected", over) as branch:
        base = live_base.now  # the edits were laid over a fresh one just now
        after, before = await book.snapshot(branch, base), Snapshot(base)
        if over is not None:
            before = await book.fitted_snapshot(over, base)
        return AffectedFiles(await _files(index, before, after, tests), None)


async def affected_alone(folder: Path, edits: Sequence[Any], *, tests: bool) -> AffectedFiles:
    """What edits can reach over the files on disk; no lock is taken, only the index is kept.

    Raises BadInput for a folder or settings that cannot be used, and as `affected` does.
    """
    root = Root.open(folder)
    settings = settings_module.load(root, trusted=is_trusted(root))
    scanner = FolderScanner(functools.partial(scan, root, selection_of(settings.servers)))
    tasks, workers = Tasks(), Workers()
    book = BranchBook(root, tasks, workers)
    book.names = settings.names
    index = BindingIndex(workers, _kept_index(root))
    try:
        base = LiveBase(root, scanner.fresh, lambda _: None)
        return await affected_by_edits(book, index, edits, base, tests=tests)
    finally:
        await index.close()
        await tasks.close()
        await workers.close()


async def _files(
    index: BindingIndex, before: Snapshot, after: Snapshot, tests: bool
) -> tuple[AffectedFile, ...]:
    radius = await blast_radius(index, before, after, "affected")
    if not tests:
        return tuple(_listed(radius))
    dependent = await index.distances([before, after], radius.changed)
    distances = {**dependent, **dict.fromkeys(radius.changed, 0)}
    found = (_file(path, far, radius.reach) for path, far in distances.items() if is_test(path))
    return tuple(sorted(found, key=_nearness))


def _listed(radius: Radius) -> Iterable[AffectedFile]:
    distances = {**radius.distance, **dict.fromkeys(radius.changed, 0)}
    found = (_file(path, far, radius.reach) for path, far in distances.items())
    return sorted(found, key=_nearness)


def _file(path: str, distance: int, reach: Mapping[str, Reach]) -> AffectedFile:
    own = reach.get(path)
    names = () if own is None else tuple(sorted(own.names))
    return AffectedFile(path, distance, names, tuple(way_to(path, reach)))


def _nearness(file: AffectedFile) -> tuple[int, str]:
    return file.distance, file.path


def _kept_index(root: Root) -> Path | None:
    """Where the folder's host keeps its index, too; None where nothing can be kept."""
    layout = workspace_layout(root)
    try:
        return layout.create().bindings
    except OutsideFailure:
        return None
