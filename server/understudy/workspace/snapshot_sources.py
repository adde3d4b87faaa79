"""The texts of two snapshots as a change is followed through them, taken apart where it comes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from understudy.dependents.changes import FileReading, OutsideChange, change_between
from understudy.dependents.families import family_of
from understudy.dependents.inference import as_written
from understudy.dependents.mentions import FileMentions
from understudy.dependents.onlookers import kind_of
from understudy.dependents.readers import (
    declarations_of,
    imports_of,
    reading_of,
    unwritten_in,
)
from understudy.shadow.snapshot import Snapshot
from understudy.syntax.model import FileDeclarations, FileImports, Mentions
from understudy.syntax.words import has_word, words_of
from understudy.values.errors import BadInput
from understudy.values.texts import PackedText, Text

T = TypeVar("T")

_MOST_BYTES = 1_000_000
"""A parser keeps the interpreter's lock while it reads (50 ms for 725 kB of Python), and the user
types meanwhile: of a longer text nobody says what it declares, so all that depend on it are
reached."""

_MOST_MENTIONS = 128
"""Files whose words are kept for the next change."""

_MOST_SEARCHES = 64
"""After so many questions about a text all its words are listed."""

_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class ReadingCache:
    """What was read of file states, for the next change; the least used goes first."""

    def __init__(self, n_kept: int = 2048) -> None:
        self._n_kept = n_kept
        self._kept: OrderedDict[tuple[Hashable, object], Any] = OrderedDict()
        self.mentions: OrderedDict[Hashable, FileMentions] = OrderedDict()
        """Of the files that were looked through last."""

    def get(self, read: Callable[[str, bytes], T], path: str, state: Hashable, text: bytes) -> T:
        """What a reader says of a file in this state, or said before."""
        key = (path, state), read
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        made = self._kept[key] = read(path, text)
        if len(self._kept) > self._n_kept:
            self._kept.popitem(last=False)
        return made

    def kept(self, read: Callable[[str, bytes], T], path: str, state: Hashable) -> T | None:
        """What a reader said of a file in this state, if that is known."""
        return self._kept.get(((path, state), read))


class TextWords(Set[str]):
    """The words of some texts, and others beside: the few that most are asked for are searched."""

    def __init__(self, texts: Sequence[bytes], beside: frozenset[str]) -> None:
        self._texts, self._beside = texts, beside
        self._n_asked = 0

    def __contains__(self, word: object) -> bool:
        self._n_asked += 1
        if self._n_asked > _MOST_SEARCHES or not (isinstance(word, str) and word.isascii()):
            return word in self._all
        return word in self._beside or any(has_word(text, word.encode()) for text in self._texts)

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)

    @classmethod
    def _from_iterable(cls, it: Iterable[T]) -> frozenset[T]:
        return frozenset(it)

    @cached_property
    def _all(self) -> frozenset[str]:
        found = {word for text in self._texts for word in words_of(text)}
        return self._beside.union(word.decode("utf-8", "replace") for word in found)


class Stopped(Exception):
    """Whoever follows a change through the texts is to end."""


class SnapshotSources:
    """See `reach.Sources`. Texts of files that no edit touches are read without pinning.

    Hundreds are looked at once, and the scan that closes a check sees what changed meanwhile.
    """

    def __init__(
        self, before: Snapshot, after: Snapshot, cache: ReadingCache, *, infers: bool = True
    ) -> None:
        """`infers` is False for checkers that infer no result from the body of a function."""
        self._seen = _everything if infers else as_written
        self._sides = (before, after)
        self._cache = cache
        self._words: dict[str, TextWords | None] = {}
        self._is_stopped = False

    def stop(self) -> None:
        """From now on nothing is read: what is asked next raises Stopped, in whatever thread."""
        self._is_stopped = True

    def change(self, path: str) -> OutsideChange | None:
        """What differs between the two sides of a file; None where it may be any name."""
        before, after = self._sides
        if path in before.forgotten | after.forgotten:
            return None
        try:
            texts = [utf8_of(side, path) for side in self._sides]
        except BadInput:  # no text: nobody knows what has changed in it
            return None
        if any(len(text or b"") > _MOST_BYTES for text in texts):
            return None
        if family_of(path) in (None, "json"):
            return OutsideChange(moved=True)  # others take such a file as a whole
        readings: list[FileReading | None] = []
        for side, text in zip(self._sides, texts, strict=True):
            reading = None if text is None else self._read(_reading, side, path, text)
            if reading is not None:
                reading = replace(reading, declarations=self._seen(reading.declarations))
            elif text is not None:
                return None
            readings.append(reading)
        return change_between(*readings)

    def names_known_before(self, path: str) -> frozenset[str]:
        """The changed names of a file that others may know; none of a new one."""
        before = self._sides[0]
        if path in before.forgotten or not before.exists(path):
            return frozenset()
        change = self.change(path)
        return frozenset() if change is None else frozenset(name for _, name in change.names)

    def declarations(self, path: str) -> Sequence[FileDeclarations]:
        """What each of its texts declares; empty for one that cannot be read."""
        if self._is_stopped:
            raise Stopped
        found: list[FileDeclarations] = []
        for side in self._versions(path):
            try:
                text = utf8_of(side, path)
            except BadInput:
                return ()
            if text is None:
                continue
            if len(text) > _MOST_BYTES:
                return ()
            reading = self._cache.kept(_reading, path, _state_of(side, path))
            one = reading.declarations if reading else self._read(_declared, side, path, text)
            if one is None:
                return ()
            found.append(self._seen(one))
        return found

    def _read(self, read: Callable[[str, bytes], T], side: Snapshot, path: str, text: bytes) -> T:
        return self._cache.get(read, path, _state_of(side, path), text)

    def mentions(self, path: str) -> FileMentions:
        """The same by the words in them."""
        states = (path, self._seen, *(_state_of(side, path) for side in self._versions(path)))
        kept = self._cache.mentions
        found = kept.pop(states, None)
        if found is None:
            found = FileMentions(self.declarations(path))
        elif self._is_stopped:
            raise Stopped
        kept[states] = found
        if len(kept) > _MOST_MENTIONS:
            kept.popitem(last=False)
        return found

    def words(self, path: str) -> TextWords | None:
        """All words of its texts; None for one that cannot be read."""
        if self._is_stopped:
            raise Stopped
        if path not in self._words:
            try:
                texts = [utf8_of(side, path) or b"" for side in self._versions(path)]
            except BadInput:
                self._words[path] = None
            else:
                self._words[path] = TextWords(texts, unwritten_in(path, texts))
        return self._words[path]

    def _versions(self, path: str) -> Sequence[Snapshot]:
        """The sides whose texts of a file differ; one where they do not."""
        before, after = self._sides
        if _state_of(before, path) == _state_of(after, path):
            return (after,)
        return self._sides


def imports_read(cache: ReadingCache, path: str, text: PackedText) -> FileImports | None:
    """What a text imports, if it was read for its declarations, too."""
    reading = cache.kept(_reading, path, text.digest)
    return None if reading is None else reading.imports


def utf8_of(snapshot: Snapshot, path: str) -> bytes | None:
    """The text of a file in UTF-8, unpinned; None if there is none. Raises BadInput."""
    if path in snapshot.shown:
        packed = snapshot.shown[path]
        return None if packed is None else packed.unpack().content.encode("utf-8", "replace")
    return plain(snapshot.base.folder.reader.read(path))


def plain(data: bytes | None) -> bytes | None:
    """A file's bytes as UTF-8; a binary holds nothing that a reader knows."""
    if data is None or not (data.startswith(_MARKS) or b"\0" in data):
        return data
    try:
        return Text.decode(data).content.encode("utf-8", "replace")
    except BadInput:
        return b""


def _state_of(snapshot: Snapshot, path: str) -> Hashable:
    if path in snapshot.shown:
        packed = snapshot.shown[path]
        return None if packed is None else packed.digest
    folder = snapshot.base.folder
    return folder.files.get(path) or folder.reader.fingerprint(path)  # a scan leaves some out


def _reading(path: str, text: bytes) -> FileReading | None:
    if kind_of(path) is None:
        return reading_of(path, text)
    declared, imports = _declared(path, text), imports_of(path, text)
    return None if declared is None or imports is None else FileReading(imports, declared)


def _declared(path: str, text: bytes) -> FileDeclarations | None:
    """An onlooker's code mentions names and declares none that others could take."""
    kind = kind_of(path)
    if kind is None:
        return declarations_of(path, text)
    code = kind.code(text.decode("utf-8", "replace")).encode("utf-8", "replace")
    words = frozenset(word.decode("utf-8", "replace") for word in words_of(code))
    return FileDeclarations((), "", is_sound=True, loose=Mentions(words, words))


def _everything(found: FileDeclarations) -> FileDeclarations:
    return found
