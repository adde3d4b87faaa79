"""Which files of a snapshot configure servers; light to load, as every session has one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from understudy.disk.folder.scan import Selection
from understudy.shadow.folder import Fingerprint
from understudy.shadow.snapshot import Snapshot


class ConfigurationFiles:
    """Finds the files of a snapshot that configure any server; the folder's once a scan."""

    def __init__(self, patterns: Iterable[str]) -> None:
        self._selection = Selection(frozenset(patterns))
        self._scanned: Mapping[str, Fingerprint] = {}
        self._found: tuple[str, ...] = ()

    def of(self, snapshot: Snapshot) -> list[str]:
        """Their paths, sorted."""
        files = snapshot.base.folder.files
        if files is not self._scanned:
            self._scanned, self._found = files, self._among(files)
        return sorted({*self._found, *self._among(snapshot.overlay)})

    def _among(self, paths: Iterable[str]) -> tuple[str, ...]:
        return tuple(path for path in paths if self._selection.covers(path))
