"""An accept of 600 files, beside writing, flushing and renaming 600 files in plain Python."""

from __future__ import annotations

import asyncio
import os
import statistics
import time
from pathlib import Path

from bench.report import Figure, Setup, spread
from understudy.app.accept.folder import accept
from understudy.disk.folder.scan import FolderReader
from understudy.disk.journal.journal import Journal
from understudy.shadow.base import Base
from understudy.shadow.folder import FolderView
from understudy.values.paths import Root
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

N_FILES = 600
N_ROUNDS = 7
MAX_RATIO = 1.2


async def run(setup: Setup) -> list[Figure]:
    """Medians over rounds in turn, after one of each that does not count."""
    ours: list[float] = []
    theirs: list[float] = []
    for number in range(1 + N_ROUNDS):
        reference = await asyncio.to_thread(_plain, setup.folder / f"plain-{number}")
        took = await _accepted(setup.folder / f"accept-{number}")
        if number > 0:
            ours.append(took)
            theirs.append(reference)
    ratio = statistics.median(ours) / statistics.median(theirs)
    return [
        Figure(
            "accept", f"{N_FILES} files", f"{statistics.median(ours):.2f} s",
            f"{statistics.median(theirs):.2f} s write, fsync, rename",
            ratio, f"<= {MAX_RATIO}", ratio <= MAX_RATIO,
            {"ours_s": spread(ours), "reference_s": spread(theirs)},
        )
    ]  # fmt: skip


def _text(index: int, more: str = "") -> str:
    return f"file {index}\n" + "a line of it\n" * 100 + more


def _files(folder: Path) -> list[Path]:
    """The folder with its files, which the disk has already."""
    folder.mkdir(parents=True)
    files = [folder / f"f{index}.txt" for index in range(N_FILES)]
    for index, file in enumerate(files):
        file.write_text(_text(index))
    os.sync()
    return files


def _plain(folder: Path) -> float:
    """Seconds that the least safe writing of as many files takes."""
    files = _files(folder)
    began = time.perf_counter()
    for index, file in enumerate(files):
        beside = file.with_suffix(".new")
        with beside.open("w") as stream:
            stream.write(_text(index, "new\n"))
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file)
    return time.perf_counter() - began


async def _accepted(folder: Path) -> float:
    """Seconds that the verb takes, from the branch in the journal to the branch put away."""
    project, state = folder / "project", folder / "state"
    await asyncio.to_thread(_files, project)
    state.mkdir()
    root, tasks, workers = Root.open(project), Tasks(), Workers()
    journal = await Journal.open(state / "journal.sqlite")
    try:
        book = BranchBook(root, tasks, workers, journal)
        base = Base(FolderView(FolderReader(root), {}))
        branch = (await book.create("bench")).id
        edits = [
            {"kind": "write", "path": f"f{index}.txt", "text": _text(index, "new\n")}
            for index in range(N_FILES)
        ]
        await book.edit(branch, edits, base)
        began = time.perf_counter()
        report = await accept(book, branch, base)
        took = time.perf_counter() - began
        assert len(report.written) == N_FILES
        return took
    finally:
        await tasks.close()
        await workers.close()
        await journal.close()
