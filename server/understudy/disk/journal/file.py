"""The journal's file: its schema, its version, and what happens when it is damaged."""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path

from understudy.disk.journal.reading import content_in_memory
from understudy.disk.layout import open_private
from understudy.disk.room import refusal_of, state_failure
from understudy.values.errors import OutsideFailure, Refused, UnderstudyError

SCHEMA_VERSION = 4
"""Kept in `PRAGMA user_version`. Raise it with every change below, which migrates older ones."""

# Paths and titles are blobs, because file names need not be valid Unicode.
_FIRST = """
CREATE TABLE branches (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title BLOB NOT NULL,
    created REAL NOT NULL,
    used REAL NOT NULL,
    revision INTEGER NOT NULL,
    archived REAL,
    ended TEXT
);
CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    encoding TEXT NOT NULL,
    bom INTEGER NOT NULL,
    stored BLOB NOT NULL
);
CREATE TABLE files (
    branch TEXT NOT NULL REFERENCES branches(id) ON DELETE CASCADE,
    path BLOB NOT NULL,
    base TEXT REFERENCES blobs(digest),
    after TEXT REFERENCES blobs(digest),
    origin BLOB,
    PRIMARY KEY (branch, path)
);
CREATE INDEX files_by_base ON files(base);
CREATE INDEX files_by_after ON files(after);
CREATE TABLE batches (
    branch TEXT NOT NULL REFERENCES branches(id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    applied REAL NOT NULL,
    edits BLOB NOT NULL,
    PRIMARY KEY (branch, revision)
);
"""
# Accepts that are under way; `step` is JSON in ASCII.
_SECOND = """
CREATE TABLE accepts (
    branch TEXT PRIMARY KEY REFERENCES branches(id) ON DELETE CASCADE,
    folders TEXT NOT NULL,
    prepared INTEGER NOT NULL
);
CREATE TABLE accept_files (
    branch TEXT NOT NULL REFERENCES accepts(branch) ON DELETE CASCADE,
    path BLOB NOT NULL,
    step TEXT NOT NULL,
    before TEXT REFERENCES blobs(digest),
    after TEXT REFERENCES blobs(digest),
    PRIMARY KEY (branch, path)
);
CREATE INDEX accept_files_by_before ON accept_files(before);
CREATE INDEX accept_files_by_after ON accept_files(after);
"""
# What the user asks agents to change; lines are 0-based, the end exclusive.
_THIRD = """
CREATE TABLE asks (
    branch TEXT NOT NULL REFERENCES branches(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    path BLOB NOT NULL,
    first INTEGER NOT NULL,
    past INTEGER NOT NULL,
    text BLOB NOT NULL,
    PRIMARY KEY (branch, number)
);
"""
# The highest number that an ask of a branch has had, and the text that an ask was made about.
_FOURTH = """
ALTER TABLE branches ADD COLUMN asked INTEGER NOT NULL DEFAULT 0;
UPDATE branches SET asked = (SELECT coalesce(max(number), 0) FROM asks WHERE branch = branches.id);
ALTER TABLE asks ADD COLUMN seen TEXT REFERENCES blobs(digest);
CREATE INDEX asks_by_seen ON asks(seen);
"""
_STEPS = (_FIRST, _SECOND, _THIRD, _FOURTH)
"""What makes each schema of the one before it, in their order."""
assert len(_STEPS) == SCHEMA_VERSION
_COMPANIONS = ("", "-wal", "-shm")


def open_database(path: Path) -> sqlite3.Connection:
    """Open the journal, making it when it is missing; see `Journal.open` for the errors.

    Where its disk takes nothing more it can be read, and every write is refused.
    """
    files = [path.with_name(path.name + suffix) for suffix in _COMPANIONS]
    new = [file for file in files if not file.exists()]
    try:
        return _open(path)
    except OutsideFailure as failure:
        for file in new:  # half made; what was there before has all that was ever kept
            with suppress(OSError):
                file.unlink(missing_ok=True)
        if failure.code not in ("state-full", "state-unwritable"):
            raise
        return _open_to_read(path, failure)


def _open_to_read(path: Path, failure: OutsideFailure) -> sqlite3.Connection:
    try:
        database = content_in_memory(path)
        _prepare(database, path)
    except (OSError, sqlite3.Error) as error:
        raise failure from error
    database.execute("PRAGMA query_only = ON")
    return database


def _open(path: Path) -> sqlite3.Connection:
    os.close(open_private(path, os.O_RDWR | os.O_CREAT))  # SQLite's own files take its mode
    database: sqlite3.Connection | None = None
    try:
        # Statements stay in one thread, but closing may come from another one at the very end.
        database = sqlite3.connect(path, timeout=5, isolation_level=None, check_same_thread=False)
        _prepare(database, path)
    except sqlite3.Error as error:
        if database is not None:
            database.close()
        raise failure_of(error, path) from error
    except Refused:
        if database is not None:
            database.close()
        raise
    return database


def failure_of(error: sqlite3.Error, path: Path) -> UnderstudyError:
    """Our error for one of SQLite's; a damaged file is put aside, never deleted."""
    if not is_damage(error):
        refusal = refusal_of(path.parent)
        if refusal is not None:
            return state_failure(refusal, path)
        if "readonly" in str(error):
            text = "the disk of the journal took nothing more when it was opened; start again"
            return OutsideFailure("state-unwritable", text, str(path))
        return OutsideFailure("journal-failed", f"cannot use the journal: {error}", str(path))
    kept = _put_aside(path)
    return OutsideFailure(
        "journal-damaged",
        f"the journal is damaged ({error}); it is kept as {kept.name}; "
        "start again to go on with an empty one",
        str(path),
    )


def is_damage(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file itself is wrong, not that an operation failed."""
    # "Corrupt" and "not a database" come as DatabaseError itself, all else as a subclass of it.
    return type(error) is sqlite3.DatabaseError


def _prepare(database: sqlite3.Connection, path: Path) -> None:
    version = int(database.execute("PRAGMA user_version").fetchone()[0])
    if version > SCHEMA_VERSION:
        raise Refused(
            "journal-newer",
            f"a newer Understudy wrote this journal (schema {version}, ours is {SCHEMA_VERSION}); "
            "use that one, or another state folder",
            str(path),
        )
    if version == 0:
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute("PRAGMA foreign_keys = ON")
    answer = database.execute("PRAGMA quick_check(1)").fetchone()[0]
    if answer != "ok":
        raise sqlite3.DatabaseError(answer)
    if version < SCHEMA_VERSION:
        steps = "".join(_STEPS[version:])
        database.executescript(f"BEGIN; {steps} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def _put_aside(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    for suffix in _COMPANIONS:
        part = path.with_name(path.name + suffix)
        if part.exists():
            part.rename(kept.with_name(kept.name + suffix))
    return kept
