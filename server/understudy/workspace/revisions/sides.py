"""A git revision as a side of the comparison: the folder with its changes taken back.

*Before* is the folder turned back into the revision's tree, *after* the folder as it is. The rest
(what git ignores, what is installed) is the same on both sides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from understudy.disk.folder.blob_ids import OnDisk
from understudy.edits.renames import renamed
from understudy.langserver.find import find_program
from understudy.process.git import Repository, Revision
from understudy.shadow.base import Base
from understudy.shadow.folder import Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.frozen import frozen
from understudy.values.texts import MAX_TEXT_BYTES, PackedText, Text
from understudy.workspace.progress import Progress, silent
from understudy.workspace.revisions.submodules import open_submodules
from understudy.workspace.revisions.worktree import Differing, Worktree
from understudy.workspace.session import Session

_LINK = "120000"


@frozen
class _Comparison:
    """What turns one state of the folder back into the revision."""

    edits: Mapping[str, PackedText | None]
    forgotten: frozenset[str]
    unread: frozenset[str]
    origins: Mapping[str, str]
    closed: Mapping[str, str]


@dataclass
class RevisionSides:
    """Both sides of a comparison with a revision; made by `revision_sides`."""

    session: Session
    revision: Revision
    worktree: Worktree
    _texts: dict[str, PackedText | None] = field(default_factory=lambda: {})
    _known: tuple[Base, _Comparison] | None = None

    async def before(self, base: Base) -> Snapshot:
        """The revision, laid over the folder."""
        found = await self._compare(base)
        bare = replace(base, buffers={})
        return Snapshot(
            bare, found.edits, forgotten=found.forgotten, unread=found.unread, closed=found.closed
        )

    async def after(self, base: Base) -> Snapshot:
        """What the user has now, with the renames since the revision."""
        return Snapshot(base, origins=(await self._compare(base)).origins)

    async def _compare(self, base: Base) -> _Comparison:
        if self._known is None or self._known[0] is not base:
            self._known = (base, await self._compared(base))
        return self._known[1]

    async def _compared(self, base: Base) -> _Comparison:
        submodules = await open_submodules(self.worktree)
        edits: dict[str, PackedText | None] = {}
        forgotten: set[str] = set()
        unread: set[str] = set()
        present: dict[str, OnDisk] = {}
        for worktree in (self.worktree, *submodules.worktrees):
            differing = await worktree.differing()
            judged = {path for path in differing.changed if self._is_covered(base, differing, path)}
            await self._fetch(worktree, judged - differing.converted)
            forgotten |= judged & differing.converted
            unread |= differing.changed - judged
            present |= differing.present
            for path in judged - differing.converted:
                if path not in worktree.tree:
                    edits[path] = None
                    continue
                oid = _blob_of(worktree, path)
                text = None if oid is None else self._texts.get(oid)
                if text is None:
                    forgotten.add(path)
                else:
                    edits[path] = _with_line_ends(text, windows=path in differing.line_ends)
        edits |= self._through_links(base, edits)
        renames = self._renames(base, edits, present)
        return _Comparison(
            edits, frozenset(forgotten), frozenset(unread), renames, submodules.closed
        )

    def _is_covered(self, base: Base, differing: Differing, path: str) -> bool:
        """Whether some server may judge the file; raises Moved if it changed since the scan."""
        if not self.session.covers(path):
            return False
        found = differing.present.get(path)
        if found is None:
            if path in base.folder.files:
                raise Moved(path)
            return True
        expected = base.folder.files.get(path)
        if expected is not None and found.kind == "file" and expected != found.mark:
            raise Moved(path)
        return expected is not None

    async def _fetch(self, worktree: Worktree, paths: set[str]) -> None:
        """Read the revision's texts that are not here yet; None stands for what is no text."""
        repository = worktree.repository
        oids = {oid for path in paths if (oid := _blob_of(worktree, path)) is not None}
        wanted = oids - self._texts.keys()
        try:
            sizes = await repository.sizes(sorted(wanted))
        except OutsideFailure:  # a partial clone stops at the first object that it would fetch
            wanted -= await repository.absent(worktree.revision)
            sizes = await repository.sizes(sorted(wanted))
        readable = {oid: size for oid, size in sizes.items() if size <= MAX_TEXT_BYTES}
        async for oid, data in repository.blobs(readable):
            try:
                self._texts[oid] = PackedText.pack(Text.decode(data))
            except BadInput:
                self._texts[oid] = None

    def _through_links(
        self, base: Base, edits: Mapping[str, PackedText | None]
    ) -> Mapping[str, PackedText | None]:
        """The links that still lead to a file that differs: they read as their target does."""
        found: dict[str, PackedText | None] = {}
        for path, entry in self.worktree.tree.items():
            if entry.mode == _LINK and path in base.folder.files and path not in edits:
                target = self.session.root.absolute(path).resolve()
                if target.is_relative_to(self.session.root.path):
                    reached = target.relative_to(self.session.root.path).as_posix()
                    if reached in edits:
                        found[path] = edits[reached]
        return found

    def _renames(
        self,
        base: Base,
        edits: Mapping[str, PackedText | None],
        present: Mapping[str, OnDisk],
    ) -> Mapping[str, str]:
        gone = {
            path: text.unpack().content
            for path, text in edits.items()
            if text is not None and path not in present
        }
        new: dict[str, str] = {}
        for path in [path for path, text in edits.items() if text is None] if gone else ():
            try:
                text = base.folder.read(path)
            except BadInput:
                continue  # no text, and so nothing that was renamed
            if text is not None:
                new[path] = text.content
        return renamed(gone, new)


def _blob_of(worktree: Worktree, path: str) -> str | None:
    """The blob that reading a path of the revision gives; links are not followed out of it."""
    entry = worktree.tree.get(path)
    return None if entry is None or entry.mode == _LINK else entry.oid


async def revision_sides(session: Session, name: str, progress: Progress = silent) -> RevisionSides:
    """The sides for a commit, tag or tree; for a branch, its merge base with HEAD.

    Raises BadInput `no-git`, `no-repository`, `unknown-revision`, `no-merge-base`, and
    OutsideFailure `git-failed`.
    """
    git = find_program("git", session.servers.search_path)
    if git is None:
        raise BadInput("no-git", "git is not installed; give a PATCH or --edits instead", name)
    progress(f"reading {name}", 0, 0)
    repository = await Repository.around(git, session.root.path)
    revision = await repository.resolve(name)
    tree = await repository.tree(revision.tree)
    if not tree and not await repository.listed():
        text = "git tracks nothing in this folder, and ignores what is in it"
        raise BadInput("no-repository", text, str(session.root.path))
    worktree = Worktree(session.root, repository, revision.tree, tree, progress)
    return RevisionSides(session, revision, worktree)


def _with_line_ends(text: PackedText, *, windows: bool) -> PackedText:
    """The text as git would have put it into the folder, whose other files have CRLF."""
    content = text.unpack().content if windows else ""
    if not windows or "\r" in content:
        return text
    return PackedText.pack(text.unpack().replaced(content.replace("\n", "\r\n")))
