"""What a server has been told of the disk, and where a snapshot's folder is another."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from understudy.dependents.places import turned_folders
from understudy.langserver.profile import Profile
from understudy.shadow.folder import Fingerprint, FolderView
from understudy.values.verdicts import Reason

CREATED, CHANGED, DELETED = 1, 2, 3
MAX_CHANGED = 50
"""More files changed on disk than this mean a new process rather than as many open documents."""

_INLINE_FILES = 2000


class NeedsRestart(Exception):
    """The server cannot be told of a change on disk for certain; a new process reads it."""


@dataclass
class FolderFollower:
    """Follows the disk for one server process.

    differing: files whose disk text is not the snapshot's, or whose change the server may have
        missed: they are shown as open documents.
    hidden: files that exist on disk but not in the snapshot's folder, or the other way round, so
        that no server that reads the disk can be shown this snapshot.
    """

    profile: Profile
    differing: set[str] = field(default_factory=set[str])
    hidden: set[str] = field(default_factory=set[str])
    _folder: FolderView | None = None
    _scan: Mapping[str, Fingerprint] | None = None
    """The latest scan when the disk was looked at last."""
    _disk: dict[str, Fingerprint] = field(default_factory=lambda: {})
    _missed: set[str] = field(default_factory=set[str])

    def start_from(self, folder: FolderView) -> None:
        """Take a folder view from before the process started for what it has read of the disk.

        The first `follow` then tells it what has changed since.
        """
        self._folder, self._disk = folder, dict(folder.files)

    async def follow(self, folder: FolderView) -> Mapping[str, int]:
        """Turn to another folder view; returns path -> kind of event to send. Raises NeedsRestart.

        The disk is looked at again only for files that are not as they were told, in this view or
        in the latest scan: a server that reads a file again for an older view finds it as it is by
        now.
        """
        scan = folder.on_disk
        if folder is self._folder and scan is self._scan:
            return {}
        former = self._folder
        if former is None:
            self._disk = await disk_now(folder, self.profile)
            moved = _difference(folder.files, self._disk)
            self._sort_out(folder, {path for path in moved if self._concerns(path)})
            self._folder, self._scan = folder, scan
            return {}
        if self.profile.environment and folder.environment != former.environment:
            raise NeedsRestart("what is installed around the folder has changed")
        if folder.links != former.links:
            raise NeedsRestart("links in the folder have changed")
        if len(folder.files) > _INLINE_FILES:
            moved = await asyncio.to_thread(folder.unlike, self._disk)
        else:
            moved = folder.unlike(self._disk)
        self._folder, self._scan = folder, scan  # from here on nothing can be cancelled
        concerned = {path for path in moved if self._concerns(path)}
        events = self._update_disk(folder, concerned)
        for path in tuple(events):  # a server may know it by another path
            events.update(dict.fromkeys(folder.links.others(path), events[path]))
        turned = {path for path, kind in events.items() if kind != CHANGED}
        for place in turned_folders(turned, former.files, folder.files):
            held = any(path.startswith(f"{place}/") for path in folder.files)
            events[place] = CREATED if held else DELETED
        self._sort_out(folder, concerned)
        if self.profile.tell_changes:
            events |= dict.fromkeys(_difference(folder.files, former.files), CHANGED)
        return events

    def _update_disk(self, folder: FolderView, concerned: set[str]) -> dict[str, int]:
        events: dict[str, int] = {}
        for path in sorted(concerned):
            now, told = folder.reader.fingerprint(path), self._disk.get(path)
            if now == told:
                continue
            read = self.profile.folder_events == "restart" and self.profile.reads_file(path)
            if read or self.profile.is_config(path):
                raise NeedsRestart(f"{path} has changed on disk")
            if now is None:
                events[path] = DELETED
                del self._disk[path]
            else:
                events[path] = CREATED if told is None else CHANGED
                self._disk[path] = now
        if self.profile.folder_events == "restart" and self.profile.scope == "project":
            if any(kind != CHANGED for kind in events.values()) or len(events) > MAX_CHANGED:
                raise NeedsRestart("files have come or gone on disk")
            self._missed |= events.keys()
        return events

    def _sort_out(self, folder: FolderView, concerned: set[str]) -> None:
        self.differing = set(self._missed)
        self.hidden = set()
        for path in concerned:
            mine, disk = folder.files.get(path), self._disk.get(path)
            if mine == disk:
                continue
            shown_in_memory = mine is not None and (
                disk is not None or self.profile.new_file == "memory"
            )
            judged = self.profile.language_of(path) is not None
            if shown_in_memory and judged and not self.profile.is_config(path):
                self.differing.add(path)
            else:
                self.hidden.add(path)

    def _concerns(self, path: str) -> bool:
        return concerns(self.profile, path)


def concerns(profile: Profile, path: str) -> bool:
    """Whether a server has to do with a file: judges it, or reads it from disk."""
    return (
        profile.language_of(path) is not None or profile.is_config(path) or profile.reads_file(path)
    )


async def disk_now(folder: FolderView, profile: Profile) -> dict[str, Fingerprint]:
    """The view's files that concern the server, as a process that starts now will find them."""
    known = folder.files if folder.on_disk is folder.files else {**folder.on_disk, **folder.files}
    paths = [path for path in known if concerns(profile, path)]

    def fingerprints() -> dict[str, Fingerprint]:
        found = ((path, folder.reader.fingerprint(path)) for path in paths)
        return {path: mark for path, mark in found if mark is not None}

    if len(paths) > _INLINE_FILES // 10:
        return await asyncio.to_thread(fingerprints)
    return fingerprints()


def _difference(one: Mapping[str, Fingerprint], other: Mapping[str, Fingerprint]) -> set[str]:
    return {path for path, _ in one.items() ^ other.items()}


def hidden_reason(hidden: frozenset[str]) -> Reason:
    """Why nothing is known where a server sees these files otherwise than the snapshot."""
    first = min(hidden)
    more = f" and {len(hidden) - 1} more" if len(hidden) > 1 else ""
    text = f"the folder has gone on since: {first}{more} came, went or decides; check again"
    return Reason("base-unknown", text)
