"""Verbs about branches: accept, an accept that undoes itself, `run --adopt`, the journal."""

from __future__ import annotations

import asyncio
import json
from errno import EIO
from pathlib import Path

from tests.support.faults.case import (
    Case,
    Tree,
    as_command,
    is_ours,
    let_time_pass,
    strays,
    tree,
    understudy,
    wrong_in_error,
)
from tests.support.faults.run import Ended, Fault, Site
from understudy.disk.folder.scan import FolderReader
from understudy.disk.journal.journal import Journal
from understudy.disk.layout import workspace_layout
from understudy.disk.lock import HostLock
from understudy.shadow.base import Base
from understudy.shadow.folder import FolderView
from understudy.values.paths import Root
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

FILES = {"changed.txt": "one\ntwo\n", "deleted/only.txt": "gone\n", "untouched.txt": "as it is\n"}
EDITS = [
    {"kind": "write", "path": "changed.txt", "text": "one\nzwei\n"},
    {"kind": "write", "path": "made/deep/new.txt", "text": "new\n"},
    {"kind": "delete", "path": "deleted/only.txt"},
]
COMMAND = (
    "printf 'one\\nzwei\\n' >changed.txt; mkdir -p made/deep; echo new >made/deep/new.txt; "
    "rm -r deleted"
)
"""A command that does the same."""


class Accept(Case):
    """One file is changed, one made in folders that are not there, one deleted with its folder."""

    name = "accept"

    def make(self) -> None:
        fill(self.place.project)
        ended = self.do(lambda: asyncio.run(_make_branch()))
        assert ended.code == 0, ended.err
        self.old = tree(self.place.project)
        self.new: Tree = {
            "untouched.txt": self.old["untouched.txt"],
            "changed.txt": (0o750, b"one\nzwei\n"),
            "made": (0o755, None),
            "made/deep": (0o755, None),
            "made/deep/new.txt": (0o644, b"new\n"),
        }

    def program(self) -> None:
        understudy("branches", "accept", "b1")()

    def wrong(self, ended: Ended) -> list[str]:
        wrong = wrong_in_error(ended)
        left = self._found()
        if ended.code == 0 and left != self.new:
            wrong.append("said to be done, and is not")
        elif ended.code > 0 and left not in (self.old, self.new):
            if "not put back" not in ended.err:
                wrong.append(f"a third state when it ended: {_third(left, self.old, self.new)}")
        elif ended.code < 0:
            wrong += self._torn(left)
        return wrong + self._after_start()

    def _found(self) -> Tree:
        """The folder; one that is empty by now and could not be removed harms nobody."""
        found = tree(self.place.project)
        if "deleted/only.txt" not in found and "made" in found:
            found.pop("deleted", None)
        return found

    def _torn(self, left: Tree) -> list[str]:
        """Right after a kill each file is old or new; what lies beside them is ours."""
        wrong: list[str] = []
        for name, found in left.items():
            if found not in (self.old.get(name), self.new.get(name)) and not is_ours(name):
                wrong.append(f"{name} is neither old nor new after the kill")
        gone = [name for name in self.old if name not in left and name in self.new]
        return wrong + [f"{name} is gone after the kill" for name in gone]

    def _after_start(self) -> list[str]:
        """The next start ends it, and then the branch is there or accepted."""
        start = self.do(understudy("branches", "list", "--format", "json", "--archived"))
        if start.code != 0:
            return [f"the next start fails: {start.err[-300:]}"]
        ends = {one["branch"]: one["ended"] for one in json.loads(start.out)["branches"]}
        left = self._found()
        wrong = wrong_in_error(start)
        if left == self.old and ends == {"b1": None}:
            again = self.do(understudy("branches", "accept", "b1"))
            if again.code != 0 or self._found() != self.new:
                wrong.append(f"cannot be accepted afterwards: {again.err[-300:]}")
        elif left != self.new or ends != {"b1": "accepted"}:
            third = _third(left, self.old, self.new)
            wrong.append(f"a third state after the next start: {third}, branches {ends}")
        return wrong + strays(self.place)


class Undo(Accept):
    """The same accept, which takes itself back: its last change, the deletion, fails."""

    name = "undo"
    standing = (Fault(Site("unlink", "project/deleted/only.txt", 1), EIO),)


