"""The verb `outline`: what a file declares, within a budget of tokens, or its text."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from understudy.disk.folder.scan import FolderReader
from understudy.disk.map_cache import map_cache_file
from understudy.outline.detection import language_of_name
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput, OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.printable import printable
from understudy.values.texts import PackedText
from understudy.workspace.outlines.work import (
    Delivery,
    OutlineWish,
    deliver,
    deliver_guess,
    mark_text,
    read_packed,
)
from understudy.workspace.pinning import is_large
from understudy.workspace.workers import Workers

PARSE_SECONDS = 20.0
"""Limit for one file; the biggest that is read as text takes a tenth of it."""

_ATTEMPTS = 3
_KEPT_BYTES = 64 * 1024 * 1024
_KEPT_TEXTS = 4
_SHORTEST_DIGEST = 6
_GIVEN_UP = frozenset({"work-too-big", "work-too-long", "worker-died"})


@frozen
class OutlineAnswer:
    """What was delivered of which text: `digest` is the SHA-256 of the file's bytes."""

    path: str
    digest: str
    delivery: Delivery


class Outliner:
    """Makes outlines in workers and keeps them by content, so that branches share them.

    A text that ended its worker is outlined by the look of its lines from then on.
    """

    def __init__(self, workers: Workers, cache: Path | None = None) -> None:
        self._workers = workers
        self._cache = _cache_file() if cache is None else cache
        self._parsed: OrderedDict[tuple[str, str | None], bytes] = OrderedDict()
        self._ended: dict[tuple[str, str | None], str] = {}
        self._read: OrderedDict[tuple[str, Fingerprint], PackedText] = OrderedDict()

    async def outline(
        self,
        snapshot: Snapshot,
        path: str,
        wish: OutlineWish,
        if_digest: str | None = None,
        title: str | None = None,
    ) -> OutlineAnswer:
        """What `wish` asks of a file of the snapshot; `path` is normalised, `title` its name shown.

        Raises BadInput: `no-such-file`, `not-text`, `too-large`, `unreadable`, `stale-text` if the
        text's digest does not begin with `if_digest`, `no-symbol`, `no-lines`, `budget-too-small`;
        Moved as reading the base does; OutsideFailure of `Workers.run_elsewhere`.
        """
        text = await self._text(snapshot, path)
        if if_digest is not None and not _begins(text.digest, if_digest):
            raise BadInput("stale-text", f"the text is another by now: sha {text.digest[:8]}", path)
        named = replace(wish, title=printable(title or path))
        delivery = await self._deliver(text, path, named)
        if delivery.parsed is not None:
            self._keep((text.digest, language_of_name(path)), delivery.parsed)
        return OutlineAnswer(title or path, text.digest, delivery)

    async def _text(self, snapshot: Snapshot, path: str) -> PackedText:
        """The snapshot's text; a big file is read in a worker, as even that would be felt."""
        text: PackedText | None = snapshot.edits.get(path)
        if path not in snapshot.edits:
            base = snapshot.base
            if is_large(base, path):
                return await self._big_text(base.folder, path)
            text = base.packed(path)
        if text is None:
            raise BadInput("no-such-file", "there is no such file", path)
        return text

    async def _big_text(self, folder: FolderView, path: str) -> PackedText:
        mark = folder.files.get(path) or folder.reader.fingerprint(path)
        if mark is None:
            raise Moved(path)
        text = self._read.get((path, mark))
        if text is None:
            alone = FolderView(folder.reader, {path: mark})
            text = await self._workers.run_elsewhere(
                read_packed, alone, path, seconds=PARSE_SECONDS
            )
            self._read[path, mark] = text
            if len(self._read) > _KEPT_TEXTS:
                self._read.popitem(last=False)
        return text

    async def _deliver(self, text: PackedText, path: str, wish: OutlineWish) -> Delivery:
        kept = (text.digest, language_of_name(path))
        reason = self._ended.get(kept)
        if reason is None:
            parsed = self._parsed.get(kept)
            try:
                found = await self._workers.run_elsewhere(
                    deliver, text, path, wish, parsed, self._cache, seconds=PARSE_SECONDS
                )
            except OutsideFailure as failure:
                if failure.code not in _GIVEN_UP:
                    raise
                found = failure.code
                await self._workers.run_elsewhere(
                    mark_text, text.digest, path, found, self._cache, seconds=PARSE_SECONDS
                )
            if isinstance(found, Delivery):
                return found
            self._ended[kept] = reason = found
        return await self._workers.run_elsewhere(
            deliver_guess, text, path, wish, reason, seconds=PARSE_SECONDS
        )

    def _keep(self, key: tuple[str, str | None], parsed: bytes) -> None:
        self._parsed[key] = parsed
        self._parsed.move_to_end(key)
        total = sum(map(len, self._parsed.values()))
        while total > _KEPT_BYTES:
            total -= len(self._parsed.popitem(last=False)[1])


async def outline_files(
    folder: Path, names: Sequence[str], wish: OutlineWish, if_digest: str | None = None
) -> list[OutlineAnswer | UnderstudyError]:
    """What is wished of files on disk, named from `folder`: for each an answer or an error."""
    workers = Workers()
    outliner = Outliner(workers)
    found: list[OutlineAnswer | UnderstudyError] = []
    try:
        for name in names:
            try:
                found.append(await _of_disk(outliner, folder, name, wish, if_digest))
            except UnderstudyError as error:
                found.append(error)
        return found
    finally:
        await workers.close()


async def _of_disk(
    outliner: Outliner, folder: Path, name: str, wish: OutlineWish, if_digest: str | None
) -> OutlineAnswer:
    """One file; it is read again if it changes meanwhile."""
    root, path = _located(folder, name)
    for attempt in range(_ATTEMPTS):
        snapshot = Snapshot(Base(FolderView(FolderReader(root), {})))
        try:
            return await outliner.outline(snapshot, path, wish, if_digest, name)
        except Moved:
            if attempt == _ATTEMPTS - 1:
                raise OutsideFailure("base-moved", "the file keeps changing", name) from None
        except BadInput as error:
            raise type(error)(error.code, error.text, name) from error
    raise AssertionError


def _cache_file() -> Path | None:
    try:
        return map_cache_file()
    except OutsideFailure:
        return None  # an outline does without: a text that ends its worker costs one a process


def _located(folder: Path, name: str) -> tuple[Root, str]:
    """The folder of a file as a root, and its path there; any file that the user may read."""
    if not name or "\0" in name:
        raise BadInput("bad-path", "not a path", name or "(empty)")
    file = Path(os.path.normpath(folder.absolute() / name))
    if file.is_dir():
        raise BadInput(
            "is-folder", "a folder, not a file; `understudy code map` is for folders", name
        )
    if not file.parent.is_dir():
        raise BadInput("no-such-file", "there is no such file", name)
    return Root.open(file.parent), file.name


def _begins(digest: str, start: str) -> bool:
    return len(start) >= _SHORTEST_DIGEST and digest.startswith(start.lower())
