"""The base: one editor connection's open buffers over the folder. We only read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from types import MappingProxyType

from understudy.shadow.folder import Fingerprint, FolderView
from understudy.shadow.links import Links
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText, Text


@frozen
class Buffer:
    """An open document as the editor sent it; `version` is the editor's own counter."""

    text: PackedText
    language_id: str
    version: int


@frozen
class Base:
    """What the user has, at one generation; every change makes a new value with the next one."""

    folder: FolderView
    buffers: Mapping[str, Buffer] = field(default_factory=dict[str, Buffer])
    generation: int = 0

    def read(self, path: str) -> Text | None:
        """The user's text: the open buffer, else the file on disk, else None."""
        buffer = self.buffers.get(path)
        return buffer.text.unpack() if buffer is not None else self.folder.read(path)

    def packed(self, path: str) -> PackedText | None:
        """What `read` gives, at rest; raises the same."""
        buffer = self.buffers.get(path)
        return buffer.text if buffer is not None else self.folder.packed(path)

    def with_buffer(self, path: str, buffer: Buffer | None) -> Base:
        """The next generation, with a document opened, changed, or (None) closed."""
        buffers = {name: kept for name, kept in self.buffers.items() if name != path}
        if buffer is not None:
            buffers[path] = buffer
        return replace(self, buffers=MappingProxyType(buffers), generation=self.generation + 1)

    def with_scan(
        self, files: Mapping[str, Fingerprint], environment: str, links: Links | None = None
    ) -> Base:
        """The next generation after a scan; the same value if nothing on disk has changed.

        `links` are as they were where the scan does not say (None).
        """
        known = self.folder
        links = known.links if links is None else links
        same = (files is known.files or files == known.files) and links == known.links
        if same and environment == known.environment and known.pins_hold():
            return self
        folder = self.folder.advanced(files, environment, links)
        return replace(self, folder=folder, generation=self.generation + 1)
