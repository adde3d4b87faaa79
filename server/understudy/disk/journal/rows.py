"""The journal's rows: how a branch and its texts become rows, and rows become them again."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from understudy.shadow.asks import Ask
from understudy.shadow.branch import Branch, BranchFile
from understudy.values.texts import PackedText

Row = tuple[Any, ...]


def write_branch(
    database: sqlite3.Connection, before: Branch | None, after: Branch, edits: object
) -> None:
    """Write what differs between two states of a branch, and the batch that made the difference."""
    title = as_raw(after.title)
    if before is None:
        database.execute(
            "INSERT INTO branches (id, title, created, used, revision, asked)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (after.id, title, after.created, after.used, after.revision, after.n_asked),
        )
    else:
        database.execute(
            "UPDATE branches SET title = ?, used = ?, revision = ?, asked = ? WHERE id = ?",
            (title, after.used, after.revision, after.n_asked, after.id),
        )
    old: Mapping[str, BranchFile] = {} if before is None else before.files
    gone = [(after.id, as_raw(path)) for path in old if path not in after.files]
    changed = {path: file for path, file in after.files.items() if old.get(path) is not file}
    write_texts(database, (text for file in changed.values() for text in (file.base, file.after)))
    database.executemany("DELETE FROM files WHERE branch = ? AND path = ?", gone)
    database.executemany(
        "INSERT OR REPLACE INTO files (branch, path, base, after, origin) VALUES (?, ?, ?, ?, ?)",
        (
            (
                after.id,
                as_raw(path),
                None if file.base is None else file.base.digest,
                None if file.after is None else file.after.digest,
                None if file.origin is None else as_raw(file.origin),
            )
            for path, file in changed.items()
        ),
    )
    if after.asks != (() if before is None else before.asks):
        _write_asks(database, after)
    if edits is not None:
        database.execute(
            "INSERT INTO batches (branch, revision, applied, edits) VALUES (?, ?, ?, ?)",
            (after.id, after.revision, after.used, _packed_json(edits)),
        )


def read_branches(database: sqlite3.Connection, only: str | None = None) -> tuple[Branch, ...]:
    """Read one branch, or all that are not archived, in the order of their creation."""
    which, values = ("id = ?", (only,)) if only is not None else ("archived IS NULL", ())
    texts: dict[str, PackedText] = {}  # a text that many branches share is one object
    branches: list[Branch] = []
    heads = database.execute(
        "SELECT id, title, created, used, revision, asked FROM branches"  # noqa: S608 - two constants
        f" WHERE {which} ORDER BY number",
        values,
    ).fetchall()
    for branch_id, title, created, used, revision, asked in heads:
        files = {
            as_text(path): BranchFile(
                read_text(database, base, texts),
                read_text(database, after, texts),
                None if origin is None else as_text(origin),
            )
            for path, base, after, origin in database.execute(
                "SELECT path, base, after, origin FROM files WHERE branch = ? ORDER BY path",
                (branch_id,),
            ).fetchall()
        }
        branches.append(
            Branch(
                branch_id,
                as_text(title),
                created,
                used,
                MappingProxyType(files),
                revision,
                _read_asks(database, branch_id, texts),
                asked,
            )
        )
    return tuple(branches)


def _write_asks(database: sqlite3.Connection, branch: Branch) -> None:
    write_texts(database, (ask.seen for ask in branch.asks))
    database.execute("DELETE FROM asks WHERE branch = ?", (branch.id,))
    database.executemany(
        "INSERT INTO asks (branch, number, revision, path, first, past, text, seen)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                branch.id,
                ask.number,
                ask.revision,
                as_raw(ask.path),
                ask.start,
                ask.end,
                as_raw(ask.text),
                None if ask.seen is None else ask.seen.digest,
            )
            for ask in branch.asks
        ),
    )


def _read_asks(
    database: sqlite3.Connection, branch_id: str, texts: dict[str, PackedText]
) -> tuple[Ask, ...]:
    found = database.execute(
        "SELECT number, revision, path, first, past, text, seen FROM asks WHERE branch = ?"
        " ORDER BY number",
        (branch_id,),
    ).fetchall()
    return tuple(
        Ask(
            number,
            revision,
            as_text(path),
            first,
            past,
            as_text(text),
            read_text(database, seen, texts),
        )
        for number, revision, path, first, past, text, seen in found
    )


def read_archived(database: sqlite3.Connection) -> list[Row]:
    """Read the archive's rows, in the order of the branches' creation."""
    return [
        (row[0], as_text(row[1]), *row[2:])
        for row in database.execute(
            "SELECT id, title, created, used, revision,"
            " (SELECT count(*) FROM files WHERE branch = id)"
            " - (SELECT count(DISTINCT target.origin) FROM files AS target"
            " JOIN files AS source ON source.branch = target.branch AND source.path = target.origin"
            " WHERE target.branch = id AND source.after IS NULL),"
            " archived, ended FROM branches WHERE archived IS NOT NULL ORDER BY number"
        )
    ]


def next_number(database: sqlite3.Connection) -> int:
    """The number of the next new branch; numbers of deleted ones do not come back."""
    row = database.execute("SELECT seq FROM sqlite_sequence WHERE name = 'branches'").fetchone()
    return 1 if row is None else int(row[0]) + 1


def set_archived(
    database: sqlite3.Connection, branch_id: str, when: float | None, ended: str | None
) -> None:
    """Put a branch into the archive, or (None) take it out."""
    database.execute(
        "UPDATE branches SET archived = ?, ended = ? WHERE id = ?", (when, ended, branch_id)
    )


def set_used(database: sqlite3.Connection, used: Mapping[str, float]) -> None:
    """Set when branches were last used."""
    database.executemany(
        "UPDATE branches SET used = ? WHERE id = ?",
        ((when, branch_id) for branch_id, when in used.items()),
    )


def purge(database: sqlite3.Connection, archived_before: float) -> list[str]:
    """Delete old archived branches and texts that nothing names; returns the branches' ids."""
    old = "FROM branches WHERE archived < ?"
    rows = database.execute(f"SELECT id {old} ORDER BY number", (archived_before,)).fetchall()
    database.execute(f"DELETE {old}", (archived_before,))
    database.execute(
        "DELETE FROM blobs WHERE"
        " NOT EXISTS (SELECT 1 FROM files WHERE files.base = blobs.digest) AND"
        " NOT EXISTS (SELECT 1 FROM files WHERE files.after = blobs.digest) AND"
        " NOT EXISTS (SELECT 1 FROM asks WHERE asks.seen = blobs.digest) AND"
        " NOT EXISTS (SELECT 1 FROM accept_files WHERE accept_files.before = blobs.digest) AND"
        " NOT EXISTS (SELECT 1 FROM accept_files WHERE accept_files.after = blobs.digest)"
    )
    database.execute("PRAGMA incremental_vacuum").fetchall()  # gives the space back to the disk
    return [str(row[0]) for row in rows]


