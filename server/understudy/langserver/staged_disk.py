"""The disk of a server that runs on a stage: the user's folder with what a snapshot has otherwise.

No server believes that a file is gone, new or renamed unless its disk says so, and configuration is
read from disk alone. On a stage the disk can say so without the user's folder being touched.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from understudy.dependents.places import folders_of
from understudy.langserver.folder_follower import (
    CHANGED,
    CREATED,
    DELETED,
    MAX_CHANGED,
    NeedsRestart,
    concerns,
    disk_now,
)
from understudy.langserver.spec import ServerSpec
from understudy.process.launch import Spawn
from understudy.process.running import Running
from understudy.shadow.folder import Fingerprint, FolderView
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.texts import PackedText

_FIRST_MTIME = 1_000_000_000
"""Seconds since 1970 of the first write; each later one gets a whole second of its own.

A server that looks at sizes and times in whole seconds still sees every change.
"""


class ServerStage(Protocol):
    """A private view of the user's folder at its own path, and the programs that run on it."""

    async def write(
        self, files: Mapping[str, bytes | None], mtimes: Mapping[str, int] | None = None
    ) -> None:
        """Show these texts at root-relative paths (None: no file there); mtimes in seconds."""
        ...

    async def read(self, path: str) -> bytes | None:
        """What the stage shows at a path now."""
        ...

    async def launch(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        env: Mapping[str, str],
        log: Path,
        spawn: Spawn,
    ) -> Running:
        """Start a program on the stage, with pipes, as `process.launch` does."""
        ...

    async def close(self) -> None:
        """End what runs on it and forget what was written."""
        ...


OpenStage = Callable[[ServerSpec], Awaitable[ServerStage]]
"""Opens a stage for one server process; raises OutsideFailure."""


