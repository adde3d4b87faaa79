"""What a store forgets, by age and size; never what a log that is in use refers to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from understudy.context.events import refs_of
from understudy.disk.atomic import write_private
from understudy.disk.room import what_disk_says
from understudy.disk.store.history_log import HistoryLog, log_names
from understudy.disk.store.store import BLOB_FOLDERS, ContextStore
from understudy.disk.store.transcript_copy import forget_copy, transcript_copies
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.values.frozen import frozen

DAY = 86_400
YOUNG_SECONDS = 3600
"""A file so new is kept: the event that refers to it may be on its way."""

_MARK = "tidied"


@frozen
class Retention:
    """Days that a log lives after its last event, and a file after its last use; bytes of all."""

    log_days: float = 30
    blob_days: float = 14
    total_bytes: int = 2 * 1024**3


@frozen
class RemovedByAge:
    """What was removed."""

    logs: int = 0
    files: int = 0
    size: int = 0


def forget_daily(store: ContextStore, retention: Retention) -> RemovedByAge:
    """Forget what is due in a workspace's store, at most once a day.

    Raises OutsideFailure `state-unwritable`.
    """
    return _daily(store, retention, lambda now: forget(store, retention, now))


def forget_users_daily(
    store: ContextStore, workspaces: Sequence[Path], retention: Retention
) -> RemovedByAge:
    """Forget what is due in the user's store, at most once a day; see `forget_users`.

    Raises OutsideFailure `state-unwritable`.
    """
    return _daily(store, retention, lambda now: forget_users(store, workspaces, retention, now))


def _daily(
    store: ContextStore, retention: Retention, act: Callable[[float], RemovedByAge]
) -> RemovedByAge:
    """Tidy unless that was done since yesterday, and note for how long logs live here."""
    mark = store.folder / _MARK
    now = time.time()
    try:
        if now - mark.stat().st_mtime < DAY:
            return RemovedByAge()
    except OSError:
        pass  # it was never done here
    try:
        done = act(now)
        write_private(mark, f"{retention.log_days}\n".encode())
    except OSError as error:
        text = f"old outputs cannot be removed: {what_disk_says(error, store.folder)}"
        raise OutsideFailure("state-unwritable", text, str(store.folder)) from error
    return done


def forget(store: ContextStore, retention: Retention, now: float) -> RemovedByAge:
    """Remove old logs, then files that no log refers to: the old ones, then the longest unused.

    Copies of transcripts are logs here.
    A log that cannot be read may refer to anything: then no file is removed.
    """
    used = _used(store, retention.log_days, now)
    n_logs = 0
    for copy in transcript_copies(store.folder):
        if _age(copy, now) > retention.log_days * DAY:
            forget_copy(copy)
            n_logs += 1
    for name in log_names(store.folder):
        if name not in used.logs:
            log = HistoryLog(store.folder, name)
            log.file.unlink(missing_ok=True)
            log.twin.unlink(missing_ok=True)
            n_logs += 1
    return _forget_files(store, retention, now, used.files, n_logs)


def forget_users(
    store: ContextStore, workspaces: Sequence[Path], retention: Retention, now: float
) -> RemovedByAge:
    """Remove files of the user's store that no log of any workspace refers to, as `forget` does.

    A log is in use by its own workspace's settings, as they were when that was tidied last.
    """
    kept: set[str] = set()
    for folder in workspaces:
        files = _used(ContextStore(folder), _log_days(folder, retention.log_days), now).files
        if files is None:
            return RemovedByAge()
        kept |= files
    return _forget_files(store, retention, now, frozenset(kept), 0)


def _log_days(folder: Path, otherwise: float) -> float:
    try:
        days = float((folder / _MARK).read_text("ascii"))
    except (OSError, ValueError):
        return otherwise  # that workspace was never tidied, or by an older version
    return days if days > otherwise else otherwise


@frozen
class _Used:
    """Logs that are in use, those of their sub-agents included, and the files they refer to.

    `files` is None where a log cannot be read.
    """

    logs: frozenset[str]
    files: frozenset[str] | None


def _used(store: ContextStore, log_days: float, now: float) -> _Used:
    names = log_names(store.folder)
    waiting = [
        name for name in names if _age(HistoryLog(store.folder, name).file, now) <= log_days * DAY
    ]
    logs: set[str] = set()
    files: set[str] = set()
    is_sure = True
    while waiting:
        name = waiting.pop()
        if name in logs or name not in names:
            continue
        logs.add(name)
        try:
            refs = refs_of(HistoryLog(store.folder, name).read().events)
        except UnderstudyError:
            is_sure = False
            continue
        files |= refs
        waiting += (Path(ref).stem for ref in refs if ref.startswith("history/"))
    return _Used(frozenset(logs), frozenset(files) if is_sure else None)


def _forget_files(
    store: ContextStore, retention: Retention, now: float, kept: frozenset[str] | None, n_logs: int
) -> RemovedByAge:
    if kept is None:
        return RemovedByAge(n_logs)
    files = store.files(BLOB_FOLDERS)
    total = sum(_size(file) for file in files)
    free = [file for file in files if not _is_kept(store.name_of(file), kept)]
    free.sort(key=lambda file: (-_age(file, now), file))
    n_files = size = 0
    for file in free:
        age = _age(file, now)
        is_old = age > retention.blob_days * DAY
        if age < YOUNG_SECONDS or not (is_old or total > retention.total_bytes):
            continue
        length = _size(file)
        file.unlink(missing_ok=True)
        total -= length
        n_files, size = n_files + 1, size + length
    return RemovedByAge(n_logs, n_files, size)


def _is_kept(name: str, kept: frozenset[str]) -> bool:
    return name in kept or name.replace(".pretty.json", ".json") in kept


def _age(file: Path, now: float) -> float:
    try:
        return now - file.stat().st_mtime
    except OSError:
        return 0


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
