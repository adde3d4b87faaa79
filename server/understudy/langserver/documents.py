"""What one server process shows now: open documents by path, version and digest."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from understudy.langserver import methods
from understudy.langserver.client import Client
from understudy.langserver.folder_follower import (
    CHANGED,
    CREATED,
    FolderFollower,
    NeedsRestart,
)
from understudy.langserver.json_values import Json
from understudy.langserver.staged_disk import StagedDisk
from understudy.shadow.folder import FolderView, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.stamps import Stamp
from understudy.values.texts import PackedText, Text

MAX_OPEN = 300
"""Documents kept open beyond what is asked for; those that equal the disk are closed first."""

MAX_OPEN_ANEW = 32
"""The same between requests where each judgement opens its documents anew (rule `reopen`)."""

_Wanted = tuple[Text | PackedText | None, bool]
"""The text to show (None: close), and whether it is not the one on disk."""


@frozen(slots=True)
class Shown:
    """One open document. `differs`: its text is (or may be) not the one on disk."""

    version: int
    digest: str
    differs: bool


class StillReading(asyncio.TimeoutError):
    """The server has not answered a document that has to be closed first."""


class Documents:
    """Makes a server see one snapshot after another, with as few messages as that takes.

    Only digests are kept. `sent` counts the messages that changed what the server sees.
    """

    def __init__(self, client: Client, disk: StagedDisk | None = None) -> None:
        self.sent = 0
        self._disk = disk
        self._folder = FolderFollower(client.spec.profile)
        self._untold: dict[str, int] = {}
        self._client = client
        self._profile = client.spec.profile
        self._open: dict[str, Shown] = {}
        self._overlay: dict[str, str | None] = {}
        self._version = 0
        self._since: dict[str, int] = {}
        self._fresh: set[str] = set()
        self._stamp: Stamp | None = None
        self._read: set[str] = set()
        """With rule `reopen`: what was opened while nothing but the snapshot `_stamp` was shown."""

    def __len__(self) -> int:
        return len(self._open)

    @property
    def hidden(self) -> frozenset[str]:
        """Files that a server in the user's folder sees otherwise than the snapshot has them."""
        return frozenset(self._folder.hidden)

    def start_from(self, folder: FolderView) -> None:
        """Note that the process started after this view of the folder, and not just now."""
        self._folder.start_from(folder)

    def shown(self, path: str) -> Shown:
        """The open document at a path that was shown."""
        return self._open[path]

    async def show(
        self, snapshot: Snapshot, paths: Sequence[str], deadline: float, *, anew: bool = True
    ) -> dict[str, BadInput]:
        """Make the server see exactly `snapshot`, and have `paths` open; loop time.

        Without `anew`, what was opened under this very snapshot need not be opened again.
        Returns the paths that cannot be shown, with the error of each. Raises NeedsRestart when
        only a new process can see it, Moved when the disk has gone on, Dead, StillReading.
        """
        self._note(await self._follow(snapshot))
        wanted, refused = self._wanted(snapshot, paths)
        if self._stamp != snapshot.stamp:
            self._stamp, self._read = snapshot.stamp, set()
        kept = set[str]() if anew else self._read & self._open.keys()
        last = self._opened_last(snapshot, wanted, [path for path in paths if path not in kept])
        await self._answered(
            [*last, *(p for p, (text, _) in wanted.items() if text is None)], deadline
        )
        if self._profile.tell_changes:
            turned = self._turn_overlay(snapshot)
            self._note(dict.fromkeys(turned, CHANGED))
            self._refuse_escaped(self._untold)
        for path in [path for path, (text, _) in wanted.items() if text is None]:
            self._close(path)
        self._tell()
        for path, (text, differs) in wanted.items():
            if text is not None:
                self._put(path, text, differs=differs)
        for path in last:
            self._close(path)
        for path, (text, differs) in last.items():
            assert text is not None
            self._put(path, text, differs=differs)
        self._fresh = {*last, *kept}
        self._read |= set(last)
        self._trim(set(paths), 0 if anew else MAX_OPEN_ANEW)
        return refused

    def replace(self, path: str, content: str, digest: str) -> int:
        """Show other text in an open document for a while; returns the version sent."""
        shown = self._open[path]
        version = self._change(path, content)
        self._open[path] = Shown(version, digest, shown.differs)
        return version

    def in_turn(self, paths: Sequence[str]) -> list[str]:
        """The order to ask in: last those that have to be opened anew, which troubles others."""
        return sorted(paths, key=lambda path: path not in self._fresh)

    async def reopen(self, snapshot: Snapshot, path: str, deadline: float) -> None:
        """Open a shown document anew, unless it was opened after everything else that is shown.

        Only for servers that read other files again at no other time (rule `reopen`). Raises Dead
        and StillReading.
        """
        if self._profile.rule != "reopen" or path in self._fresh:
            return
        text, differs = snapshot.packed(path), self._open[path].differs
        assert text is not None  # it is shown
        await self._answered([path], deadline)
        self._close(path)
        self._put(path, text, differs=differs)
        self._fresh = {path}
        self._read = {path} if differs else {*self._read, path}

    async def read_by_server(self, paths: Sequence[str], deadline: float) -> None:
        """Wait until the server has read these, where it knows others only as it has read them.

        Those servers have the rule `reopen`. Raises Dead and StillReading.
        """
        await self._answered(paths, deadline)

    async def _answered(self, paths: Sequence[str], deadline: float) -> None:
        """Wait until the server has answered the last opening of each document.

        clangd 22 hangs after some closings of documents that it has not read yet.
        """
        if self._profile.rule == "reopen":
            opened = [path for path in paths if path in self._open]
            try:
                await self._client.wait_until(lambda: all(map(self._is_answered, opened)), deadline)
            except asyncio.TimeoutError as late:
                raise StillReading from late

    def _is_answered(self, path: str) -> bool:
        return self._client.answered(path) >= self._since[path]

    def _opened_last(
        self, snapshot: Snapshot, wanted: dict[str, _Wanted], paths: Sequence[str]
    ) -> dict[str, _Wanted]:
        """What of `paths` can be opened when all else is shown, taken from `wanted`.

        Closing a document that is not as on disk shows the others its file for a moment: so there
        is none of these unless it is the only one, and then it comes first.
        """
        if self._profile.rule != "reopen":
            return {}
        differing = {
            path for path, (text, differs) in wanted.items() if differs and text is not None
        }
        found = dict.fromkeys(sorted(paths, key=lambda path: path not in differing))
        last: dict[str, _Wanted] = {}
        for path in found:
            if path in wanted:
                if wanted[path][0] is not None and (path not in differing or len(differing) == 1):
                    last[path] = wanted.pop(path)
            elif path in self._open:
                last[path] = (snapshot.packed(path), False)
        return {path: entry for path, entry in last.items() if entry[0] is not None}

    async def _follow(self, snapshot: Snapshot) -> Mapping[str, int]:
        """Turn to the snapshot's files; returns path -> kind of event."""
        if self._disk is not None:
            return await self._disk.follow(snapshot)
        return await self._folder.follow(snapshot.base.folder)

    def _wanted(
        self, snapshot: Snapshot, paths: Sequence[str]
    ) -> tuple[dict[str, _Wanted], dict[str, BadInput]]:
        """What to open, change or (None) close, read before anything is sent.

        Unchanged documents are left out, except those asked for: they become the last used.
        Raises Moved.
        """
        wanted: dict[str, _Wanted] = {}
        refused: dict[str, BadInput] = {}
        overlay = snapshot.shown
        for path, packed in overlay.items():
            if packed is not None and self._profile.language_of(path) is not None:
                wanted[path] = (packed, True)
            elif packed is None and (self._disk is not None or self._profile.client_content):
                wanted[path] = (None, True)
            elif packed is None and path in self._open:
                # No server believes a deletion that its disk does not show, and some keep the text
                # that was closed: so it sees the base's text, or nothing where there is none.
                wanted[path] = (snapshot.base.read(path), True)
        behind = {path for path, shown in self._open.items() if shown.differs}
        for path in sorted((behind | self._folder.differing | set(paths)) - overlay.keys()):
            shown = self._open.get(path)
            differs = path in self._folder.differing
            if shown is not None and not shown.differs and not differs:
                continue
            try:
                text = snapshot.read(path)
            except BadInput as error:
                refused[path] = error
                text = None
            else:
                if text is None and path in paths:
                    raise Moved(path)  # it was there when it was asked for
            wanted[path] = (text, differs)
        return wanted, refused

    def _put(self, path: str, text: Text | PackedText, *, differs: bool) -> None:
        shown = self._open.pop(path, None)
        version = shown.version if shown is not None else 0
        if shown is None:
            content = _content(text)
            version = self._did_open(path, content)
            if differs and self._profile.change_after_open:
                version = self._change(path, content)
        elif shown.digest != text.digest:
            version = self._change(path, _content(text))
        self._open[path] = Shown(version, text.digest, differs)

    def _did_open(self, path: str, content: str) -> int:
        self._version += 1
        document = {
            "uri": self._client.spec.root.uri(path),
            "languageId": self._profile.language_of(path),
            "version": self._version,
            "text": content,
        }
        self._notify(methods.DID_OPEN, {"textDocument": document})
        self._since[path] = self._version
        return self._version

    def _change(self, path: str, content: str) -> int:
        self._version += 1
        document = {"uri": self._client.spec.root.uri(path), "version": self._version}
        change = {"textDocument": document, "contentChanges": [{"text": content}]}
        self._notify(methods.DID_CHANGE, change)
        return self._version

    def _close(self, path: str) -> None:
        if self._open.pop(path, None) is not None:
            document = {"uri": self._client.spec.root.uri(path)}
            self._notify(methods.DID_CLOSE, {"textDocument": document})
            self._client.publishes.pop(path, None)

    def _trim(self, keep: set[str], n_anew: int) -> None:
        """Close what need not stay open; with rule `reopen`, all but so many."""
        always_anew = self._profile.rule == "reopen"
        excess = len(self._open) - (n_anew if always_anew else MAX_OPEN)
        if excess <= 0:
            return
        idle = [
            path for path, shown in self._open.items() if not shown.differs and path not in keep
        ]
        for path in idle[:excess]:
            if not always_anew or self._is_answered(path):
                self._close(path)

    def _turn_overlay(self, snapshot: Snapshot) -> set[str]:
        """Paths whose overlay text is another than the last snapshot's."""
        now = {path: None if t is None else t.digest for path, t in snapshot.shown.items()}
        former, self._overlay = self._overlay, now
        every = former.keys() | now.keys()
        return {path for path in every if former.get(path, "") != now.get(path, "")}

    def _refuse_escaped(self, moved: Iterable[str]) -> None:
        """A server that keeps what it derived may know an escaped URI by another spelling."""
        for path in sorted(moved):
            if self.sent and self._profile.language_of(path) is not None and quote(path) != path:
                raise NeedsRestart(f"{path} has changed, and its URI can be spelled in two ways")

    def _note(self, events: Mapping[str, int]) -> None:
        """Keep events until they are told, and look again at open documents that they are about.

        The next call tells them if this one ends early.
        """
        for path, kind in events.items():
            former = self._untold.get(path, kind)
            self._untold[path] = former if (former, kind) == (CREATED, CHANGED) else kind
            shown = self._open.get(path)
            if shown is not None:
                self._open[path] = Shown(shown.version, shown.digest, differs=True)

    def _tell(self) -> None:
        if self._untold:
            events, self._untold = self._untold, {}
            root = self._client.spec.root
            changes = [{"uri": root.uri(path), "type": events[path]} for path in sorted(events)]
            self._notify(methods.DID_CHANGE_WATCHED_FILES, {"changes": changes})

    def _notify(self, method: str, params: Json) -> None:
        self.sent += 1
        self._client.connection.notify(method, params)


def _content(text: Text | PackedText) -> str:
    return text.unpack().sendable if isinstance(text, PackedText) else text.sendable
