"""Folders on disk and snapshots over them, for the tests of the language servers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.servers import MissingServerError, environment, search_path
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.client import Hooks
from understudy.langserver.find import find_command, server_version
from understudy.langserver.pool import Pool
from understudy.langserver.seat import ServerLimits
from understudy.langserver.spec import ServerSpec
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView
from understudy.shadow.snapshot import Snapshot
from understudy.stage.choose import StageChooser
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text
from understudy.workspace.servers.stages import ServerStages


@dataclass(frozen=True)
class DiskReader:
    """Reads a folder; the simplest Reader there can be."""

    root: Path

    def read(self, path: str) -> bytes | None:
        try:
            return (self.root / path).read_bytes()
        except OSError:
            return None

    def fingerprint(self, path: str) -> Fingerprint | None:
        try:
            state = (self.root / path).stat()
        except OSError:
            return None
        return Fingerprint(state.st_mtime_ns, state.st_size, state.st_ino)


@dataclass
class World:
    """A folder with files, its base, and snapshots with edits over it."""

    root: Root
    base: Base

    @staticmethod
    def make(folder: Path, files: Mapping[str, str | bytes]) -> World:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in files.items():
            write(folder / path, text)
        root = Root.open(folder)
        reader = DiskReader(root.path)
        return World(root, Base(FolderView(reader, scan(root.path))))

    def rescan(self, environment: str = "") -> None:
        """Look at the disk again, as the next check would."""
        self.base = self.base.with_scan(scan(self.root.path), environment)
        self.base.folder.be_latest()

    def snapshot(self, edits: Mapping[str, str | None] | None = None) -> Snapshot:
        packed = {
            path: None if text is None else PackedText.pack(Text(text))
            for path, text in (edits or {}).items()
        }
        return Snapshot(self.base, packed)


def write(path: Path, text: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())


def scan(root: Path) -> dict[str, Fingerprint]:
    reader = DiskReader(root)
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = (Path(folder) / name).relative_to(root).as_posix()
            mark = reader.fingerprint(path)
            assert mark is not None
            found[path] = mark
    return found


@dataclass
class TaskOwner:
    """Owns the pool's tasks in a test and shows the errors of those that failed."""

    tasks: set[asyncio.Task[Any]] = field(default_factory=set)
    failed: list[BaseException] = field(default_factory=list)

    def spawn(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        task = asyncio.get_running_loop().create_task(work, name=name)
        self.tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.failed.append(task.exception())

    async def close(self) -> None:
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        assert self.failed == []


@asynccontextmanager
async def open_pool(
    logs: Path, limits: ServerLimits | None = None, hooks: Hooks | None = None
) -> AsyncIterator[Pool]:
    """A pool with real stages, for the specs that ask for one."""
    owner = TaskOwner()
    chooser = StageChooser(logs.parent / "stages", logs / "stage.log", owner.spawn)
    pool = Pool(logs, owner.spawn, limits, hooks, ServerStages(lambda: chooser).open)
    try:
        yield pool
    finally:
        await pool.close()
        await chooser.close()
        await owner.close()


def real_spec(name: str, root: Root, overrides: Mapping[str, Any] | None = None) -> ServerSpec:
    """A spec for an installed server, as the application would make it."""
    profile = Catalogue.load(overrides).named(name)
    assert profile is not None
    command = find_command(profile, [Path(part) for part in search_path().split(os.pathsep)])
    if command is None:
        raise MissingServerError(f"{name} is not installed for the tests; run `make test`")
    return ServerSpec(
        profile=profile,
        command=command,
        root=root,
        env={"PATH": environment()["PATH"]},
        settings=profile.settings,
        initialization_options=profile.initialization_options,
        version=server_version(command),
    )


def soon(seconds: float) -> float:
    """A deadline in loop time."""
    return asyncio.get_running_loop().time() + seconds
