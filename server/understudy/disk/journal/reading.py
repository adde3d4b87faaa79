"""The journal where its disk takes nothing more: all that it holds, in memory, to read alone."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path


def content_in_memory(path: Path) -> sqlite3.Connection:
    """A database in memory with what the file and its log hold; empty where there is none.

    The caller keeps others from writing. Raises sqlite3.Error, OSError.
    """
    memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    if path.exists() and path.stat().st_size:
        with _readable(path) as uri, closing(sqlite3.connect(uri, uri=True)) as source:
            source.backup(memory)
    return memory


@contextmanager
def _readable(path: Path) -> Generator[str, None, None]:
    """Where SQLite can read it without a file beside it."""
    log = path.with_name(f"{path.name}-wal")
    if not log.exists() or not log.stat().st_size:
        yield f"{path.absolute().as_uri()}?immutable=1"
        return
    # It was not closed: what is in its log counts, and is put in order in a copy elsewhere.
    with tempfile.TemporaryDirectory(prefix="understudy-") as folder:
        for file in (path, log):
            shutil.copyfile(file, Path(folder) / file.name)
        yield (Path(folder) / path.name).as_uri()
