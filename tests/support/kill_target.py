"""Streams edit batches through a branch, one line of acknowledgement for each, until killed.

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


async def stream(project: Path, state: Path) -> None:
    root = Root.open(project)
    book = BranchBook(root, Tasks(), Workers(), await Journal.open(state / "journal.sqlite"))
    await book.load()
    base = Base(FolderView(FolderReader(root), {}))
    known = book.summaries()
    branch = await book.get(known[0].id) if known else await book.create("stream")
    number = branch.revision
    print(f"open {number}", flush=True)
    while True:
        number += 1
        await book.edit(branch.id, batch(number), base)
        print(f"acknowledged {number}", flush=True)


if __name__ == "__main__":
    asyncio.run(stream(Path(sys.argv[1]), Path(sys.argv[2])))
