"""What the folder has otherwise than a git revision: found by content, nothing is written.

Git's index spares reading the files whose state on disk is still the one it remembers; all others
are hashed here as git would, without running a filter.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from understudy.disk.folder.blob_ids import OnDisk, blob_id, file_id, look
from understudy.disk.folder.git_index import Remembered, read_git_index
from understudy.disk.folder.scan import PRUNED
from understudy.process.git import Repository, TreeEntry
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.texts import MAX_TEXT_BYTES
from understudy.workspace.progress import Progress

_AT_ONCE = 200
_LINK, SUBMODULE = "120000", "160000"
_ATTRIBUTES = ("filter", "text", "eol", "working-tree-encoding", "ident")
_CONVERTS = ("true", "input")


@frozen
class Differing:
    """The paths that the folder has otherwise; those in `converted` by a filter of git's.

    What git puts into the folder for the latter is not the blob's content, and nobody but the
    filter knows what it is. `line_ends` are files whose line ends git converts.
    """

    changed: frozenset[str]
    converted: frozenset[str]
    line_ends: frozenset[str]
    present: Mapping[str, OnDisk]


@dataclass
class Worktree:
    """Compares the folder with one tree, again and again as it changes."""

    root: Root
    repository: Repository
    revision: str
    """The tree's object id, or a commit's; empty for one that holds nothing."""
    tree: Mapping[str, TreeEntry]
    progress: Progress
    apart: frozenset[str] = frozenset()
    """Submodules: work trees of their own."""
    _hashed: dict[str, tuple[OnDisk, str | None]] = field(default_factory=lambda: {})

    async def differing(self) -> Differing:
        """Compare every file of the tree, and find the new ones that git does not ignore."""
        listed = await self.repository.listed()
        skipped = {one.path for one in listed if one.skipped} | self.apart
        paths = [path for path in self.tree if path not in skipped]
        new = {
            one.path.rstrip("/")
            for one in listed
            if one.path.rstrip("/") not in self.tree
            and one.path.rstrip("/") not in self.apart
            and not one.skipped
            and PRUNED.isdisjoint(one.path.split("/"))
        }
        present, doubtful = await asyncio.to_thread(self._look, paths, new)
        ids = await self._ids(doubtful, present)
        changed = {path for path in paths if path not in present}
        changed |= {path for path in doubtful if ids[path] != self.tree[path].oid}
        settled, converted, line_ends = await self._converted(changed, present)
        changed -= settled
        return Differing(
            frozenset(changed | (new & present.keys())),
            frozenset(converted & changed),
            frozenset(line_ends & changed),
            present,
        )

    def _look(
        self, paths: Iterable[str], new: Iterable[str]
    ) -> tuple[dict[str, OnDisk], list[str]]:
        """What stands at each path, and which files must be read to tell whether they differ."""
        remembered = read_git_index(
            self.repository.index,
            self.repository.prefix,
            32 if self.repository.object_format == "sha256" else 20,
        )
        top = f"{self.root.path}{os.sep}"
        present: dict[str, OnDisk] = {}
        doubtful: list[str] = []
        for path in paths:
            found = look(f"{top}{path}")
            entry = self.tree[path]
            if found is None or found.kind == "folder":
                continue  # gone, or something else stands there
            present[path] = found
            if not _is_known(remembered.get(self.repository.inside(path)), entry, found):
                doubtful.append(path)
        for path in new:
            found = look(f"{top}{path}")
            if found is not None:
                present[path] = found
        return present, doubtful

    async def _ids(
        self, paths: Sequence[str], present: Mapping[str, OnDisk]
    ) -> Mapping[str, str | None]:
        """The blob id of each file as it lies there."""
        for start in range(0, len(paths), _AT_ONCE):
            if len(paths) > _AT_ONCE:
                self.progress("comparing files with the revision", start, len(paths))
            await asyncio.to_thread(self._hash, paths[start : start + _AT_ONCE], present)
        return {path: self._hashed[path][1] for path in paths}

    def _hash(self, paths: Sequence[str], present: Mapping[str, OnDisk]) -> None:
        for path in paths:
            known = self._hashed.get(path)
            if known is None or known[0] != present[path]:
                kind = self.tree[path].mode == _LINK
                same_kind = (present[path].kind == "link") == kind
                found = None
                if same_kind:
                    absolute = self.root.absolute(path)
                    found = file_id(absolute, present[path], self.repository.object_format)
                self._hashed[path] = (present[path], found)

    async def _converted(
        self, changed: Iterable[str], present: Mapping[str, OnDisk]
    ) -> tuple[set[str], set[str], set[str]]:
        """Of the files that differ: those that do not after all, filtered ones, CRLF ones."""
        asked = sorted(path for path in changed if self.tree[path].mode != _LINK)
        attributes = await self.repository.attributes(asked, _ATTRIBUTES)
        by_default = await self.repository.config("core.autocrlf") in _CONVERTS
        filters = {values.get("filter") for values in attributes.values()} - {None, "unset", "set"}
        active = {name for name in filters if name and await self._runs(name)}
        settled: set[str] = set()
        converted: set[str] = set()
        line_ends: set[str] = set()
        for path in asked:
            values = attributes.get(path, {})
            encoded = values.get("working-tree-encoding", "unset") != "unset"
            if values.get("filter") in active or encoded or values.get("ident") == "set":
                converted.add(path)
            elif _converts_line_ends(values, by_default) and path in present:
                data = await asyncio.to_thread(self._windows_text, path, present[path])
                if data is not None:
                    line_ends.add(path)
                    plain = data.replace(b"\r\n", b"\n")
                    if blob_id(plain, self.repository.object_format) == self.tree[path].oid:
                        settled.add(path)
        return settled, converted, line_ends

    async def _runs(self, name: str) -> bool:
        """Whether a filter is more than a name: only a configured command converts anything."""
        for step in ("clean", "smudge", "process"):
            if await self.repository.config(f"filter.{name}.{step}"):
                return True
        return False

    def _windows_text(self, path: str, found: OnDisk) -> bytes | None:
        if found.kind != "file" or found.mark.size > MAX_TEXT_BYTES:
            return None
        try:
            data = self.root.absolute(path).read_bytes()
        except OSError:
            return None
        return data if b"\r\n" in data and b"\0" not in data else None


def _is_known(seen: Remembered | None, entry: TreeEntry, found: OnDisk) -> bool:
    return seen is not None and seen.oid == entry.oid and seen.is_still(found.mark)


def _converts_line_ends(attributes: Mapping[str, str], by_default: bool) -> bool:
    """Whether git turns this file's CRLF into LF when it takes it in (gitattributes(5))."""
    text = attributes.get("text")
    if text is None:
        return "eol" in attributes or by_default
    return text in ("set", "auto", "crlf", "input")
