"""A folder of the user's and everything that keeps branches over it, as a host puts it together."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from understudy.disk.folder.scan import FolderReader, Selection, scan
from understudy.disk.journal.journal import Journal
from understudy.shadow.base import Base, Buffer
from understudy.shadow.folder import FolderView
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text
from understudy.workspace.branches.book import BranchBook, Expiry
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

SELECTION = Selection(["*.py", "*.txt", "*.toml"])


class Workspace:
    """`folder` is the user's, `state` ours; `base` is what the user has, scanned by `look`."""

    def __init__(self, tmp_path: Path, files: Mapping[str, str | bytes] | None = None) -> None:
        self.folder = tmp_path / "project"
        self.state = tmp_path / "state"
        self.folder.mkdir()
        self.state.mkdir()
        for path, content in (files or {}).items():
            self.write(path, content)
        self.root = Root.open(self.folder)
        self.tasks = Tasks()
        self.workers = Workers()
        self.journal: Journal | None = None
        self.now = 1_000_000.0
        self.base = Base(FolderView(FolderReader(self.root), {}))
        self.look()

    def write(self, path: str, content: str | bytes) -> None:
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        target.write_bytes(data)

    def read(self, path: str) -> bytes:
        return (self.folder / path).read_bytes()

    def look(self) -> Base:
        found = scan(self.root, SELECTION)
        self.base = self.base.with_scan(found.files, found.environment, found.inside)
        return self.base

    def type(self, path: str, content: str) -> Base:
        """The user types into an open buffer."""
        buffer = Buffer(PackedText.pack(Text(content)), "plaintext", self.base.generation)
        self.base = self.base.with_buffer(path, buffer)
        return self.base

    async def book(self, *, journal: bool = True, expiry: Expiry | None = None) -> BranchBook:
        """The branches; a second call is a restart of the host."""
        await self.close()
        if journal:
            self.journal = await Journal.open(self.state / "journal.sqlite")
        made = BranchBook(
            self.root, self.tasks, self.workers, self.journal,
            expiry=expiry or Expiry(), clock=lambda: self.now,
        )  # fmt: skip
        await made.load()
        return made

    async def close(self) -> None:
        if self.journal is not None:
            await self.journal.close()
            self.journal = None
        await self.workers.close()


@contextlib.asynccontextmanager
async def workspace(tmp_path: Path, files: Mapping[str, str | bytes] | None = None):
    """A workspace that is closed at the end."""
    made = Workspace(tmp_path, files)
    try:
        yield made
    finally:
        await made.tasks.close()
        await made.close()


def state_of(folder: Path) -> dict[str, tuple[object, ...]]:
    """Bytes, times, mode and inode of everything below a folder, links not followed."""
    found: dict[str, tuple[object, ...]] = {}
    for above, folders, files in os.walk(folder):
        for name in [*folders, *files, "."]:
            path = Path(above, name)
            state = path.lstat()
            data = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (data, state.st_mtime_ns, state.st_mode, state.st_ino, state.st_size)
    return found


def text_of(packed: PackedText | None) -> str | None:
    return None if packed is None else packed.unpack().content
