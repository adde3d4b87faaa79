"""A copied stage that a command lives on, and that is looked through and changed meanwhile."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NoReturn, TypeVar

from understudy.process.tree import descendants, is_known
from understudy.stage.beneath import check_path
from understudy.stage.cgroup import Bounds
from understudy.stage.copy.copied import Manifest
from understudy.stage.copy.fenced import FencedProgram, start_fenced
from understudy.stage.copy.files import Mark, marks
from understudy.stage.copy.home import CopyHome
from understudy.stage.copy.kept import KeptCopy
from understudy.stage.copy.left import record
from understudy.stage.copy.sightings import CopyLook
from understudy.stage.copy.stage import CopyStage, ShownBefore
from understudy.stage.git.copied import GitCopy, noted_git
from understudy.stage.inside.disk_use import written_below
from understudy.stage.inside.open_files import is_used
from understudy.stage.live import (
    NOT_FROZEN,
    CapturedFile,
    FileMark,
    Frozen,
    Replaced,
    Replacement,
    SeenPath,
    Sightings,
)
from understudy.stage.model import Changes, Command, Isolation, StagePlan
from understudy.stage.overlay.replace import Swap, remove_empty
from understudy.stage.overlay.upper import Layer
from understudy.stage.reach.doors import Doors
from understudy.stage.scratch import Scratch
from understudy.values.errors import OutsideFailure

T = TypeVar("T")


class LiveCopyStage(CopyStage):
    """What `live.LiveStage` asks for beside a stage; the copy is `kept`, it began as `manifest`."""

    frozen: Frozen = NOT_FROZEN

    def __init__(
        self,
        plan: StagePlan,
        scratch: Scratch,
        isolation: Isolation,
        home: CopyHome,
        bounds: Bounds,
        *,
        closed: Callable[[CopyStage], None],
        kept: KeptCopy,
        manifest: Manifest,
    ) -> None:
        super().__init__(
            *(plan, kept.target, scratch, isolation, home, bounds), fenced=True, closed=closed
        )
        self.followed_until_ns: int | None = time.time_ns()
        self.began: Mapping[str, FileMark] | None = manifest.theirs
        self.doors = Doors(None, _no_network)
        self.git: tuple[GitCopy, ...] = ()
        self._kept, self._manifest = kept, manifest
        self._top = os.open(kept.target, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        self._look = CopyLook(self._top, manifest)
        self._programs: list[FencedProgram] = []
        self._worker = ThreadPoolExecutor(1, f"copy of {plan.root.name}")
        self._is_closing = False

    async def begin(self) -> None:
        """See `CopyStage.begin`; what is there is known."""
        self._temporary.mkdir(mode=0o700)
        in_home = await asyncio.to_thread(written_below, self._home.folder)
        self._n_written = self._manifest.n_bytes + in_home
        self.git = await asyncio.to_thread(noted_git, self._root, self._scratch.folder / "git")

    async def terminal(self) -> tuple[int, int]:
        """See `live.LiveStage.terminal`."""
        try:
            return os.openpty()
        except OSError as error:
            raise OutsideFailure("stage-failed", f"the stage has no terminal: {error}") from error

    async def launch(
        self, command: Command, streams: tuple[int, int, int], *, controls: bool
    ) -> FencedProgram:
        """See `live.LiveStage.launch`."""
        try:
            self._check_open()
            cwd, started = self._folder(command), os.pipe()
        except BaseException:  # whatever it is: the streams are ours to close
            for descriptor in set(streams):
                os.close(descriptor)
            raise
        argv, report = self._prepared(command, controls=controls, started=started[1])
        program = await start_fenced(
            argv,
            streams,
            started,
            cwd=cwd,
            env=self._environment(command),
            ended=lambda status: self._ended(command, status, report, None),
            running=self._programs,
        )
        await self.outlive({})
        return program

    async def sightings(self, enters: Callable[[str], bool]) -> Sightings:
        """See `live.LiveStage.sightings`."""
        return await self._work(lambda: self._look.look(enters, lambda: self._is_closing))

    async def seen(self, path: str, enters: Callable[[str], bool]) -> SeenPath | None:
        """See `live.LiveStage.seen`."""
        return await self._work(lambda: self._look.see(path, enters))

    async def taken(self, path: str) -> CapturedFile | None:
        """See `live.LiveStage.taken`."""
        return await self._work(lambda: self._look.take(path))

    async def written(self) -> int:
        """See `live.LiveStage.written`."""
        places = (self._root, self._temporary, self._home.folder)
        total = await self._work(lambda: sum(map(written_below, places)))
        return max(total - self._n_written, 0)

    async def is_used(self, path: str, *, readers: bool) -> bool:
        """See `live.LiveStage.is_used`."""
        check_path(path)
        return await self._work(lambda: self._is_used(path, readers=readers))

    async def replace(self, wanted: Replacement) -> Replaced:
        """See `live.LiveStage.replace`."""
        check_path(wanted.path)
        return await self._work(lambda: self._replace(wanted))

    async def refresh(self) -> None:
        """Nothing: what moved in the folder is put here by `replace`, path by path."""

    async def outlive(self, note: Mapping[str, Any]) -> bool:
        """See `model.Stage.outlive`; the record in the plan's `keep` says where the copy is."""
        del note
        layer = self._plan.keep
        if layer is None:
            return False
        fences = [one.fence for one in self._programs if one.exit_status is None]
        until = self.followed_until_ns or 0
        await asyncio.to_thread(self._kept.reserve, layer)
        await asyncio.to_thread(record, layer, self._kept, fences, until)
        return True

    async def close(self) -> None:
        """End every process; the copy stays for the next one."""
        if self._is_closing:
            return
        self._is_closing = True
        for program in self._programs:
            await program.end_tree(0)
        await super().close()
        await asyncio.to_thread(self._worker.shutdown)
        os.close(self._top)
        self._kept.release()

    def _replace(self, wanted: Replacement) -> Replaced:
        readers = wanted.readers_count
        if wanted.instead_of is not None and self._is_used(wanted.path, readers=readers):
            return Replaced(done=False)
        swap = Swap(self._top, wanted)
        if not swap.begin():
            return Replaced(done=False)
        layer = Layer(self._top, self._top, "", "")
        is_it = swap.holds_what_it_should()
        if not is_it or self._is_used(swap.other_path, readers=readers):
            swap.undo()
            return Replaced(False, swap.mark(layer, wanted.instead_of) if is_it else None)
        swap.finish()
        mark: FileMark | None = ()
        if wanted.data is None:
            remove_empty(self._top, wanted.path, self._plan.root)
        else:
            mark = swap.mark(layer, wanted.data)
        return Replaced(True, mark)

    def _is_used(self, path: str, *, readers: bool) -> bool:
        if not is_known():
            return True  # nobody can tell
        pids = {one.pid for program in self._programs for one in descendants(program.fence)}
        place = os.fsencode(self._root / path)
        return is_used(place, readers=readers, pids=pids)

    def _changes(self) -> Changes:
        now = marks(self._root)
        began = {
            path: ShownBefore(_as_began(ours, now.get(path)))
            for path, (_, ours) in self._manifest.entries.items()
            if path and not path.endswith("/")
        }
        self._shown = began | self._shown
        return super()._changes()

    async def _work(self, function: Callable[[], T]) -> T:
        """Do blocking work on the files, one after the other, off the event loop."""
        self._check_open()
        result = await asyncio.get_running_loop().run_in_executor(self._worker, function)
        self._check_open()
        return result


def _as_began(mark: FileMark, now: Mark | None) -> Mark:
    """The mark of before; where a link has changed nobody knows any more where it led."""
    inode, size, mtime_ns, changed_ns, mode = mark
    found = Mark(mtime_ns, changed_ns, size, inode, mode)
    if now is not None and (now.inode, now.changed_ns) == (inode, changed_ns):
        return now
    return found


def _no_network() -> NoReturn:
    text = "a copied stage has no network of its own, whose ports could be reached"
    raise OutsideFailure("cannot-reach", text)
