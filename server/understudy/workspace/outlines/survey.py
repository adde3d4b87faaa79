"""The first parts of a map, done by worker processes: what is new, and what is in each new file.

`look` compares the folder with the last map, `survey` reads what is new into the cache. None of it
runs on the event loop.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache as once
from importlib.resources import files as resources
from pathlib import Path

from understudy.disk.folder.scan import FolderReader
from understudy.disk.folder.source_files import source_files
from understudy.disk.map_cache import MapCache, MapContent, open_map_cache
from understudy.outline.detection import PROSE, language_of, language_of_name
from understudy.outline.model import FUNCTIONS, TYPES, Outline, OutlineEntry
from understudy.outline.read_outline import outline
from understudy.ranking.references import family_of, references, telling
from understudy.syntax.grammars import grammars_there
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.texts import PackedText, Text

PARTIAL, NO_SOURCE = "partial", "no-source"
_RANKED = (FUNCTIONS | TYPES | {"constant", "macro", "variable"}) - {"extension", "impl"}
"""Extensions and impls are left out: their name is that of a type that is declared elsewhere."""


@frozen
class Place:
    """Which folder a map is of, what lies over its files, and where the cache is."""

    root: Root
    cache: Path
    overlay: Mapping[str, PackedText | None] = field(default_factory=dict[str, PackedText | None])


@frozen
class Look:
    """What is new since the last map: paths with sizes in bytes, sorted by path."""

    new: tuple[tuple[str, int], ...]
    n_files: int
    unreadable: tuple[str, ...]
    links: tuple[str, ...]


def may_declare(name: str) -> bool:
    """Whether a file of this name may be source; one without suffix may be a script."""
    language = language_of_name(name)
    return "." not in name if language is None else language not in PROSE


def look(place: Place) -> Look:
    """Compare the folder with its last map, by fingerprints; what has gone is forgotten."""
    found = source_files(place.root, may_declare)
    with open_map_cache(place.cache) as cache:
        cache.begin(place.root.path, _engine())
        known = cache.known(place.root.path)
        cache.forget(place.root.path, known.keys() - found.files.keys())
        new = [
            (path, mark.size)
            for path, mark in found.files.items()
            if path not in place.overlay and (path not in known or known[path][0] != mark)
        ]
        over = {
            path: text
            for path, text in place.overlay.items()
            if text is not None and may_declare(path.rpartition("/")[2])
        }
        new += [
            (path, text.size)
            for path, text in over.items()
            if not cache.has(key_of(text.digest, path))
        ]
    n_files = len(found.files.keys() - place.overlay.keys()) + len(over)
    return Look(tuple(sorted(new)), n_files, tuple(found.unreadable), tuple(found.links))


def survey(place: Place, paths: Sequence[str]) -> None:
    """Read these files one after the other, each kept in the cache before the next is begun.

    So if a file ends this process, it is the first of them that the cache does not have.
    """
    reader = FolderReader(place.root)
    with open_map_cache(place.cache) as cache:
        for path in paths:
            if path in place.overlay:
                text = place.overlay[path]
                if text is not None and not cache.has(key_of(text.digest, path)):
                    content = _content(path, text.digest, text.unpack())
                    cache.put(place.root.path, None, None, content, content.key)
            else:
                _survey_file(place, reader, cache, path)


def mark(place: Place, paths: Sequence[str], reason: str) -> str | None:
    """Mark the first of `paths` that a survey did not come to the end of; returns it.

    That file is not read again until it changes. None: the survey had read them all.
    """
    reader = FolderReader(place.root)
    with open_map_cache(place.cache) as cache:
        known = cache.known(place.root.path)
        for path in paths:
            if path in place.overlay:
                text = place.overlay[path]
                if text is None or cache.has(key_of(text.digest, path)):
                    continue
                key = key_of(text.digest, path)
                cache.put(place.root.path, None, None, MapContent(key, "", reason, 0), key)
                return path
            now = reader.fingerprint(path)
            if now is None or (path in known and known[path][0] == now):
                continue
            data = reader.read(path) or b""
            key = key_of(hashlib.sha256(data).hexdigest(), path)
            cache.put(place.root.path, path, now, MapContent(key, "", reason, 0), key)
            return path
    return None


def _survey_file(place: Place, reader: FolderReader, cache: MapCache, path: str) -> None:
    """Read one file of the folder; one that changes meanwhile is left to the next map."""
    before = reader.fingerprint(path)
    try:
        data = reader.read(path)
    except BadInput as error:
        if before is not None:
            content = MapContent(f"!{error.code}", "", error.code, 0)
            cache.put(place.root.path, path, before, content, content.key)
        return
    if data is None or before is None or reader.fingerprint(path) != before:
        return
    digest = hashlib.sha256(data).hexdigest()
    key = key_of(digest, path)
    if cache.has(key):
        cache.put(place.root.path, path, before, None, key)
        return
    try:
        content = _content(path, digest, Text.decode(data))
    except BadInput as error:
        content = MapContent(key, "", error.code, 0)
    cache.put(place.root.path, path, before, content, key)


def _content(path: str, digest: str, text: Text) -> MapContent:
    """Everything that maps need of a text."""
    data = _utf8(text)
    key = key_of(digest, path)
    language = language_of(path, data)
    if language is None or language in PROSE:
        return MapContent(key, "", NO_SOURCE, 0)
    found = outline(data, language, digest=digest)
    rows, declared = _rows(found)
    mentioned = telling(references(data, language), family_of(language), declared)
    return MapContent(
        key,
        language,
        PARTIAL if found.partial else "",
        found.n_lines,
        len(rows),
        _packed("\n".join(declared)),
        _packed("\n".join(mentioned)) + bytes(mentioned.values()),
        _packed(json.dumps(rows, ensure_ascii=True)),
    )


def key_of(digest: str, path: str) -> str:
    """What a content is kept under: the text, the language its name tells, and our own version."""
    parts = (digest, language_of_name(path) or "", _engine())
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


@once
def _engine() -> str:
    """Names the code and the grammars that outlines come from."""
    digest = hashlib.sha256(grammars_there().encode())
    for package in ("understudy.outline", "understudy.ranking"):
        for folder in (resources(package), resources(package) / "queries"):
            if folder.is_dir():
                for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
                    if file.is_file():
                        digest.update(file.read_bytes())
    return digest.hexdigest()


def _rows(found: Outline) -> tuple[list[list[object]], list[str]]:
    """The entries that a map may show, and the name of each, "" for those that only hold others."""
    entries = found.entries
    in_function = [False] * len(entries)
    kept: dict[int, int] = {}
    rows: list[list[object]] = []
    declared: list[str] = []
    for place, entry in enumerate(entries):
        parent = entry.parent
        in_function[place] = parent >= 0 and (
            in_function[parent] or entries[parent].kind in FUNCTIONS
        )
        if in_function[place] or not (_is_ranked(entry) or entry.kind in TYPES):
            continue
        kept[place] = len(rows)
        above = kept.get(parent, -1)
        rows.append([entry.start, entry.end, entry.depth, found.wording.signature(entry), above])
        declared.append(_declared(entry, entries))
    return rows, declared


def _declared(entry: OutlineEntry, entries: Sequence[OutlineEntry]) -> str:
    """The name as mentions have it: `.name` for a member of a type."""
    if not _is_ranked(entry):
        return ""
    is_member = entry.parent >= 0 and entries[entry.parent].kind != "module"
    return f".{entry.name}" if is_member else entry.name


def _is_ranked(entry: OutlineEntry) -> bool:
    """Whether other files may mean this entry by its name; fields are too many and too alike."""
    if "\n" in entry.name or entry.kind not in _RANKED:
        return False
    if entry.kind == "variable":  # an alias of a type, or a constant where the language has none
        return entry.depth == 0 and entry.name[:1].isupper()
    return entry.kind != "constant" or entry.depth == 0


def _utf8(text: Text) -> bytes:
    """The text as parsers take it; bytes that are not UTF-8 stay as they are."""
    try:
        return text.content.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.content.encode("utf-8", "replace")


def _packed(text: str) -> bytes:
    return zlib.compress(text.encode("utf-8", "replace"), level=1)
