"""What files declare, by name and by line: where a name stands, and who owns a line.

Texts are parsed in workers, once a text.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from understudy.outline.detection import PROSE, language_of
from understudy.outline.keywords import keywords_on
from understudy.outline.model import Extent, Outline
from understudy.outline.read_outline import outline
from understudy.shadow.folder import Reader
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.words import has_word, words_of
from understudy.values.errors import BadInput, OutsideFailure
from understudy.values.texts import PackedText
from understudy.workspace.outlines.work import SEPARATOR
from understudy.workspace.snapshot_sources import plain
from understudy.workspace.workers import Workers

_SECONDS = 20.0
_KEPT_TEXTS, _KEPT_WORDS = 2048, 64
_BATCH_BYTES = 4 * 1024 * 1024
_MOST_FILES = 400
"""Files that have a name's word, of which no more are parsed to find who declares it."""

_OWNED = re.compile(r"(?<=\w)(?:::|\.)(?=[\w~])")
_RECEIVER = re.compile(rb"func\s*\((?:[^()]*[\s*])?(\w+)(?:\[[^\]]*\])?\s*\)")
_NO_NAMES = frozenset(("imports", "impl", "extension"))
"""Kinds of entries that name what is declared elsewhere."""


class OutlinedName(NamedTuple):
    """One declaration: its qualified name, and where that and the whole of it stand.

    `names` are the names from the outside in; `line` and `column` are 0-based, in code points;
    `first` and `last` are its lines, 0-based and inclusive.
    """

    kind: str
    names: tuple[str, ...]
    line: int
    column: int
    first: int
    last: int

    @property
    def qualified(self) -> str:
        """The name with those of its owners before it."""
        return ".".join(self.names)


class FoundName(NamedTuple):
    """A declaration and the file that has it."""

    path: str
    declared: OutlinedName


class NamesFound(NamedTuple):
    """Who declares a name, in the order of paths; `n_unread` files have its word, and were too many
    to be parsed."""

    found: tuple[FoundName, ...]
    n_unread: int = 0


