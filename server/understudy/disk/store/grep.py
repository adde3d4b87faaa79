"""Exact search over a store and the skills: every line that has a text, or matches a pattern."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from understudy.context.excerpt import finder
from understudy.disk.store.search_index import Hit
from understudy.disk.store.store import FOLDERS, USER, ContextStore
from understudy.values.frozen import frozen

_LINE_CHARACTERS = 300


@frozen
class Grepped:
    """Hits in order of path and line; `matched` lines in all, `unread` files."""

    hits: tuple[Hit, ...]
    matched: int
    unread: int


def grep_store(
    stores: Sequence[ContextStore], skills: Sequence[Path], pattern: str, regex: bool,
    kinds: Sequence[str], limit: int,
) -> Grepped:  # fmt: skip
    """Look through the files; call it in a worker, as a pattern may take for ever.

    Raises BadInput `bad-pattern`.
    """
    find = finder(pattern, regex=regex)
    files = [
        (store.name_of(file), file)
        for store in stores
        for file in store.files(_folders(store, kinds))
    ]
    files += [(str(file), file) for file in skills if "skills" in kinds]
    hits: list[Hit] = []
    matched = unread = 0
    for name, file in files:
        if file.suffix in (".jsonl", ".bin"):
            continue
        try:
            text = file.read_bytes().decode("utf-8", "replace")
        except OSError:
            unread += 1
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if (at := find(line)) >= 0:
                matched += 1
                if len(hits) < limit:
                    hits.append(Hit(name, number, 0, _around(line, at)))
    return Grepped(tuple(hits), matched, unread)


def _folders(store: ContextStore, kinds: Sequence[str]) -> Sequence[str]:
    """The folders of a store that hold these kinds; the user's store is one kind as a whole."""
    if store.tier == "user":
        return FOLDERS if USER in kinds else ()
    return kinds


def _around(line: str, at: int) -> str:
    """The line, or the part of a very long one in which something begins."""
    if len(line) <= _LINE_CHARACTERS:
        return line
    start = max(0, at - _LINE_CHARACTERS // 3)
    cut = len(line) - _LINE_CHARACTERS
    return f"{line[start : start + _LINE_CHARACTERS]} [{cut} characters left out]"
