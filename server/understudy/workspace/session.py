"""The session: the root of every mutable reference of one host, or of one ephemeral check."""

from __future__ import annotations

import asyncio
import functools
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from understudy.disk.added_servers import records_folder
from understudy.disk.folder.scan import Scan, scan
from understudy.disk.folder.scanner import FolderScanner
from understudy.disk.layout import Layout, user_context
from understudy.disk.voices import Voices
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.client import Hooks
from understudy.langserver.client import Progress as ServerProgress
from understudy.langserver.editor import EditorServers
from understudy.langserver.pool import Pool
from understudy.langserver.seat import ServerLimits
from understudy.langserver.spec import ServerSpec
from understudy.shadow.base import Base, Buffer
from understudy.values.paths import Root
from understudy.values.stamps import Stamp
from understudy.workspace.branches.book import BranchBook
from understudy.workspace.branches.in_folder import InFolder
from understudy.workspace.branches.overlaps import Overlaps
from understudy.workspace.branches.shelf import Expiry
from understudy.workspace.branches.verdicts import BranchVerdicts
from understudy.workspace.last_checks import LastChecks
from understudy.workspace.live_base import LiveBases
from understudy.workspace.progress import Progress
from understudy.workspace.selection import selection_with
from understudy.workspace.servers.answer_cache import AnswerCache
from understudy.workspace.servers.choice import ServerChooser
from understudy.workspace.servers.configuration_files import ConfigurationFiles
from understudy.workspace.servers.proof_book import ProofBook
from understudy.workspace.servers.stages import ServerStages
from understudy.workspace.servers.unseen import UnseenDrill
from understudy.workspace.settings import Settings
from understudy.workspace.tasks import Tasks
from understudy.workspace.workers import Workers

if TYPE_CHECKING:  # a check on the command line has no journal, so it should not load SQLite
    from understudy.disk.journal.journal import Journal
    from understudy.stage.choose import StageChooser
    from understudy.stage.model import Additions
    from understudy.workspace.binding_index import BindingIndex
    from understudy.workspace.commands.stages import CommandStages
    from understudy.workspace.context_place import ContextPlace
    from understudy.workspace.outlines.mapper import Mapper
    from understudy.workspace.outlines.names import NameIndex
    from understudy.workspace.outlines.outliner import Outliner
    from understudy.workspace.runs.stages import RunStages
    from understudy.workspace.servers.taken_files import TakenFiles
    from understudy.workspace.tools.catalogue import ToolCatalogue


