"""Turns of agents: what a folder was when one began, and what its agent was told of it last.

An agent's hooks are processes that end at once, and may come to one host after another: what they
have in common lies in the workspace's state.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText
from understudy.workspace.checkpoints import Checkpoint, Checkpoints
from understudy.workspace.live_base import LiveBase
from understudy.workspace.pinned_base import base_of_then

MAX_TURNS = 16
"""Sessions of agents in one folder; the one that began a turn the longest ago is forgotten."""
_UNLIKE_DISK = -1


@frozen
class Turn:
    """One turn of an agent's session, from the user's prompt to the next."""

    checkpoint: Checkpoint
    mark: int


@frozen
class ToldTurn:
    """What an agent was told of a turn: the digest of all that there was to tell, and the marks of
    the findings that it has read."""

    whole: str = ""
    marks: tuple[str, ...] = ()


class Turns:
    """The turns of a folder, each by its session's id; `covers` is as `Checkpoints` has it."""

    def __init__(
        self, checkpoints: Checkpoints, folder: Path, covers: Callable[[str], bool]
    ) -> None:
        self._checkpoints = checkpoints
        self._folder = folder
        self._covers = covers
        self._known: dict[str, Turn] = {}

    async def begin(self, session: str, base: Base) -> Turn:
        """Begin a turn over a base that was scanned just now; raises OSError."""
        self.say(session, "")
        checkpoint = await self._checkpoints.shared(base)
        mark = await asyncio.to_thread(_save, self._place(session), checkpoint.base)
        return self._keep(session, Turn(checkpoint, mark))

    async def get(self, session: str, live_base: LiveBase) -> Turn | None:
        """The session's turn, whichever host has seen it begin; None where none has."""
        place = self._place(session)
        try:
            mark = place.stat().st_mtime_ns
            known = self._known.get(session)
            if known is not None and known.mark == mark:
                return known
            files, pins = await asyncio.to_thread(_load, place)
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None
        base = await live_base.fresh()
        now = base.folder
        then = now.then(files, pins)
        pinned = base_of_then(replace(base, folder=then, buffers={}), self._covers)
        n_pinned = len(pins)
        kept = Checkpoint("", "", mark / 1e9, pinned, n_pinned, max(len(files) - n_pinned, 0))
        return self._keep(session, Turn(kept, mark))

    def goes_on(self, session: str, prompt: str | None) -> bool:
        """Whether a prompt belongs to the turn: it is what we have said, or no prompt at all."""
        if prompt is None or not self._place(session).exists():
            return False
        said = self.said(session)
        return not prompt or bool(said and said in prompt)

    def said(self, session: str) -> str:
        """What the agent was told at the end of this turn, if it was told anything."""
        try:
            return self._place(session, "said").read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return ""

    def told(self, session: str, memory: str | None) -> ToldTurn:
        """What the agent still has before it of what it was told in this turn.

        `memory` is another word once its conversation was compacted: what it was told before has
        gone. None: nobody would hear of that, so that it may have lost any of it.
        """
        try:
            kept = json.loads(self._place(session, "told").read_bytes())
            told = ToldTurn(kept["whole"], tuple(map(str, kept["marks"])))
            is_current = kept["said"] == _digest(self.said(session))
        except (OSError, ValueError, KeyError, TypeError):
            return ToldTurn()
        if not is_current or (memory is not None and kept.get("memory") != memory):
            return ToldTurn()
        return told if memory is not None else ToldTurn(told.whole)

    def say(
        self, session: str, text: str, told: ToldTurn | None = None, memory: str | None = None
    ) -> None:
        """Note what the agent is told."""
        place, beside = self._place(session, "said"), self._place(session, "told")
        if not text:
            place.unlink(missing_ok=True)
            beside.unlink(missing_ok=True)
            return
        make_private_folder(place.parent)
        write_private(place, text.encode("utf-8", "replace"))
        if told is not None:
            kept = {"said": _digest(self.said(session)), "whole": told.whole}
            kept |= {"marks": told.marks, "memory": memory}
            write_private(beside, json.dumps(kept).encode())

    def _keep(self, session: str, turn: Turn) -> Turn:
        former = self._known.pop(session, None)
        if former is not None:
            self._checkpoints.release(former.checkpoint)
        self._known[session] = turn
        if len(self._known) > MAX_TURNS:
            oldest = next(iter(self._known))
            self._checkpoints.release(self._known.pop(oldest).checkpoint)
        return turn

    def _place(self, session: str, kind: str = "base") -> Path:
        return self._folder / f"{_digest(session)}.{kind}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def _save(place: Path, base: Base) -> int:
    """Write all that is pinned of a base; returns the file's mark."""
    rows: list[list[Any]] = []
    blobs: list[bytes] = []
    pinned = base.folder.pinned()
    for path, mark in base.folder.files.items():
        if path not in base.buffers:
            rows.append(_row(path, mark, pinned[path][1] if path in pinned else None, blobs))
    for path, buffer in base.buffers.items():
        mark = Fingerprint(_UNLIKE_DISK, 0, 0)
        rows.append(_row(path, mark, buffer.text, blobs))
    head = json.dumps(rows).encode()
    make_private_folder(place.parent)
    _forget_old(place.parent)
    write_private(place, b"".join((len(head).to_bytes(8, "big"), head, *blobs)))
    return place.stat().st_mtime_ns


def _row(path: str, mark: Fingerprint, text: PackedText | None, blobs: list[bytes]) -> list[Any]:
    if text is None:
        return [path, [*mark]]
    blobs.append(text.stored)
    return [path, [*mark], text.digest, text.size, [*text.form], len(blobs[-1])]


Pins = dict[str, tuple[Fingerprint | None, PackedText | None]]


def _load(place: Path) -> tuple[dict[str, Fingerprint], Pins]:
    """What `_save` wrote; raises OSError, ValueError, KeyError, TypeError, IndexError."""
    data = place.read_bytes()
    at = 8 + int.from_bytes(data[:8], "big")
    files: dict[str, Fingerprint] = {}
    pins: Pins = {}
    for path, mark, *text in json.loads(data[8:at]):
        files[path] = Fingerprint(*mark)
        if text:
            digest, size, (encoding, bom), length = text
            stored = data[at : at + length]
            if len(stored) != length:
                raise ValueError("cut off")
            at += length
            pins[path] = (files[path], PackedText.restore(digest, size, stored, (encoding, bom)))
    return files, pins


def _forget_old(folder: Path) -> None:
    """Keep the files of the newest turns."""
    with suppress(OSError):
        kept = sorted(folder.glob("*.base"), key=lambda path: path.stat().st_mtime, reverse=True)
        for path in kept[MAX_TURNS - 1 :]:
            path.unlink(missing_ok=True)
            path.with_suffix(".said").unlink(missing_ok=True)
            path.with_suffix(".told").unlink(missing_ok=True)
