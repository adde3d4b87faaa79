"""Ranked search over a store: SQLite's full-text index (FTS5, BM25), brought up to date by use."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from understudy.context.search_words import match_expression, passages, sections, telling_line
from understudy.disk.layout import make_private_folder, open_private
from understudy.disk.store.store import USER, ContextStore
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

KINDS = ("tool", "file", "history", "mcp", "skills", USER)
MOST_BYTES = 16 * 1024 * 1024
"""Of one file; what a longer one has beyond is found by grep alone."""

# The number is the schema's: an older or newer version of ours has a file of its own.
_NAME = "search-1.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, mtime INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS places (
    id INTEGER PRIMARY KEY, file INTEGER NOT NULL, line INTEGER NOT NULL, event INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS places_by_file ON places(file);
CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5(text, tokenize = "unicode61");
"""


@frozen
class Hit:
    """A passage: its file, the line (from 1) that tells most and its text; an event's number or 0.

    `path` is as receipts name it, or absolute for a skill, which lies elsewhere.
    """

    path: str
    line: int
    event: int
    text: str


@frozen
class Found:
    """Hits, the best first; `cut` counts files that are indexed in part, `unread` those not."""

    hits: tuple[Hit, ...]
    cut: int
    unread: int


def search(
    stores: Sequence[ContextStore],
    skills: Sequence[Path],
    question: str,
    kinds: Sequence[str],
    limit: int,
) -> Found:
    """The best passages for any words of the question; equal ranks are ordered by path and line.

    The index of all lies in the first store, the workspace's.

    Raises BadInput `empty-question`; OutsideFailure `search-failed`.
    """
    expression = match_expression(question)
    folder = stores[0].folder
    make_private_folder(folder)
    file = folder / _NAME
    os.close(open_private(file, os.O_RDWR | os.O_CREAT))
    try:
        with closing(sqlite3.connect(file, timeout=10, isolation_level=None)) as database:
            database.executescript(_SCHEMA)
            index = _Index(database)
            cut, unread = index.renew(stores, skills)
            return Found(tuple(index.hits(expression, question, kinds, limit)), cut, unread)
    except sqlite3.Error as error:
        if type(error) is sqlite3.DatabaseError:
            file.unlink(missing_ok=True)  # a damaged index holds nothing that is not elsewhere
        text = f"the search index failed: {error}; search again, or use grep"
        raise OutsideFailure("search-failed", text, str(file)) from error


class _Index:
    def __init__(self, database: sqlite3.Connection) -> None:
        self._run = database.execute

    def renew(self, stores: Sequence[ContextStore], skills: Sequence[Path]) -> tuple[int, int]:
        """Index what is new or has changed, drop what is gone; counts of cut and unread files."""
        present = {
            store.name_of(file): file
            for store in stores
            for file in store.files()
            if _is_indexed(file)
        }
        present |= {str(file): file for file in skills}
        rows = self._run("SELECT path, size, mtime FROM files").fetchall()
        known: dict[str, tuple[int, int]] = {row[0]: (row[1], row[2]) for row in rows}
        cut = unread = 0
        self._run("BEGIN IMMEDIATE")
        for path in known.keys() - present.keys():
            self._drop(path)
        for path, file in sorted(present.items()):
            try:
                status = file.stat()
                cut += status.st_size > MOST_BYTES
                if known.get(path) != (status.st_size, status.st_mtime_ns):
                    self._drop(path)
                    self._add(path, file, (status.st_size, status.st_mtime_ns))
            except OSError:
                unread += 1
        self._run("COMMIT")
        return cut, unread

    def hits(
        self, expression: str, question: str, kinds: Sequence[str], limit: int
    ) -> Iterator[Hit]:
        rows = self._run(
            "SELECT files.path, places.line, places.event, texts.text FROM texts "
            "JOIN places ON places.id = texts.rowid JOIN files ON files.id = places.file "
            "WHERE texts MATCH ? ORDER BY round(bm25(texts), 6), files.path, places.line",
            (expression,),
        )
        left = limit
        for path, line, event, text in rows:
            kind = "skills" if Path(path).is_absolute() else path.partition("/")[0]
            if kind in kinds and left > 0:
                left -= 1
                offset, shown = telling_line(text, question)
                yield Hit(path, line + offset, event, shown)

    def _add(self, path: str, file: Path, mark: tuple[int, int]) -> None:
        with file.open("rb") as stream:
            text = stream.read(MOST_BYTES).decode("utf-8", "replace")
        cursor = self._run("INSERT INTO files (path, size, mtime) VALUES (?, ?, ?)", (path, *mark))
        number = cursor.lastrowid
        pieces = (
            sections(text)
            if path.startswith("history/")
            else ((0, line, piece) for line, piece in passages(text))
        )
        for event, line, piece in pieces:
            place = self._run(
                "INSERT INTO places (file, line, event) VALUES (?, ?, ?)", (number, line, event)
            )
            self._run("INSERT INTO texts (rowid, text) VALUES (?, ?)", (place.lastrowid, piece))

    def _drop(self, path: str) -> None:
        row = self._run("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
        if row is not None:
            of_file = "SELECT id FROM places WHERE file = ?"
            self._run(f"DELETE FROM texts WHERE rowid IN ({of_file})", row)  # noqa: S608
            self._run("DELETE FROM places WHERE file = ?", row)
            self._run("DELETE FROM files WHERE id = ?", row)


def _is_indexed(file: Path) -> bool:
    """Whether a file is text of its own: no log of which there is a twin, and nothing binary."""
    return file.suffix not in (".jsonl", ".bin") and not file.name.endswith(".pretty.json")
