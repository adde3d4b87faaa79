"""Does one verb that changes many files, and says when it begins and ends; made to be killed.

Run as `python -m tests.support.accept_kill_target accept|undo|adopt PROJECT STATE`.
"""

import asyncio
import contextlib
import os
import sys
import threading
from pathlib import Path

from understudy.app.accept.folder import accept
from understudy.disk.folder.scan import FolderReader
from understudy.disk.journal.journal import Journal
from understudy.shadow.base import Base
from understudy.shadow.folder import FolderView
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

N_FILES = 60


def old_text(index: int) -> str:
    return f"line 1\nfile {index}\n"


def new_text(index: int) -> str:
    return f"line 1\nfile {index}, as the branch has it\n"


def edits() -> list[dict[str, str]]:
    """Every file changed but the first, which goes; and a new one in new folders."""
    changed = [
        {"kind": "write", "path": f"{index % 7}/f{index}.txt", "text": new_text(index)}
        for index in range(1, N_FILES)
    ]
    made = {"kind": "write", "path": "made/deep/new.txt", "text": "new\n"}
    return [*changed, made, {"kind": "delete", "path": "0/f0.txt"}]


async def do(verb: str, project: Path, state: Path) -> None:
    root = Root.open(project)
    book = BranchBook(root, Tasks(), Workers(), await Journal.open(state / "journal.sqlite"))
    await book.load()
    for summary in book.summaries():
        await book.discard(summary.id)
    base = Base(FolderView(FolderReader(root), {}))
    branch = (await book.create(verb)).id
    if verb != "adopt":
        await book.edit(branch, edits(), base)
    if verb == "undo":
        threading.Thread(target=put_in_the_way, args=[project], daemon=True).start()
    print("begin", flush=True)
    if verb == "adopt":
        await book.edit(branch, edits(), base)
    else:
        with contextlib.suppress(UnderstudyError):
            await accept(book, branch, base)
    print("end", flush=True)
    await asyncio.Event().wait()


def put_in_the_way(project: Path) -> None:
    """Once the first file has the new text, make the accept fail at its last, the deletion."""
    first = project / "1/f1.txt"
    while first.read_text() != new_text(1):
        pass
    with contextlib.suppress(FileNotFoundError):  # it is over: then this is an accept
        os.utime(project / "0/f0.txt")


if __name__ == "__main__":
    asyncio.run(do(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])))