class StagedDisk:
    """Makes the stage's disk that of one snapshot after another.

    What was written once is ours from then on: it hides the user's file, so that every later
    snapshot's text is written there too. What the user changes while the stage is open is written
    as well: a stage may go on showing the old file, or show the new one too early. Texts that a
    server is shown as open documents are left to them, unless they are among these.
    """

    def __init__(
        self,
        stage: ServerStage,
        spec: ServerSpec,
        environment: str,
        found: Mapping[str, Fingerprint],
        spawn: Spawn,
    ) -> None:
        self.stage = stage
        self._profile = spec.profile
        self._is_configured = bool(spec.staged)
        self._spawn = spawn
        self._environment = environment
        self._found = found
        self._folder: FolderView | None = None
        self._scan: Mapping[str, Fingerprint] | None = None
        self._moved: set[str] = set()
        self._written: dict[str, str | None] = {}
        self._told: dict[str, str | None] = {}
        self._doubtful: set[str] = set()
        self._writing: asyncio.Task[None] | None = None
        self._mtime = _FIRST_MTIME
        self._n_files: Counter[str] | None = None
        self._in_use = False

    @staticmethod
    async def open(
        open_stage: OpenStage, spec: ServerSpec, snapshot: Snapshot, spawn: Spawn
    ) -> StagedDisk:
        """A new stage that shows the snapshot's files; raises as `follow` and the stage do."""
        folder = snapshot.base.folder
        found = await disk_now(folder, spec.profile)  # before the stage has looked at any
        stage = await open_stage(spec)
        disk = StagedDisk(stage, spec, folder.environment, found, spawn)
        try:
            disk._look_at(folder)
            await disk._turn(snapshot)
            disk._told = dict(disk._written)
            disk._in_use = True
        finally:
            if not disk._in_use:
                await stage.close()
        return disk

    async def follow(self, snapshot: Snapshot) -> Mapping[str, int]:
        """Show another snapshot's files; returns path -> kind of event to send.

        Raises NeedsRestart when only a new process on a new stage can see it; Moved; BadInput and
        OutsideFailure as the stage does. Whatever it raises, the next call makes good for it.
        """
        self._look_at(snapshot.base.folder)
        await self._turn(snapshot)
        events = self._events()
        if events and self._profile.folder_events == "restart" and self._profile.scope == "project":
            raise NeedsRestart("its stage shows other files")
        self._told = dict(self._written)
        return events

    async def close(self) -> None:
        """End what runs there and forget what was written."""
        await self.stage.close()

    def _events(self) -> dict[str, int]:
        """What has changed since it was told last: files, and folders that came or went."""
        events: dict[str, int] = {}
        around: set[str] = set()
        for path, digest in self._written.items():
            was = self._told[path] if path in self._told else self._at_first(path)
            if was == digest or not concerns(self._profile, path):
                continue
            kind = CREATED if was is None else CHANGED
            events[path] = DELETED if digest is None else kind
            if events[path] != CHANGED:
                around.update(folders_of(path))
        if around:
            held, holds = self._held(self._told), self._held(self._written)
            for folder in around:
                if (folder in held) != (folder in holds):
                    events[folder] = CREATED if folder in holds else DELETED
        assert self._folder is not None
        for path in tuple(events):  # a server may know it by another path
            events.update(dict.fromkeys(self._folder.links.others(path), events[path]))
        return events

    def _held(self, state: Mapping[str, str | None]) -> set[str]:
        """The folders that hold any file we know of, with these files written."""
        if self._n_files is None:
            self._n_files = Counter(f for path in self._found for f in folders_of(path))
        more: Counter[str] = Counter()
        for path, digest in state.items():
            number = (digest is not None) - (self._at_first(path) is not None)
            if number:
                more.update(dict.fromkeys(folders_of(path), number))
        total = self._n_files
        gone = {folder for folder, number in more.items() if total[folder] + number <= 0}
        return (total.keys() | more.keys()) - gone

    def _look_at(self, folder: FolderView) -> None:
        """Note what the user has changed since the stage was opened."""
        scan = folder.on_disk
        if folder is self._folder and scan is self._scan:
            return
        if self._profile.environment and folder.environment != self._environment:
            raise NeedsRestart("what is installed around the folder has changed")
        if self._folder is not None and folder.links != self._folder.links:
            raise NeedsRestart("links in the folder have changed")
        self._folder, self._scan = folder, scan
        moved = folder.unlike(self._found)
        self._moved.update(path for path in moved if concerns(self._profile, path))
        if len(self._moved) > MAX_CHANGED:
            raise NeedsRestart("many files have changed on disk")

    async def _turn(self, snapshot: Snapshot) -> None:
        """Write what the stage does not show as the snapshot has it."""
        await self._settle()
        wanted: dict[str, PackedText | None] = {}
        ours = self._written.keys() | self._moved | self._doubtful | self._unlike(snapshot)
        for path in snapshot.written(ours):
            text = self._text(snapshot, path)
            known = path in self._written and path not in self._doubtful
            if not known or self._written[path] != (None if text is None else text.digest):
                wanted[path] = text
        if self._in_use:
            for path in wanted:
                if self._profile.is_config(path):
                    raise NeedsRestart(f"{path} has changed on disk")
        if wanted:
            await self._write(wanted)

    def _text(self, snapshot: Snapshot, path: str) -> PackedText | None:
        """The snapshot's text at a path; what the user made later is not in it."""
        is_later = path in self._moved and path not in snapshot.base.folder.files
        if is_later and path not in snapshot.overlay:
            return None
        try:
            return snapshot.packed(path)
        except BadInput as error:
            raise NeedsRestart(f"{path} cannot be staged: {error.text}") from error

    def _unlike(self, snapshot: Snapshot) -> set[str]:
        """The paths that no open document can show as the snapshot has them.

        Without configuration, unless the stage is for one: else what differs does not matter.
        """
        return {
            path
            for path in snapshot.unlike_disk
            if self._is_configured  # by any file, also by one that it judges
            or (
                not self._profile.is_config(path)
                and (
                    self._profile.reads_disk
                    or self._profile.language_of(path) is None
                    or not snapshot.exists(path)
                    or not _is_there(snapshot.base.folder, path)
                )
            )
        }

    async def _write(self, wanted: Mapping[str, PackedText | None]) -> None:
        """Write to the stage; who is cancelled meanwhile leaves the write to go on."""
        files = {path: None if t is None else t.unpack().encode() for path, t in wanted.items()}
        # Folders, too: the system's own times for them are as coarse as a few milliseconds, and
        # ty keeps what it has listed as long as a folder's time is the same.
        timed = [*wanted, *sorted({f for path in wanted for f in folders_of(path)}), "."]
        mtimes = {path: self._mtime + number for number, path in enumerate(timed, 1)}
        self._mtime += len(timed)
        self._doubtful |= wanted.keys()
        outcome: list[UnderstudyError | None] = []

        async def apply() -> None:
            try:
                await self.stage.write(files, mtimes)
                outcome.append(None)
            except UnderstudyError as failure:
                outcome.append(failure)

        self._writing = self._spawn(apply(), "writing to a stage")
        await self._settle()
        failure = outcome[0] if outcome else OutsideFailure("stage-failed", "a write was cut off")
        if failure is not None:
            raise failure
        for path in sorted(wanted.keys() & self._moved):
            if await self.stage.read(path) != files[path]:
                raise NeedsRestart(f"the stage does not show {path} as it is by now")
        self._written.update((p, None if t is None else t.digest) for p, t in wanted.items())
        self._doubtful -= wanted.keys()

    async def _settle(self) -> None:
        """Wait for the write that an abandoned turn has left."""
        if self._writing is not None:
            await asyncio.wait([self._writing])
            self._writing = None

    def _at_first(self, path: str) -> str | None:
        """What stands for the text that the stage found at a path; None: there was no file."""
        if path in self._found or concerns(self._profile, path):
            return "" if path in self._found else None
        assert self._folder is not None
        return "" if _is_there(self._folder, path) else None


def _is_there(folder: FolderView, path: str) -> bool:
    return path in folder.files or folder.reader.fingerprint(path) is not None
