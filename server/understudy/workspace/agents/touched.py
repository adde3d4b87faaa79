"""What hooks of one session leave for the next one: folders of a turn's edits, what its end has
told and what is to be told, and a word for what its agent remembers.

The end of a turn is about the folders that its edits were in, too, wherever it ends.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import cast

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import writing_state
from understudy.values.errors import OutsideFailure
from understudy.values.own_folders import state_home

_DAYS = 2


def note_touched(session: str, folders: Iterable[Path]) -> None:
    """Remember folders; what cannot be written is not remembered."""
    known = touched_by(session)
    every = list(dict.fromkeys((*known, *folders)))
    if every == known:
        return
    place = _place(session)
    with suppress(OSError):
        make_private_folder(place.parent)
        _forget_old(place.parent)
        write_private(place, json.dumps([os.fspath(folder) for folder in every]).encode())


def touched_by(session: str) -> list[Path]:
    """The folders that are still there."""
    try:
        found = cast("list[str]", json.loads(_place(session).read_bytes()))
        return [folder for folder in map(Path, found) if folder.is_dir()]
    except (OSError, ValueError, TypeError):
        return []


def forget_touched(session: str) -> None:
    """A new turn begins."""
    for place in (_place(session), _place(session).with_suffix(".said")):
        with suppress(OSError):
            place.unlink()


def note_said(session: str, texts: Iterable[str]) -> None:
    """Remember what the end of the turn tells last, of each folder; as `note_touched`."""
    place = _place(session).with_suffix(".said")
    with suppress(OSError):
        make_private_folder(place.parent)
        _forget_old(place.parent)
        write_private(place, json.dumps(list(texts)).encode())


def is_of_this_turn(session: str, prompt: str | None) -> bool:
    """Whether a prompt goes on with the turn: it has what we said of a folder, or is empty."""
    if not prompt:
        return prompt is not None
    try:
        said = cast("list[str]", json.loads(_place(session).with_suffix(".said").read_bytes()))
        return any(text and text in prompt for text in said)
    except (OSError, ValueError, TypeError):
        return False


def note_untold(session: str, text: str) -> None:
    """Remember what the session's agent could not be told; raises OutsideFailure of the disk."""
    place = _place(session).with_suffix(".txt")
    make_private_folder(place.parent)
    with writing_state(place):
        _forget_old(place.parent)
        write_private(place, text.encode())


def take_untold(session: str) -> str:
    """What was remembered, once; empty if nothing was."""
    place = _place(session).with_suffix(".txt")
    try:
        text = place.read_text("utf-8")
        place.unlink()
    except OSError:
        return ""
    return text


def note_compaction(session: str) -> None:
    """The session's agent forgets what it was told; raises OutsideFailure of the disk."""
    place = _place(session).with_suffix(".memory")
    with writing_state(place):
        place.unlink(missing_ok=True)


def note_unread() -> None:
    """An event that cannot be read may have told of a compaction, in any session."""
    with suppress(OSError):
        for place in (state_home() / "turns").glob("*.memory"):
            place.unlink(missing_ok=True)


def memory_of(session: str) -> str | None:
    """A word that is another one after each compaction; None where none can be kept.

    One that was lost is never taken for the same.
    """
    place = _place(session).with_suffix(".memory")
    with suppress(OSError, ValueError):
        if word := place.read_text("ascii"):
            return word
    word = secrets.token_hex(8)
    try:
        make_private_folder(place.parent)
        _forget_old(place.parent)
        write_private(place, word.encode())
    except (OSError, OutsideFailure):
        return None
    return word


def _forget_old(folder: Path) -> None:
    for path in folder.iterdir():
        with suppress(FileNotFoundError):  # other hooks write, and forget, meanwhile
            if path.stat().st_mtime < time.time() - _DAYS * 86400:
                path.unlink()


def _place(session: str) -> Path:
    name = hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:16]
    return state_home() / "turns" / f"{name}.json"
