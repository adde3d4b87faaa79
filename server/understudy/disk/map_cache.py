"""What repository maps are made of, by content, in SQLite in the user's cache folder.

A cache: it may be deleted at any time, and a damaged one is. Workers of several hosts use it at
once, so every call is a short transaction.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from understudy.disk.layout import make_private_folder, open_private
from understudy.shadow.folder import Fingerprint
from understudy.values.errors import OutsideFailure
from understudy.values.frozen import frozen

CACHE_VARIABLE = "UNDERSTUDY_CACHE_DIR"
"""Environment variable that names the cache folder instead of the platform's own."""

KEPT_DAYS = 30
"""What no map has used for so long is dropped."""

# The number is the schema's: an older or newer version of ours has a file of its own.
_NAME = "maps-2.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS contents (
    key TEXT PRIMARY KEY, used INTEGER NOT NULL, language TEXT NOT NULL, state TEXT NOT NULL,
    n_lines INTEGER NOT NULL, n_declared INTEGER NOT NULL,
    declared BLOB NOT NULL, mentioned BLOB NOT NULL, entries BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS folders (
    root BLOB PRIMARY KEY, used INTEGER NOT NULL, maker TEXT NOT NULL, tree TEXT, ranking BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS files (
    root BLOB NOT NULL, path BLOB NOT NULL, key TEXT NOT NULL,
    mtime INTEGER NOT NULL, size INTEGER NOT NULL, inode INTEGER NOT NULL, changed INTEGER NOT NULL,
    PRIMARY KEY (root, path)
) WITHOUT ROWID;
"""


@frozen
class MapContent:
    """What was made of one text; the blobs are the maker's affair.

    `state` is "" if it was understood, `partial`, or the reason why it was not read at all.
    """

    key: str
    language: str
    state: str
    n_lines: int
    n_declared: int = 0
    declared: bytes = b""
    mentioned: bytes = b""
    entries: bytes = b""


class MapCache:
    """One connection; open it where it is used, it does not travel to other processes."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def begin(self, root: Path, maker: str) -> None:
        """Note that a folder and its contents are in use; once a day is enough.

        `maker` names what contents are made by: where it was another one, no file is known.
        """
        today, name = _today(), os.fsencode(root)
        run = self._database.execute
        row = run("SELECT used, maker FROM folders WHERE root = ?", (name,)).fetchone()
        if row == (today, maker):
            return
        with self._transaction():
            run("INSERT OR IGNORE INTO folders VALUES (?, ?, ?, NULL, NULL)", (name, today, maker))
            run("UPDATE folders SET used = ?, maker = ? WHERE root = ?", (today, maker, name))
            if row is not None and row[1] != maker:
                run("DELETE FROM files WHERE root = ?", (name,))
            of_folder = "SELECT key FROM files WHERE root = ?"
            run(f"UPDATE contents SET used = ? WHERE key IN ({of_folder})", (today, name))  # noqa: S608
            run("DELETE FROM contents WHERE used < ?", (today - KEPT_DAYS,))
            run("DELETE FROM folders WHERE used < ?", (today - KEPT_DAYS,))
            run("DELETE FROM files WHERE root NOT IN (SELECT root FROM folders)")

    def known(self, root: Path) -> Mapping[str, tuple[Fingerprint, str]]:
        """The files of a folder as they were at its last map: fingerprint and content key."""
        rows = self._database.execute(
            "SELECT path, mtime, size, inode, changed, files.key FROM files "
            "JOIN contents ON contents.key = files.key WHERE root = ?",
            (os.fsencode(root),),
        )
        return {os.fsdecode(row[0]): (Fingerprint(*row[1:5]), row[5]) for row in rows}

    def has(self, key: str) -> bool:
        """Whether there is something for a content."""
        found = self._database.execute("SELECT 1 FROM contents WHERE key = ?", (key,))
        return found.fetchone() is not None

    def put(
        self, root: Path, path: str | None, mark: Fingerprint | None, content: MapContent | None,
        key: str,
    ) -> None:  # fmt: skip
        """Keep a file's content (None: it is known) and, for a file on disk, where it stands."""
        with self._transaction():
            if content is not None:
                self._database.execute(
                    "INSERT OR REPLACE INTO contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        content.key, _today(), content.language, content.state, content.n_lines,
                        content.n_declared, content.declared, content.mentioned, content.entries,
                    ),
                )  # fmt: skip
            if path is not None and mark is not None:
                self._database.execute(
                    "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
                    (
                        os.fsencode(root), os.fsencode(path), key,
                        mark.mtime_ns, mark.size, mark.inode, mark.changed_ns,
                    ),
                )  # fmt: skip

    def forget(self, root: Path, paths: Iterable[str]) -> None:
        """Drop files that are no longer there."""
        rows = [(os.fsencode(root), os.fsencode(path)) for path in paths]
        if rows:
            with self._transaction():
                self._database.executemany("DELETE FROM files WHERE root = ? AND path = ?", rows)

    def contents(self, keys: Sequence[str], columns: str) -> Iterator[tuple[object, ...]]:
        """Rows `key, …` of these contents; `columns` are names of fields of `MapContent`."""
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            yield from self._database.execute(
                f"SELECT key, {columns} FROM contents WHERE key IN ({marks})",  # noqa: S608 - our own
                part,
            )

    def ranking(self, root: Path, tree: str) -> bytes | None:
        """The ranking kept for a folder in this very state."""
        row = self._database.execute(
            "SELECT ranking FROM folders WHERE root = ? AND tree = ?", (os.fsencode(root), tree)
        ).fetchone()
        return None if row is None else row[0]

    def keep_ranking(self, root: Path, tree: str, ranking: bytes) -> None:
        """Keep the ranking of a folder's state in place of the one before."""
        with self._transaction():
            self._database.execute(
                "UPDATE folders SET tree = ?, ranking = ? WHERE root = ?",
                (tree, ranking, os.fsencode(root)),
            )

    @contextmanager
    def _transaction(self) -> Generator[None, None, None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:  # whatever it is: undone, and raised again
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")


@contextmanager
def open_map_cache(file: Path) -> Generator[MapCache, None, None]:
    """Open the cache, making it where it is missing or damaged.

    Raises OutsideFailure `cache-failed` if it cannot be used.
    """
    database: sqlite3.Connection | None = None
    try:
        try:
            database = _opened(file)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            for suffix in ("", "-wal", "-shm"):
                with suppress(FileNotFoundError):
                    file.with_name(file.name + suffix).unlink()
            database = _opened(file)
        yield MapCache(database)
    except sqlite3.Error as error:
        raise _failure(str(error), file) from error
    except OutsideFailure as error:
        raise _failure(error.text, file) from error
    finally:
        if database is not None:
            database.close()


def map_cache_file() -> Path:
    """Where the cache lies; its folder is made, for this user alone.

    Raises OutsideFailure `cache-failed`.
    """
    chosen = os.environ.get(CACHE_VARIABLE)
    if chosen:
        folder = Path(chosen).expanduser().resolve()
    else:
        import platformdirs  # noqa: PLC0415 - not needed where the variable is set

        folder = Path(platformdirs.user_cache_dir("understudy", appauthor=False)) / "maps"
    try:
        make_private_folder(folder)
    except OutsideFailure as error:
        raise _failure(error.text, folder) from error
    if not folder.is_dir():
        raise _failure("not a folder", folder)
    return folder / _NAME


def _opened(file: Path) -> sqlite3.Connection:
    os.close(open_private(file, os.O_RDWR | os.O_CREAT))  # SQLite's own files take its mode
    database = sqlite3.connect(file, timeout=30, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")  # a cache: what a power cut takes is made anew
        database.executescript(_SCHEMA)
    except sqlite3.Error:
        database.close()
        raise
    return database


def _failure(why: str, where: Path) -> OutsideFailure:
    text = f"cannot use the cache: {why}; delete it, or name another folder in {CACHE_VARIABLE}"
    return OutsideFailure("cache-failed", text, str(where))


def _today() -> int:
    return int(time.time() // 86400)
