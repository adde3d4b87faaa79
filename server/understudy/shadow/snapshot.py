"""A snapshot: a base generation plus a branch's edits; `read` always gives the same text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import cached_property
from types import MappingProxyType

from understudy.shadow.base import Base
from understudy.shadow.folder import FolderView
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp, stamp_of
from understudy.values.texts import PackedText, Text


@frozen
class Snapshot:
    """A base and what a branch puts over it: path -> text, or None for deleted.

    `edits` name files by their real paths; whatever is asked by another path of such a file (a link
    in the folder leads to it) is answered as by that one.
    `conflicts` names the paths where the branch's edits no longer fit the base; such a path reads
    as the branch has it and can only be judged `unknown: conflict`. `origins` maps a renamed
    path to the one it came from. `forgotten` names the paths whose text of then nobody knows; they
    read as they are now and can only be judged `unknown: base-unknown`. `unread` names those that
    were otherwise then, of a kind that no server judges. `closed` maps folders of which nobody
    knows what they held then (submodules) to why.
    """

    base: Base
    edits: Mapping[str, PackedText | None] = field(default_factory=dict[str, PackedText | None])
    origins: Mapping[str, str] = field(default_factory=dict[str, str])
    conflicts: frozenset[str] = frozenset()
    forgotten: frozenset[str] = frozenset()
    unread: frozenset[str] = frozenset()
    closed: Mapping[str, str] = field(default_factory=dict[str, str])

    def read(self, path: str) -> Text | None:
        """The text at `path`, None if there is none. Raises Moved, BadInput as the base does."""
        packed = self.packed(path)
        return None if packed is None else packed.unpack()

    def digest(self, path: str) -> str | None:
        """The digest of the text at `path`, None if there is none; raises as `read` does."""
        packed = self.packed(path)
        return None if packed is None else packed.digest

    def packed(self, path: str) -> PackedText | None:
        """What `read` gives, at rest; raises the same."""
        return self.shown[path] if path in self.shown else self.base.folder.packed(path)

    def exists(self, path: str) -> bool:
        """Whether there is a file at `path`, without reading it."""
        if path in self.shown:
            return self.shown[path] is not None
        return self.base.folder.exists(path)

    def paths(self) -> frozenset[str]:
        """All known paths: the scan's, the open buffers' and the branch's, less the deleted."""
        known = set(self.base.folder.files) | set(self.overlay)
        return frozenset(known - {path for path, text in self.shown.items() if text is None})

    @cached_property
    def overlay(self) -> Mapping[str, PackedText | None]:
        """All that may not be as on disk: unsaved buffers, then the branch's edits."""
        real = self.base.folder.links.real
        over: dict[str, PackedText | None] = {
            real(path): buffer.text for path, buffer in self.base.buffers.items()
        }
        over.update(self.edits)
        return MappingProxyType(over)

    @cached_property
    def shown(self) -> Mapping[str, PackedText | None]:
        """The overlay by all paths of its files."""
        links = self.base.folder.links
        if not links:
            return self.overlay
        others = {
            other: text for path, text in self.overlay.items() for other in links.others(path)
        }
        return MappingProxyType({**others, **self.overlay})

    def is_another_path(self, path: str) -> bool:
        """Whether a file is known by another path, its real one, and not listed under this."""
        folder = self.base.folder
        return path not in folder.files and folder.links.real(path) != path

    def written(self, paths: Iterable[str]) -> list[str]:
        """Those that a disk is written by, sorted: a link shows what it leads to."""
        links = self.base.folder.links.targets
        return sorted(path for path in paths if path not in links or not self.exists(path))

    @cached_property
    def unlike_disk(self) -> frozenset[str]:
        """The paths of the overlay whose text or existence differs from the file on disk."""
        folder = self.base.folder
        return frozenset(
            path
            for path, text in self.overlay.items()
            if (None if text is None else text.digest) != _digest_or_none(folder, path)
        )

    @cached_property
    def stamp(self) -> Stamp:
        """Names all texts of the snapshot: overlay digests and the folder's fingerprints."""
        parts: list[str | None] = [self.base.folder.stamp]
        for path in sorted(self.overlay):
            text = self.overlay[path]
            parts += [path, None if text is None else text.digest]
        return stamp_of(parts)


def _digest_or_none(folder: FolderView, path: str) -> str | None:
    """The disk file's digest; an unreadable kind of file (binary, huge) is like no text at all."""
    try:
        packed = folder.packed(path)
    except BadInput:
        return None
    return None if packed is None else packed.digest
