"""Whether an editor's documents and files have become what an accept makes of them."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

from understudy.app.accept.steps import AcceptPlan
from understudy.shadow.base import Base
from understudy.shadow.merge import merge_texts
from understudy.values.lines import is_large
from understudy.values.texts import Text
from understudy.workspace.live_base import LiveBase

_LINE_END = re.compile(r"\r\n|\r")


class EditorEvidence:
    """Watches a connection's documents from before an accept is sent until `close`.

    A document shows an accept if it would not change it any more, whatever the user has typed
    besides. An editor keeps a document's own line ends, so texts are compared without them.
    """

    def __init__(self, plan: AcceptPlan, base: Base, live_base: LiveBase) -> None:
        self._live_base = live_base
        self._reader = base.folder.reader
        self._files = plan.operations.written_over
        self._expected = {path: text for path, text in plan.expected.items() if text is not None}
        self._before = {path: _user_text(plan, path) for path in self._expected}
        self._gone = frozenset(path for path, text in plan.expected.items() if text is None)
        renamed = {to for path, to in plan.operations.renamed if path in base.buffers}
        self._open = frozenset(
            path for path in self._expected if path in base.buffers or path in renamed
        )
        self._seen: set[str] = set()
        self._arrived = asyncio.Event()

    def open(self) -> None:
        """Begin to watch."""
        self._live_base.watchers.add(self._look)
        for path in self._expected:
            self._look(path)

    def close(self) -> None:
        """Watch no longer; a second call does nothing."""
        self._live_base.watchers.discard(self._look)

    @property
    def seen(self) -> frozenset[str]:
        """The documents that have shown the text that they should have."""
        return frozenset(self._seen)

    @property
    def unseen(self) -> frozenset[str]:
        """The paths that have not shown it: documents that stay closed are not told to us."""
        return frozenset(self._expected.keys() - self._seen)

    @property
    def is_whole(self) -> bool:
        """Whether all open documents have shown it, and the files are as they should be."""
        return self._open <= self._seen and self._files_agree()

    @property
    def is_proof(self) -> bool:
        """Whether the evidence alone shows that all was applied, without the editor's word."""
        return self.is_whole and not self.unseen

    async def wait(self, seconds: float) -> bool:
        """Wait until the evidence is whole; False when the time is up."""
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._whole(), seconds)
        return self.is_whole

    async def _whole(self) -> None:
        while not self.is_whole:
            self._arrived.clear()
            await self._arrived.wait()

    def _look(self, path: str) -> None:
        self._arrived.set()
        expected, buffer = self._expected.get(path), self._live_base.now.buffers.get(path)
        if expected is None or buffer is None:
            return
        if _shows(buffer.text.unpack(), self._before[path], expected):
            self._seen.add(path)

    def _files_agree(self) -> bool:
        return all(
            (self._reader.fingerprint(path) is None) == (path in self._gone) for path in self._files
        )


def _shows(now: Text, before: Text | None, expected: Text) -> bool:
    """Whether the text of now has every change that leads from `before` to `expected`."""
    plain, wanted = _plain(now), _plain(expected)
    if plain == wanted:
        return True
    if before is None or is_large(plain.content, wanted.content):
        return False
    return merge_texts(_plain(before), wanted, plain).text == plain


def _plain(text: Text) -> Text:
    """The text as a file with the one line end, and no mark."""
    return Text(_LINE_END.sub("\n", text.content))


def _user_text(plan: AcceptPlan, path: str) -> Text | None:
    """What the user had of a file when the accept was planned."""
    file = plan.taken.files[path]
    moved = file.source is not None and file.user is None
    user = plan.taken.gone[file.source] if moved and file.source else file.user
    return None if user is None else user.unpack()