class NameIndex:
    """What the texts of snapshots declare; kept by content, so that branches share it."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._kept: OrderedDict[tuple[str, str], tuple[OutlinedName, ...]] = OrderedDict()
        self._mentions: OrderedDict[tuple[str, str], list[str]] = OrderedDict()
        """The files of a snapshot that have a word, by its stamp and the word."""

    async def declared(self, snapshot: Snapshot, path: str) -> tuple[OutlinedName, ...]:
        """What a file declares, in its order; nothing where it cannot be read or understood.

        Raises Moved as reading the base does.
        """
        try:
            text = snapshot.packed(path)
        except BadInput:
            return ()
        if text is None:
            return ()
        key = (text.digest, path.rpartition("/")[2])
        if key not in self._kept:
            try:
                self._kept[key] = await self._workers.run_elsewhere(
                    declared_in, text, path, seconds=_SECONDS
                )
            except OutsideFailure:  # its parser was ended; another time it may go better
                return ()
            if len(self._kept) > _KEPT_TEXTS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]

    async def keywords(self, snapshot: Snapshot, path: str, line: int) -> frozenset[int]:
        """The columns at which the language's own words begin on a line, all from 0."""
        text = snapshot.packed(path)
        if text is None:
            return frozenset()
        try:
            return await self._workers.run_elsewhere(
                keywords_on, text, path, line, seconds=_SECONDS
            )
        except OutsideFailure:  # its parser was ended
            return frozenset()

    async def owner(self, snapshot: Snapshot, path: str, line: int, column: int) -> str:
        """The qualified name of the innermost declaration around a place (0-based); "" at the top.

        The name of a declaration is owned by what that stands in.
        """
        best: OutlinedName | None = None
        for one in await self.declared(snapshot, path):
            if (one.line, one.column) == (line, column):
                return ".".join(one.names[:-1])
            inside = one.first <= line <= one.last and (one.line, one.column) < (line, column)
            if inside and (best is None or one.first >= best.first):
                best = one
        return "" if best is None else best.qualified

    async def find(
        self, snapshot: Snapshot, name: str, among: Iterable[str] | None = None
    ) -> NamesFound:
        """The declarations that a name or dotted path (`Class.method`) means.

        The path may leave out outer names. `among` are the files that count (None: all).
        """
        parts = tuple(part for part in SEPARATOR.split(name.strip()) if part)
        if not parts:
            return NamesFound(())
        paths = await self.mentioning(snapshot, parts[-1], among)
        found: list[FoundName] = []
        for path in paths[:_MOST_FILES]:
            declared = await self.declared(snapshot, path)
            found += [FoundName(path, one) for one in declared if means(one.names, parts)]
        return NamesFound(tuple(found), max(len(paths) - _MOST_FILES, 0))

    async def containing(self, snapshot: Snapshot, letters: str) -> NamesFound:
        """The declarations whose names have these letters in them, whatever their case.

        Those come first that begin with them, the shortest names before others.
        """
        if len(SEPARATOR.split(letters)) > 1:
            return await self.find(snapshot, letters)
        wanted = letters.lower()
        paths = await self.with_letters(snapshot, letters)
        found = [
            FoundName(path, one)
            for path in paths[:_MOST_FILES]
            for one in await self.declared(snapshot, path)
            if wanted in one.names[-1].lower()
        ]
        found.sort(key=lambda hit: _nearness(hit.declared.names[-1], wanted))
        return NamesFound(tuple(found), max(len(paths) - _MOST_FILES, 0))

    async def with_letters(self, snapshot: Snapshot, letters: str) -> list[str]:
        """The files that have the letters in them, whatever their case, sorted."""
        wanted = letters.lower()
        paths = [path for path, text in snapshot.shown.items() if _has(text, wanted)]
        for batch in _batches(snapshot, snapshot.paths() - snapshot.shown.keys()):
            reader = snapshot.base.folder.reader
            paths += await self._workers.run_elsewhere(
                files_containing, reader, batch, wanted, seconds=_SECONDS
            )
        return sorted(paths)

    async def mentioning(
        self, snapshot: Snapshot, word: str, among: Iterable[str] | None = None
    ) -> list[str]:
        """The files that have a word that is no part of a longer one, sorted."""
        key = (snapshot.stamp, word)
        if key in self._mentions:
            self._mentions.move_to_end(key)
            found = self._mentions[key]
            wanted = None if among is None else frozenset(among)
            return [path for path in found if wanted is None or path in wanted]
        found = await self._mentioning(snapshot, word, among)
        if among is None:
            self._mentions[key] = found
            if len(self._mentions) > _KEPT_WORDS:
                self._mentions.popitem(last=False)
        return list(found)

    async def _mentioning(
        self, snapshot: Snapshot, word: str, among: Iterable[str] | None
    ) -> list[str]:
        paths = snapshot.paths() if among is None else frozenset(among)
        over = {path: text for path, text in snapshot.shown.items() if path in paths}
        found = [
            path
            for path, text in over.items()
            if text is not None and has_word(_bytes_of(text), word.encode())
        ]
        for batch in _batches(snapshot, paths - over.keys()):
            reader = snapshot.base.folder.reader
            size = sum(snapshot.base.folder.files[path].size for path in batch)
            found += await self._workers.run(files_with, reader, batch, word.encode(), size=size)
        return sorted(found)

    async def alike(
        self,
        snapshot: Snapshot,
        name: str,
        among: Iterable[str] | None = None,
        n_most: int = 5,
    ) -> list[str]:
        """Declared names that are nearest to one that nobody declares, the nearest first.

        Those of the named owner come before others, with it. `among` are the files that count
        (None: all).
        """
        *owner, wanted = SEPARATOR.split(name.strip())
        paths = snapshot.paths() if among is None else frozenset(among)
        words: set[str] = set()
        for batch in _batches(snapshot, paths):
            words |= await self._workers.run_elsewhere(
                words_near, snapshot.base.folder.reader, batch, wanted, seconds=_SECONDS
            )
        for path, text in snapshot.overlay.items():
            if text is not None and path in paths:
                words |= _near(_bytes_of(text), wanted)
        owned: list[str] = []
        found: list[str] = []
        for word in closest(wanted, words, 3 * n_most):
            whole = ".".join((*owner, word))
            if owner and (await self.find(snapshot, whole, among)).found:
                owned.append(whole)
            elif len(found) < n_most and (await self.find(snapshot, word, among)).found:
                found.append(word)
        return [*owned, *found][:n_most]


def means(names: Sequence[str], parts: Sequence[str]) -> bool:
    """Whether a dotted path is the end of an entry's names from the outside in."""
    whole = [part for name in names for part in SEPARATOR.split(name) if part]
    return whole[-len(parts) :] == list(parts)


