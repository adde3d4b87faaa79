"""The session: the root of every mutable reference of one host, or of one ephemeral check."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from understudy.app.answer_cache import AnswerCache
from understudy.app.branch_shelf import Expiry
from understudy.app.branches import BranchBook
from understudy.app.import_index import ImportIndex
from understudy.app.progress import Progress
from understudy.app.server_choice import ServerChooser
from understudy.app.settings import Settings
from understudy.app.tasks import Tasks
from understudy.app.workers import Workers
from understudy.dependents.packages import ALIAS_FILES
from understudy.disk.folder_scan import FolderReader, Selection, scan
from understudy.disk.journal import Journal
from understudy.disk.layout import Layout
from understudy.disk.scanner import FolderScanner
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.client import Hooks
from understudy.langserver.client import Progress as ServerProgress
from understudy.langserver.pool import Pool
from understudy.langserver.seat import Limits
from understudy.langserver.spec import ServerSpec
from understudy.shadow.base import Base, Buffer
from understudy.shadow.folder import FolderView, Moved
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.values.texts import Encoding


@dataclass
class Session:
    """Owns the base, the servers, the caches and the background tasks; everyone else borrows."""

    root: Root
    settings: Settings
    layout: Layout
    trusted: bool
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    selected_python: str | None = None
    server_settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    journal: Journal | None = None
    on_branches_changed: Callable[[], None] = lambda: None
    on_servers_changed: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.tasks = Tasks()
        self.workers = Workers()
        expiry = Expiry(self.settings.branch_days, self.settings.archive_days)
        self.branches = BranchBook(
            self.root, self.tasks, self.workers, self.journal,
            expiry=expiry, on_change=self.on_branches_changed,
        )  # fmt: skip
        self.imports = ImportIndex()
        self.answers = AnswerCache()
        self.planning = asyncio.Lock()
        """Checks that come together are planned one by one, so that the user's typing gets in."""
        self._choose_servers()
        self._progress: set[Progress] = set()
        self._takers: dict[str, list[object]] = {}
        hooks = Hooks(
            progress=self._on_progress,
            servers_changed=self.on_servers_changed,
            apply_edit=self._on_apply_edit,
        )
        self.pool = Pool(self.layout.logs, self.tasks.spawn, _limits(self.settings), hooks)
        self.unreadable: tuple[str, ...] = ()
        """Folders that the last scan could not list; said with every check (law 6)."""
        self._base = Base(FolderView(FolderReader(self.root), {}))

    def reconfigure(
        self, settings: Settings, server_settings: Mapping[str, Any], python: str | None
    ) -> None:
        """Take other settings; servers that they leave without use end when they are free."""
        self.settings, self.server_settings = settings, server_settings
        self.selected_python = python
        self._choose_again()

    def _choose_again(self) -> None:
        self._choose_servers()
        wanted = {choice.spec.key for choice in self.servers.all() if choice.spec is not None}
        self.pool.retire(lambda spec: spec.key not in wanted)

    def _choose_servers(self) -> None:
        self.catalogue = Catalogue.load(self.settings.servers)
        self.servers = ServerChooser(
            self.root,
            self.settings,
            self.trusted,
            self.catalogue,
            self.environ,
            self.selected_python,
            self.server_settings,
        )

        self.selection = Selection(
            {*self.catalogue.patterns, *self.catalogue.config_patterns, *ALIAS_FILES}
        )
        installed = _installed(self.servers.python.path)
        self._scanner = FolderScanner(functools.partial(scan, self.root, self.selection, installed))

    @property
    def base(self) -> Base:
        """The base at its present generation, without another look at the disk."""
        return self._base

    async def fresh_base(self) -> Base:
        """The base after a scan that started after this call."""
        found = await self._scanner.fresh()
        if self._base.folder.environment not in ("", found.environment):
            # What was installed may be an interpreter, a server, or another version of one.
            self._choose_again()
            found = await self._scanner.fresh()
        self.unreadable = tuple(f"{folder}/" for folder in found.unreadable)
        self._base = self._base.with_scan(found.files, found.environment)
        return self._base

    def set_buffer(self, path: str, buffer: Buffer | None) -> None:
        """The user opened, changed or (None) closed a document."""
        self._base = self._base.with_buffer(path, buffer)

    def covers(self, path: str) -> bool:
        """Whether a scan lists a file at this path, if it is there."""
        return self.selection.covers(path)

    def form_on_disk(self, path: str) -> tuple[Encoding, bool]:
        """How the file on disk is encoded, which an editor does not tell of its buffer."""
        try:
            packed = self._base.folder.packed(path)
        except (BadInput, Moved):
            return ("utf-8", False)
        return ("utf-8", False) if packed is None else packed.form

    @contextmanager
    def watching_servers(self, progress: Progress) -> Generator[None, None, None]:
        """Show the servers' own progress (starting, indexing) while the body runs."""
        self._progress.add(progress)
        try:
            yield
        finally:
            self._progress.discard(progress)

    @contextmanager
    def taking_edits(self, spec: ServerSpec) -> Generator[list[object], None, None]:
        """Collect the edits that a leased server asks for while the body runs."""
        taken: list[object] = []
        self._takers[spec.key] = taken
        try:
            yield taken
        finally:
            del self._takers[spec.key]

    async def close(self) -> None:
        """End the servers, tasks and workers, each within its limit."""
        await self.pool.close()
        await self.tasks.close()
        await self.workers.close()

    def _on_progress(self, step: ServerProgress) -> None:
        if not step.text:  # a bare begin or end: nothing that a person could read
            return
        message = f"{step.server}: {step.text}"
        known = step.percentage is not None
        for progress in tuple(self._progress):
            progress(message, step.percentage or 0, 100 if known else 0)

    def _on_apply_edit(self, spec: ServerSpec, edit: object) -> bool:
        """Only a request on a branch lets a server edit: there, edits become the branch's."""
        taken = self._takers.get(spec.key)
        if taken is None:
            return False
        taken.append(edit)
        return True


def _limits(settings: Settings) -> Limits:
    return Limits(
        idle_s=settings.idle_minutes * 60,
        memory_bytes=settings.memory_limit_mb * 1024 * 1024,
    )


def _installed(interpreter: Path | None) -> tuple[Path, ...]:
    """Folders outside the root whose change means that something was installed."""
    if interpreter is None:
        return ()
    prefix = interpreter.parent.parent
    return (*prefix.glob("lib/python*/site-packages"), prefix / "Lib" / "site-packages")
