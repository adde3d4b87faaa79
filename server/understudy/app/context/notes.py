"""The verbs over notes: add a fact, list them with what has gone stale, forget one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from understudy.context.notes import (
    MOST_BYTES,
    MOST_NOTES,
    Note,
    decoded,
    encoded,
    lines_in,
    staleness,
)
from understudy.disk.atomic import write_private
from understudy.disk.folder.scan import FolderReader
from understudy.disk.layout import make_private_folder
from understudy.disk.lock import locked
from understudy.disk.room import what_disk_says
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.paths import Root
from understudy.workspace.context_place import ContextPlace

Lines = tuple[int, int]


def add_note(
    place: ContextPlace, root: Root, text: str, source: str, path: str | None, lines: Lines | None
) -> Note:
    """Keep a fact; the lines that it names are kept as they are now.

    Raises BadInput `bad-note`, `bad-range`, `no-such-file`; OutsideFailure `state-unwritable`.
    """
    body = text.strip()
    if not body or len(body.encode("utf-8", "replace")) > MOST_BYTES:
        raise BadInput("bad-note", f"a note has 1 to {MOST_BYTES} bytes", "text")
    if lines is not None and path is None:
        raise BadInput("bad-note", "lines of which file?", "path")
    name, code = "", ""
    if path is not None:
        name = root.relative(path)
        file = _text(root, name)
        if file is None:
            raise BadInput("no-such-file", "there is no such file", path)
        code = "" if lines is None else lines_in(file, *lines, path)
    with _kept(place) as (file_of_notes, notes):
        if len(notes) >= MOST_NOTES:
            raise BadInput("bad-note", f"there are {len(notes)}; forget some first", "text")
        same = next((n for n in notes if (n.text, n.path, n.code) == (body, name, code)), None)
        if same is not None:
            return same
        number = max((note.number for note in notes), default=0) + 1
        note = Note(number, body, source, name, code)
        _write(file_of_notes, [*notes, note])
    return note


def forget_note(place: ContextPlace, number: int) -> None:
    """Take a note out; raises BadInput `no-such-note`."""
    with _kept(place) as (file, notes):
        left = [note for note in notes if note.number != number]
        if len(left) == len(notes):
            raise BadInput("no-such-note", "there is no note of this number", str(number))
        _write(file, left)


def noted(place: ContextPlace, root: Root) -> list[tuple[Note, str, str]]:
    """Each note, its line for an agent, and why it is stale; fresh ones first, as they were noted.

    Raises BadInput `bad-notes` for a file that somebody has damaged.
    """
    file = _file(place)
    notes = decoded(file.read_bytes(), str(file)) if file.is_file() else []
    texts = {note.path: _text(root, note.path) for note in notes if note.path}
    found: list[tuple[Note, str, str]] = []
    for note in notes:
        text = texts.get(note.path)
        found.append((note, note.line(text), staleness(note, text)))
    return sorted(found, key=lambda one: (one[2] != "", one[0].number))


def notes_text(place: ContextPlace, root: Root) -> list[str]:
    """What an agent reads of them."""
    found = noted(place, root)
    n_stale = sum(1 for _, _, why in found if why)
    stale = f", {n_stale} stale: look before you rely on them" if n_stale else ""
    return [f"{len(found)} notes{stale}", *(line for _, line, _ in found)]


@contextmanager
def _kept(place: ContextPlace) -> Generator[tuple[Path, list[Note]]]:
    """The file of notes and what is in it, while nobody else changes it."""
    file = _file(place)
    make_private_folder(file.parent)
    with locked(file.with_name(".lock")):
        data = file.read_bytes() if file.is_file() else b""
        yield file, decoded(data, str(file))


def _file(place: ContextPlace) -> Path:
    return place.store.folder / "notes" / "notes.jsonl"


def _write(file: Path, notes: list[Note]) -> None:
    try:
        write_private(file, encoded(notes))
    except OSError as error:
        text = f"the notes cannot be kept: {what_disk_says(error, file)}"
        raise OutsideFailure("state-unwritable", text, str(file)) from error


def _text(root: Root, path: str) -> str | None:
    try:
        data = FolderReader(root).read(path)
    except BadInput:
        return None
    return None if data is None else data.decode("utf-8", "surrogateescape")