class Adopt(Case):
    """A command changes a copy of the folder, and what it changed becomes a branch."""

    name = "adopt"

    def make(self) -> None:
        fill(self.place.project)
        self.old = tree(self.place.project)

    def program(self) -> None:
        understudy("run", "--adopt", "--", "sh", "-c", COMMAND)()

    def wrong(self, ended: Ended) -> list[str]:
        wrong = wrong_in_error(ended)
        if tree(self.place.project) != self.old:
            wrong.append("the folder is not as it was")
        start = self.do(understudy("branches", "list", "--format", "json", "--archived"))
        if start.code != 0:
            return [*wrong, f"the next start fails: {start.err[-300:]}"]
        every = json.loads(start.out)["branches"]
        found = [one for one in every if one["ended"] is None]  # one that took nothing is put away
        allowed = (len(EDITS),) if ended.code >= 0 else (len(EDITS), 0)  # it is made, then filled
        if (ended.code == 0 and not found) or any(one["files"] not in allowed for one in found):
            wrong.append(f"not adopted whole: {found}")
        let_time_pass(self.place)
        again = self.do(self.program)
        if again.code != 0:
            wrong.append(f"cannot be run afterwards: {again.err[-300:]}")
        if tree(self.place.project) != self.old:
            wrong.append("the folder is not as it was after the next start")
        left = list(self.place.state.glob("workspaces/*/stages/*"))
        wrong += [f"stray: {', '.join(map(str, left))}"] if left else []
        return wrong + strays(self.place)


class Keep(Case):
    """Branches are made, edited and put away; each step is said once it is kept."""

    name = "journal"
    steps = 4

    def make(self) -> None:
        fill(self.place.project)
        ended = self.do(lambda: asyncio.run(_make_branch()))
        assert ended.code == 0, ended.err
        self.states: list[object] = []

    def program(self) -> None:
        as_command(lambda: self._keep(self.steps))

    async def _keep(self, steps: int) -> None:
        root = Root.open(Path.cwd())
        layout = workspace_layout(root).create()
        with HostLock.acquire(layout.lock):
            journal = await Journal.open(layout.journal)
            try:
                book = BranchBook(root, Tasks(), Workers(), journal)
                await book.load()
                base = Base(FolderView(FolderReader(root), {}))
                work = (
                    lambda: book.create("second"),
                    lambda: book.edit("b2", EDITS[:2], base),
                    lambda: book.edit("b2", EDITS[2:], base),
                    lambda: book.discard("b1"),
                )
                for number, step in enumerate(work[:steps], 1):
                    await step()
                    print("kept", number, flush=True)
            finally:
                await journal.close()

    def state(self) -> object:
        """What a start finds."""
        start = self.do(understudy("branches", "list", "--format", "json", "--archived"))
        if start.code != 0:
            return f"the next start fails: {start.err[-300:]}"
        found = {one["branch"]: one["ended"] for one in json.loads(start.out)["branches"]}
        live = [name for name, ended in found.items() if ended is None]
        return found, [self.do(understudy("branches", "diff", name)).out for name in live]

    def wrong(self, ended: Ended) -> list[str]:
        found = self.state()
        while len(self.states) <= self.steps:  # what each step leads to, found out by doing it
            self.reset()
            alone = self.do(lambda: asyncio.run(self._keep(len(self.states))))
            assert alone.code == 0, alone.err
            self.states.append(self.state())
        n_kept = len(ended.out.splitlines())
        wrong = wrong_in_error(ended)
        if found not in self.states[n_kept : n_kept + 2]:
            wrong.append(f"{n_kept} steps were said to be kept: {found}")
        return wrong + strays(self.place)


def fill(project: Path) -> None:
    """The user's files, one with permissions of its own."""
    for name, text in FILES.items():
        (project / name).parent.mkdir(exist_ok=True, mode=0o755)
        (project / name).write_text(text)
        (project / name).chmod(0o644)
    (project / "changed.txt").chmod(0o750)


async def _make_branch() -> None:
    """Keep a branch with the edits, as an agent does it."""
    root = Root.open(Path.cwd())
    journal = await Journal.open(workspace_layout(root).create().journal)
    book = BranchBook(root, Tasks(), Workers(), journal)
    await book.load()
    branch = await book.create("the work")
    await book.edit(branch.id, EDITS, Base(FolderView(FolderReader(root), {})))
    await journal.close()


def _third(left: Tree, old: Tree, new: Tree) -> str:
    words: list[str] = []
    for name in sorted({*left, *old, *new}):
        of = [word for word, one in (("old", old), ("new", new)) if one.get(name) == left.get(name)]
        words.append(f"{name}: {'/'.join(of) or left.get(name)}")
    return "; ".join(words)
