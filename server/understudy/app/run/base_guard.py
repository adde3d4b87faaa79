"""The base guard of a run: did the user's folder or buffers change while a command ran?"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from understudy.disk.folder.scan import Selection, scan
from understudy.shadow.base import Buffer
from understudy.shadow.folder import Fingerprint
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.stamps import Stamp, stamp_of
from understudy.workspace.runs.stages import PACKAGES

EVERYTHING = Selection(["*"])
"""What a command may read."""


@frozen
class FolderState:
    """All of a folder but caches and installed packages, whose lists count instead."""

    files: Mapping[str, Fingerprint]
    environment: str

    @property
    def stamp(self) -> Stamp:
        """Names this state."""
        parts = [self.environment]
        for path in sorted(self.files):
            mark = self.files[path]
            parts += [path, f"{mark.mtime_ns} {mark.size} {mark.inode} {mark.changed_ns}"]
        return stamp_of(parts)

    def moved(self, later: FolderState) -> tuple[str, ...]:
        """The paths that differ, sorted; `PACKAGES` for what is installed."""
        changed = {path for path, _ in self.files.items() ^ later.files.items()}
        packages = [PACKAGES] if self.environment != later.environment else []
        return (*sorted(changed), *packages)


async def folder_state(root: Root) -> FolderState:
    """Look at every file's fingerprint; a command may read any of them."""
    found = await asyncio.to_thread(scan, root, EVERYTHING)
    return FolderState(found.files, found.environment)


def typed_meanwhile(before: Mapping[str, Buffer], now: Mapping[str, Buffer]) -> tuple[str, ...]:
    """The paths of documents that were opened, changed or closed, by their text."""

    def digests(buffers: Mapping[str, Buffer]) -> dict[str, str]:
        return {path: buffer.text.digest for path, buffer in buffers.items()}

    return tuple(sorted(path for path, _ in digests(before).items() ^ digests(now).items()))