@dataclass
class Session:
    """Owns the bases, the servers, the caches and the background tasks; everyone else borrows."""

    root: Root
    settings: Settings
    layout: Layout
    trusted: bool
    environ: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    selected_python: str | None = None
    server_settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    editor: EditorServers = field(default_factory=EditorServers)
    journal: Journal | None = None
    proofs: ProofBook = field(default_factory=ProofBook)
    beside_an_editor: bool = False
    """The user types meanwhile: language servers give way to other programs while they can."""
    on_branches_changed: Callable[[], None] = lambda: None
    on_servers_changed: Callable[[], None] = lambda: None
    on_mcp_changed: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self.tasks = Tasks()
        self.workers = Workers()
        expiry = Expiry(self.settings.branch_days, self.settings.archive_days)
        self.branches = BranchBook(
            self.root, self.tasks, self.workers, self.journal,
            expiry=expiry, on_change=self._branches_changed,
        )  # fmt: skip
        self.overlaps = Overlaps(
            self.tasks, self.workers, self.branches.all, self.on_branches_changed
        )
        self.verdicts = BranchVerdicts(self.on_branches_changed, lambda: self.refuted)
        self.last_checks = LastChecks()
        self.unlisted = BranchBook(self.root, self.tasks, self.workers)
        """Branches that the command line needs for one check: not kept, and shown to nobody."""
        self.answers = AnswerCache()
        self.words: dict[Stamp, str] = {}
        """What servers say of the result of a function that has none written, by their stamps."""
        self.drills: dict[Stamp, UnseenDrill] = {}
        """What came of asking servers in versions that nobody had seen, by their stamps."""
        self.planning = asyncio.Lock()
        """Checks that come together are planned one by one, so that the user's typing gets in."""
        self._choose_servers()
        self._set_names()
        self._progress: set[Progress] = set()
        self._takers: dict[str, list[object]] = {}
        hooks = Hooks(
            voices=Voices(self.layout.voices if self.journal is not None else None),
            progress=self._on_progress,
            servers_changed=self.on_servers_changed,
            apply_edit=self._on_apply_edit,
        )
        self.server_stages = ServerStages(lambda: self.stages)
        self.pool = Pool(
            self.layout.logs,
            self.tasks.spawn,
            _limits(self.settings, yields=self.beside_an_editor),
            hooks,
            self.server_stages.open,
        )
        self.unreadable: tuple[str, ...] = ()
        """Folders that the last scan could not list; said with every check (law 6)."""
        self._environment = ""
        self.bases = LiveBases(self.root, self._scan)
        self.in_folder = InFolder(
            self.root, self.tasks, self.branches, self.bases.documents, self.on_branches_changed,
        )  # fmt: skip

    @functools.cached_property
    def outliner(self) -> Outliner:
        """Outlines of files, kept by content."""
        from understudy.workspace.outlines.outliner import Outliner  # noqa: PLC0415 - it needs SQLite

        return Outliner(self.workers)

    @functools.cached_property
    def names(self) -> NameIndex:
        """What files declare, by name and by line."""
        from understudy.workspace.outlines.names import NameIndex  # noqa: PLC0415 - it loads parsers

        return NameIndex(self.workers)

    @functools.cached_property
    def context(self) -> ContextPlace:
        """Outputs, histories and skills as files."""
        from understudy.workspace.context_place import ContextPlace  # noqa: PLC0415 - see below

        return ContextPlace(self.layout.context, user_context())

    @functools.cached_property
    def tool_servers(self) -> ToolCatalogue:
        """The workspace's MCP servers and their tools."""
        from understudy.disk.store.tool_folder import McpFolder  # noqa: PLC0415 - see above
        from understudy.workspace.tools.catalogue import ToolCatalogue  # noqa: PLC0415 - see above
        from understudy.workspace.tools.servers import ServerFiles  # noqa: PLC0415 - see above

        files = ServerFiles(self.root, self.layout, self.environ, lambda: self.trusted)
        folder = McpFolder(self.layout.context)
        return ToolCatalogue(files, folder, self.layout, self.tasks, self.on_mcp_changed)

    @functools.cached_property
    def mapper(self) -> Mapper:
        """Maps of the folder."""
        from understudy.workspace.outlines.mapper import Mapper  # noqa: PLC0415 - it needs SQLite

        return Mapper(self.workers)

    def reconfigure(
        self,
        settings: Settings,
        server_settings: Mapping[str, Any],
        python: str | None,
        editor: EditorServers | None = None,
    ) -> None:
        """Take other settings; servers that they leave without use end when they are free."""
        self.settings, self.server_settings = settings, server_settings
        self.selected_python = python
        self.editor = editor or EditorServers()
        self._set_names()
        self._choose_again()

    def _branches_changed(self) -> None:
        self.on_branches_changed()
        self.overlaps.look_soon()

    def _set_names(self) -> None:
        for book in (self.branches, self.unlisted):
            book.names = self.settings.names

    def _choose_again(self) -> None:
        self._choose_servers()
        wanted = {choice.spec.key for choice in self.servers.all() if choice.spec is not None}
        self.pool.retire(lambda spec: spec.off_stage.key not in wanted)

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
            self.editor,
            self.proofs,
        )

        catalogue = self.catalogue
        self.selection = selection_with((*catalogue.patterns, *catalogue.config_patterns))
        self.configuration_files = ConfigurationFiles(self.catalogue.config_patterns)
        self.__dict__.pop("taken_files", None)
        installed = (records_folder(), *_installed(self.servers.python.path))
        self._scanner = FolderScanner(functools.partial(scan, self.root, self.selection, installed))

    async def _scan(self) -> Scan:
        """What a scan that started after this call has found."""
        found = await self._scanner.fresh()
        if self._environment not in ("", found.environment):
            # What was installed may be an interpreter, a server, or another version of one.
            self._environment = found.environment
            self._choose_again()
            found = await self._scanner.fresh()
        self._environment = found.environment
        self.unreadable = tuple(f"{folder}/" for folder in found.unreadable)
        return found

    @property
    def refuted(self) -> frozenset[object]:
        """What is known to have answered wrong; what could not be kept is known to this one."""
        unkept = (stamp for stamp, drill in self.drills.items() if drill.doubt is not None)
        return self.proofs.refuted.union(unkept)

    @property
    def base(self) -> Base:
        """The base of this process' own connection, without another look at the disk."""
        return self.bases.own.now

    async def fresh_base(self) -> Base:
        """The base of this process' own connection, after a scan that started after this call."""
        return await self.bases.own.fresh()

    def set_buffer(self, path: str, buffer: Buffer | None) -> None:
        """The user opened, changed or (None) closed a document in this process' own editor."""
        self.bases.own.set_buffer(path, buffer)

    def covers(self, path: str) -> bool:
        """Whether a scan lists a file at this path, if it is there."""
        return self.selection.covers(path)

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

    @functools.cached_property
    def bindings(self) -> BindingIndex:
        """Who binds what; made at the first use, while a check's servers start."""
        from understudy.workspace.binding_index import BindingIndex  # noqa: PLC0415 - see above

        return BindingIndex(
            self.workers, self.layout.bindings if self.journal is not None else None
        )

    @functools.cached_property
    def taken_files(self) -> TakenFiles:
        """What the configuration of each server takes from other files."""
        from understudy.workspace.servers.taken_files import TakenFiles  # noqa: PLC0415 - see above

        return TakenFiles(self.root, self.workers, self.configuration_files)

    @functools.cached_property
    def stages(self) -> StageChooser:
        """The kinds of stages; made at the first use, as most checks need none."""
        from understudy.stage.choose import StageChooser  # noqa: PLC0415 - see above

        log = self.layout.log("stage")
        return StageChooser(self.layout.stages, log, self.tasks.spawn, self._added_to_stages)

    def _added_to_stages(self, environ: Mapping[str, str]) -> Additions:
        from understudy.workspace.stage_additions import additions  # noqa: PLC0415 - see above

        return additions(self.settings.stage_home, self.settings.stage_env, environ)

    @functools.cached_property
    def run_stages(self) -> RunStages:
        """The stages that commands of branches share or come back to."""
        from understudy.workspace.runs.stages import RunStages  # noqa: PLC0415 - see above

        return RunStages(self.stages, self.layout.products)

    @functools.cached_property
    def commands(self) -> CommandStages:
        """The stages of checking commands."""
        from understudy.workspace.commands.stages import CommandStages  # noqa: PLC0415 - see above

        return CommandStages(lambda: self.stages)

    async def close(self) -> None:
        """End the servers, stages, tasks and workers, each within its limit."""
        await self.pool.close()
        if "tool_servers" in self.__dict__:
            await self.tool_servers.close()
        if "run_stages" in self.__dict__:
            await self.run_stages.close()
        if "commands" in self.__dict__:
            await self.commands.close()
        if "stages" in self.__dict__:
            await self.stages.close()
        if "bindings" in self.__dict__:
            await self.bindings.close()
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


def _limits(settings: Settings, *, yields: bool) -> ServerLimits:
    return ServerLimits(
        idle_s=settings.idle_minutes * 60,
        memory_bytes=settings.memory_limit_mb * 1024 * 1024,
        yields=yields,
    )


def _installed(interpreter: Path | None) -> tuple[Path, ...]:
    """Folders outside the root whose change means that something was installed."""
    if interpreter is None:
        return ()
    prefix = interpreter.parent.parent
    return (*prefix.glob("lib/python*/site-packages"), prefix / "Lib" / "site-packages")
