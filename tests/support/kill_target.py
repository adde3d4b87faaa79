"""Streams edits, rebases and discards, one line of acknowledgement for each, until killed.

Run as `python -m tests.support.kill_target PROJECT STATE`; it goes on where the journal stands.
"""

import asyncio
import sys
from pathlib import Path

from understudy.disk.folder.scan import FolderReader
from understudy.disk.journal.journal import Journal
from understudy.shadow.base import Base
from understudy.shadow.folder import FolderView
from understudy.values.paths import Root
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

FILLER = "".join(f"line {number} of what makes the text long\n" for number in range(400))


def batch(number: int) -> list[dict[str, str]]:
    """Three files that all change to the batch's number, one of them by a rename."""
    old, new = f"state {number - 1}\n", f"state {number}\n"
    return [
        {"kind": "write", "path": "long.txt", "text": FILLER + new},
        {"kind": "replace", "path": "short.txt", "old": old, "new": new},
        {"kind": "rename", "path": f"renamed-{number - 1}.txt", "to": f"renamed-{number}.txt"},
        {"kind": "replace", "path": f"renamed-{number}.txt", "old": old, "new": new},
    ]


MOVING = ("moving-1.txt", "moving-2.txt")
TITLE = "stream"


def moving_text(first: int, last: int) -> str:
    """What the user writes above, and a branch below."""
    return f"the user's {first}\n{FILLER}the branch's {last}\n"


def save(project: Path, first: int) -> None:
    """The user saves all files that move."""
    for name in MOVING:
        (project / name).write_text(moving_text(first, 0))


async def stream(project: Path, state: Path) -> None:
    root = Root.open(project)
    book = BranchBook(root, Tasks(), Workers(), await Journal.open(state / "journal.sqlite"))
    await book.load()
    base = Base(FolderView(FolderReader(root), {}))
    known = {summary.title: summary.id for summary in book.summaries()}
    branch = await book.get(known[TITLE]) if TITLE in known else await book.create(TITLE)
    number = branch.revision
    save(project, number)
    print(f"open {number}", flush=True)
    while True:
        number += 1
        await book.edit(branch.id, batch(number), base)
        print(f"acknowledged {number}", flush=True)
        await put_aside(book, project, number)


async def put_aside(book: BranchBook, project: Path, number: int) -> None:
    """Another branch's life: its files move under it, it is rebased, and discarded."""
    old, new = "the branch's 0\n", f"the branch's {number}\n"
    edits = [{"kind": "replace", "path": name, "old": old, "new": new} for name in MOVING]
    aside = (await book.create(str(number))).id
    await book.edit(aside, edits, Base(FolderView(FolderReader(book.root), {})))
    save(project, number)
    await book.rebase(aside, Base(FolderView(FolderReader(book.root), {})))
    print(f"rebased {aside}", flush=True)
    await book.discard(aside)
    print(f"discarded {aside}", flush=True)


if __name__ == "__main__":
    asyncio.run(stream(Path(sys.argv[1]), Path(sys.argv[2])))