def read_batches(database: sqlite3.Connection, branch_id: str) -> list[object]:
    """Read all batches of a branch, oldest first."""
    found = database.execute(
        "SELECT edits FROM batches WHERE branch = ? ORDER BY revision", (branch_id,)
    )
    return [json.loads(zlib.decompress(row[0])) for row in found]


def write_texts(database: sqlite3.Connection, texts: Iterable[PackedText | None]) -> None:
    """Keep texts that are not kept yet."""
    database.executemany(
        "INSERT OR IGNORE INTO blobs (digest, size, encoding, bom, stored) VALUES (?, ?, ?, ?, ?)",
        ((text.digest, text.size, *text.form, text.stored) for text in texts if text is not None),
    )


def read_text(
    database: sqlite3.Connection, digest: str | None, known: dict[str, PackedText]
) -> PackedText | None:
    """The text of a digest, one object for all who ask with the same `known`."""
    if digest is None:
        return None
    if digest not in known:
        row = database.execute(
            "SELECT size, stored, encoding, bom FROM blobs WHERE digest = ?", (digest,)
        ).fetchone()
        if row is None:
            raise sqlite3.DatabaseError(f"the text {digest} is missing")
        size, stored, encoding, bom = row
        known[digest] = PackedText.restore(digest, size, stored, (encoding, bool(bom)))
    return known[digest]


def _packed_json(edits: object) -> bytes:
    text = json.dumps(edits, sort_keys=True, separators=(",", ":"))
    return zlib.compress(text.encode("ascii"), level=1)


def as_raw(text: str) -> bytes:
    """A path or title as a column holds it: it need not be valid Unicode."""
    return text.encode("utf-8", "surrogatepass")


def as_text(raw: bytes) -> str:
    """What `as_raw` was given."""
    return raw.decode("utf-8", "surrogatepass")
