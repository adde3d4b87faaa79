"""What a command printed about places, made ours: root-relative paths, columns in code points."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from understudy.checkers.cargo import may_take_in, reads_elsewhere
from understudy.checkers.go_vet import spread
from understudy.checkers.model import Listing, Remark, Stop
from understudy.checkers.profile import Coverage
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.findings import Finding
from understudy.values.positions import LineIndex, Position, PositionEncoding, Range


@dataclass
class OutputPlaces:
    """Makes what a command printed root-relative, and its columns ours."""

    root: Path
    inside: PurePosixPath
    snapshot: Snapshot
    columns: PositionEncoding
    coverage: Coverage
    """Where a file has several paths, `arguments` are named as they were given."""
    packages: dict[str, str] = field(default_factory=lambda: {})
    """Of a listing: root-relative file -> the package it is in."""
    listing: Listing | None = None

    def path(self, printed: str) -> str | None:
        """The root-relative path, links followed; None for what lies outside the root."""
        absolute = os.path.normpath(self.root / self.inside / printed)
        for candidate in (absolute, os.path.realpath(absolute)):
            relative = os.path.relpath(candidate, self.root)
            if relative != ".." and not relative.startswith(f"..{os.sep}"):
                found = PurePosixPath(Path(relative)).as_posix()
                links = self.snapshot.base.folder.links
                return found if self.coverage == "arguments" else links.real(found)
        return None

    def _outside(self, printed: str) -> str:
        absolute = os.path.normpath(self.root / self.inside / printed)
        return PurePosixPath(Path(os.path.relpath(absolute, self.root))).as_posix()

    def stops(self, stops: Sequence[Stop]) -> list[Stop]:
        """The same by files and folders; what is unknown here stops everything."""
        if self.listing is None:
            return [self._stop_of_folder(stop) for stop in stops]
        found: list[Stop] = []
        for stop in spread(stops, self.listing):
            files = [path for path, package in self.packages.items() if package == stop.folder]
            found += [Stop(path, stop.why) for path in files] or [Stop("", stop.why)]
        return found

    def _stop_of_folder(self, stop: Stop) -> Stop:
        path = self.path(stop.folder) if stop.folder else None
        apart, spreads = (), stop.spreads
        if stop.wider is not None and (path is None or self._reads_elsewhere(path)):
            path = self.path(stop.wider)
        elif stop.wider is not None:
            apart, spreads = tuple(self._apart(stop)), False  # nothing is built from it
        return Stop("" if path in (None, ".") else path, stop.why, spreads, apart=apart)

    def _apart(self, stop: Stop) -> Iterator[str]:
        """The first files of targets that ended, if none that stopped may take them in."""
        roots = [self._content(path) for one in stop.roots if (path := self.path(one))]
        for one in stop.apart:
            path = self.path(one)
            if path and not any(may_take_in(root, PurePosixPath(path)) for root in roots):
                yield path

    def _reads_elsewhere(self, folder: str) -> bool:
        inside = (p for p in self.snapshot.paths() if p.startswith(f"{folder}/"))
        return any(reads_elsewhere(self._content(p)) for p in inside if p.endswith(".rs"))

    def findings(self, name: str, remarks: Iterable[Remark]) -> dict[str, list[Finding]]:
        """The remarks by file, in code points; a file outside the root is `../` so many times."""
        found: dict[str, list[Finding]] = {}
        indexes: dict[str, LineIndex] = {}
        for remark in remarks:
            path = self.path(remark.path) or self._outside(remark.path)
            if path not in indexes:
                indexes[path] = LineIndex(self._content(path))
            place = Range(
                self._position(indexes[path], remark.start),
                self._position(indexes[path], remark.end),
            )
            finding = Finding(path, place, remark.severity, remark.code, name, remark.message, name)
            if finding not in found.setdefault(path, []):
                found[path].append(finding)
        return found

    def _position(self, index: LineIndex, place: tuple[int, int]) -> Position:
        return index.clamped(*place, self.columns)

    def _content(self, path: str) -> str:
        try:
            text = self.snapshot.read(path)
        except BadInput:
            return ""
        return "" if text is None else text.content
