"""A snapshot: a base generation plus a branch's edits; `read` always gives the same text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from understudy.shadow.base import Base
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.texts import PackedText, Text


@dataclass(frozen=True)
class Snapshot:
    """A base and what a branch puts over it: path -> text, or None for deleted.

    `conflicts` names the paths where the branch's edits no longer fit the base; such a path reads
    as the branch has it and can only be judged `unknown: conflict`. `origins` maps a renamed
    path to the one it came from.
    """

    base: Base
    edits: Mapping[str, PackedText | None] = MappingProxyType({})
    origins: Mapping[str, str] = MappingProxyType({})
    conflicts: frozenset[str] = frozenset()

    def read(self, path: str) -> Text | None:
        """The text at `path`, None if there is none. Raises Moved, BadInput as the base does."""
        if path in self.edits:
            edited = self.edits[path]
            return None if edited is None else edited.unpack()
        return self.base.read(path)

    def exists(self, path: str) -> bool:
        """Whether there is a file at `path`, without reading it."""
        if path in self.edits:
            return self.edits[path] is not None
        if path in self.base.buffers or path in self.base.folder.files:
            return True
        return self.base.folder.reader.fingerprint(path) is not None

    def paths(self) -> frozenset[str]:
        """All known paths: the scan's, the open buffers' and the branch's, less the deleted."""
        known = set(self.base.folder.files) | set(self.base.buffers) | set(self.edits)
        return frozenset(known - {path for path, text in self.edits.items() if text is None})

    @cached_property
    def overlay(self) -> Mapping[str, PackedText | None]:
        """Everything that is (or may be) not as on disk: unsaved buffers, then the branch's edits."""
        over: dict[str, PackedText | None] = {
            path: buffer.text for path, buffer in self.base.buffers.items()
        }
        over.update(self.edits)
        return MappingProxyType(over)

    @cached_property
    def stamp(self) -> Stamp:
        """Names all texts of the snapshot: overlay digests and the folder's fingerprints."""
        parts: list[str | None] = [self.base.folder.stamp]
        for path in sorted(self.overlay):
            text = self.overlay[path]
            parts += [path, None if text is None else text.digest]
        return stamp_of(parts)