def declared_in(text: PackedText, path: str) -> tuple[OutlinedName, ...]:
    """What a text declares; for workers."""
    content = text.unpack()
    data = content.encode()
    language = language_of(path, data[:65536])
    if language is None or language in PROSE:
        return ()
    found = outline(data, language, path, text.digest)
    if found.partial and path.endswith(".h"):  # a header may be of either language
        as_cpp = outline(data, "cpp", path, text.digest)
        found = min(found, as_cpp, key=_n_missed)
    lines = content.content.encode("utf-8", "replace").split(b"\n")
    return tuple(_names_of(found, lines))


def _n_missed(found: Outline) -> int:
    return sum(last - first + 1 for first, last in found.partial)


def _names_of(found: Outline, lines: Sequence[bytes]) -> Iterable[OutlinedName]:
    names: list[tuple[str, ...]] = []
    for entry in found.entries:
        above = names[entry.parent] if entry.parent >= 0 else ()
        own = () if entry.kind == "imports" else tuple(_OWNED.split(entry.name))
        names.append((*above, *own))
        if entry.kind in _NO_NAMES or "\n" in entry.name:
            continue
        line = entry.name_line - 1
        column = _column(entry.written, entry.name, lines, line)
        if entry.kind == "method" and not above and line < len(lines):
            names[-1] = (*_receiver(lines[line]), *own)
        yield OutlinedName(entry.kind, names[-1], line, column, entry.start - 1, entry.end - 1)


def _receiver(line: bytes) -> tuple[str, ...]:
    """The type that a method of Go belongs to, which stands before its name."""
    found = _RECEIVER.match(line)
    return () if found is None else (found[1].decode("utf-8", "replace"),)


def _column(written: Extent | str, name: str, lines: Sequence[bytes], line: int) -> int:
    """Where the last part of the name begins, in code points."""
    text = lines[line] if line < len(lines) else b""
    last = SEPARATOR.split(name)[-1].encode("utf-8", "replace")
    start = 0
    if isinstance(written, Extent):
        start = max(written.name_at - sum(len(one) + 1 for one in lines[:line]), 0)
    pattern = rb"(?<![\w$\x80-\xff])" + re.escape(last) + rb"(?![\w$\x80-\xff])"
    match = re.compile(pattern).search(text, min(start, len(text))) or re.search(pattern, text)
    return len(text[: match.start() if match else start].decode("utf-8", "replace"))


def files_with(reader: Reader, paths: Sequence[str], word: bytes) -> list[str]:
    """Those of the files that have a word; for workers."""
    return [path for path in paths if has_word(_read(reader, path), word)]


def files_containing(reader: Reader, paths: Sequence[str], letters: str) -> list[str]:
    """Those of the files that have the letters in them, whatever their case; for workers."""
    wanted = letters.encode()
    return [path for path in paths if wanted in _read(reader, path).lower()]


def _has(text: PackedText | None, letters: str) -> bool:
    return text is not None and letters in text.unpack().content.lower()


def _nearness(name: str, letters: str) -> tuple[bool, int]:
    return not name.lower().startswith(letters), len(name)


def words_near(reader: Reader, paths: Sequence[str], wanted: str) -> set[str]:
    """The words of the files that may be meant by one that is mistyped; for workers."""
    return {word for path in paths for word in _near(_read(reader, path), wanted)}


def _near(data: bytes, wanted: str) -> set[str]:
    words = {word.decode("utf-8", "replace") for word in words_of(data)}
    return set(closest(wanted, words, 20))


def closest(wanted: str, words: Iterable[str], n_most: int) -> list[str]:
    """The nearest words, case left aside; the nearest first, equally near ones by name."""
    by_lower: dict[str, list[str]] = {}
    for word in sorted(words):
        if abs(len(word) - len(wanted)) <= max(len(wanted) // 2, 2):
            by_lower.setdefault(word.lower(), []).append(word)
    near = get_close_matches(wanted.lower(), sorted(by_lower), n=n_most, cutoff=0.6)
    return [word for lower in near for word in by_lower[lower]][:n_most]


def _read(reader: Reader, path: str) -> bytes:
    try:
        return plain(reader.read(path)) or b""
    except BadInput:
        return b""


def _bytes_of(text: PackedText) -> bytes:
    return text.unpack().content.encode("utf-8", "replace")


def _batches(snapshot: Snapshot, paths: Iterable[str]) -> Iterable[list[str]]:
    files: Mapping[str, object] = snapshot.base.folder.files
    batch: list[str] = []
    size = 0
    for path in sorted(path for path in paths if path in files):
        batch.append(path)
        size += snapshot.base.folder.files[path].size
        if size > _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
