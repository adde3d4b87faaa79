"""The live base: what one connection's user has, as it moves. Two windows are two bases."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace

from understudy.disk.folder.scan import FolderReader, Scan
from understudy.shadow.base import Base, Buffer
from understudy.shadow.folder import FolderView, LatestScan, Moved
from understudy.values.errors import BadInput
from understudy.values.paths import Root
from understudy.values.texts import Encoding


class LiveBase:
    """Owns the reference to one connection's base; everyone else gets its immutable values."""

    def __init__(
        self,
        root: Root,
        scan: Callable[[], Awaitable[Scan]],
        changed: Callable[[LiveBase], None],
        latest: LatestScan | None = None,
    ) -> None:
        self._scan = scan
        self._changed = changed
        self._base = Base(FolderView(FolderReader(root), {}, latest=latest))
        self.watchers: set[Callable[[str], None]] = set()
        """Each is called with the path of a document that was opened, changed or closed."""

    @property
    def now(self) -> Base:
        """The base at its present generation, without another look at the disk."""
        return self._base

    async def fresh(self) -> Base:
        """The base after a scan that started after this call."""
        found = await self._scan()
        self._base = self._base.with_scan(found.files, found.environment, found.inside)
        self._base.folder.be_latest()
        return self._base

    def set_buffer(self, path: str, buffer: Buffer | None) -> None:
        """The user opened, changed or (None) closed a document."""
        self._base = self._base.with_buffer(path, buffer)
        self._changed(self)
        for watcher in tuple(self.watchers):
            watcher(path)

    def is_unsaved(self, path: str) -> bool:
        """Whether the document is open with another text than the file on disk has."""
        buffer = self._base.buffers.get(path)
        if buffer is None:
            return False
        try:
            packed = self._base.folder.packed(path)
        except (BadInput, Moved):
            return True
        return packed is None or packed.digest != buffer.text.digest

    def form_on_disk(self, path: str) -> tuple[Encoding, bool]:
        """How the file on disk is encoded, which an editor does not tell of its buffer."""
        try:
            packed = self._base.folder.packed(path)
        except (BadInput, Moved):
            return ("utf-8", False)
        return ("utf-8", False) if packed is None else packed.form


@dataclass
class LiveBases:
    """The bases of all connections of a host. `own` is that of its own process' connection."""

    root: Root
    scan: Callable[[], Awaitable[Scan]]
    own: LiveBase = field(init=False)
    _latest: LatestScan = field(init=False, default_factory=lambda: LatestScan({}))
    _others: list[LiveBase] = field(init=False, default_factory=list[LiveBase])
    _last_typed: LiveBase = field(init=False)

    def __post_init__(self) -> None:
        self.own = self._last_typed = self._new()

    def open(self) -> LiveBase:
        """A base for one more connection, without open documents."""
        base = self._new()
        self._others.append(base)
        return base

    def close(self, base: LiveBase) -> None:
        """The connection is gone, and its documents with it."""
        self._others.remove(base)
        if self._last_typed is base:
            typed_in = [one for one in (*self._others, self.own) if one.now.buffers]
            self._last_typed = typed_in[-1] if typed_in else self.own

    @property
    def of_user(self) -> LiveBase:
        """The base of the editor that was typed in last: what agents without an editor work over.

        Without an editor that is the disk.
        """
        return self._last_typed

    async def disk(self, touched: Collection[str]) -> Base:
        """The files on disk as they are now, and those touched ones that any editor has open.

        Writing below an open document would set the editor's text against the disk's.
        """
        base = await self.own.fresh()
        held = {
            path: buffer
            for live in (*self._others, self.own)
            for path, buffer in live.now.buffers.items()
            if path in touched
        }
        return replace(base, buffers=held)

    def documents(self, paths: Collection[str]) -> list[Mapping[str, Buffer]]:
        """What each connection that has one of these files open has of them."""
        held = (
            {path: buffer for path, buffer in live.now.buffers.items() if path in paths}
            for live in (*self._others, self.own)
        )
        return [buffers for buffers in held if buffers]

    def elsewhere(self, mine: LiveBase) -> frozenset[str]:
        """The paths that other connections have open with a text that the disk does not have."""
        return frozenset(
            path
            for live in (*self._others, self.own)
            if live is not mine
            for path in live.now.buffers
            if live.is_unsaved(path)
        )

    def _new(self) -> LiveBase:
        return LiveBase(self.root, self.scan, self._is_changed, self._latest)

    def _is_changed(self, base: LiveBase) -> None:
        self._last_typed = base
