"""The journal's rows of accepts that are under way: what a start after a kill goes by."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict

from understudy.disk.folder.write import Attributes, WriteStep
from understudy.disk.journal.rows import as_raw, read_text, write_texts
from understudy.values.errors import Refused
from understudy.values.frozen import frozen
from understudy.values.texts import PackedText


@frozen
class AcceptedFile:
    """One path of an accept: the user's text, and the one that takes its place (None: no file)."""

    step: WriteStep
    before: PackedText | None
    after: PackedText | None


@frozen
class BegunAccept:
    """An accept whose plan is on disk; while it is not `prepared`, no file of the user's differs.

    `folders` are those that it makes, outermost first.
    """

    branch: str
    files: tuple[AcceptedFile, ...]
    folders: tuple[str, ...]
    prepared: bool = False


def write_accept(database: sqlite3.Connection, accept: BegunAccept) -> None:
    """Write a plan; raises Refused `accept-unfinished` where the branch has one already."""
    if database.execute("SELECT 1 FROM accepts WHERE branch = ?", (accept.branch,)).fetchone():
        raise unfinished(accept.branch)
    folders = json.dumps(accept.folders)
    database.execute(
        "INSERT INTO accepts (branch, folders, prepared) VALUES (?, ?, ?)",
        (accept.branch, folders, accept.prepared),
    )
    write_texts(database, (text for file in accept.files for text in (file.before, file.after)))
    database.executemany(
        "INSERT INTO accept_files (branch, path, step, before, after) VALUES (?, ?, ?, ?, ?)",
        (
            (
                accept.branch,
                as_raw(file.step.path),
                json.dumps(asdict(file.step)),
                None if file.before is None else file.before.digest,
                None if file.after is None else file.after.digest,
            )
            for file in accept.files
        ),
    )


def unfinished(branch: str) -> Refused:
    """The refusal of what would make a plan forgotten that nobody has ended."""
    text = "an accept that was broken off could not be ended: see to it, then start again"
    return Refused("accept-unfinished", text, branch)


def set_prepared(database: sqlite3.Connection, branch: str) -> None:
    """From here on the accept is finished, not taken back."""
    database.execute("UPDATE accepts SET prepared = 1 WHERE branch = ?", (branch,))


def delete_accept(database: sqlite3.Connection, branch: str) -> None:
    """Forget the plan of an accept that is done, or undone."""
    database.execute("DELETE FROM accepts WHERE branch = ?", (branch,))


def read_accepts(database: sqlite3.Connection) -> list[BegunAccept]:
    """Read the accepts that nobody has ended, by their branches' names."""
    texts: dict[str, PackedText] = {}
    return [
        BegunAccept(
            branch,
            tuple(
                AcceptedFile(
                    _step(step),
                    read_text(database, before, texts),
                    read_text(database, after, texts),
                )
                for step, before, after in database.execute(
                    "SELECT step, before, after FROM accept_files WHERE branch = ? ORDER BY path",
                    (branch,),
                ).fetchall()
            ),
            tuple(json.loads(folders)),
            bool(prepared),
        )
        for branch, folders, prepared in database.execute(
            "SELECT branch, folders, prepared FROM accepts ORDER BY branch"
        ).fetchall()
    ]


def _step(stored: str) -> WriteStep:
    told = json.loads(stored)
    kept = told.pop("attributes")
    attributes = None if kept is None else Attributes(kept["mode"], tuple(kept["owner"]))
    return WriteStep(**told, attributes=attributes)
