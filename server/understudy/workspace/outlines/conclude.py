"""The last part of a map, done by a worker process: the ranking, and the text.

The ranking of a folder's state is kept, so that only its text is written anew for another budget
or another task.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import cast

from understudy.disk.map_cache import MapCache, open_map_cache
from understudy.ranking.map_text import MapHead, Row, map_text
from understudy.ranking.rank import FileNames, Ranked, rank, refocus
from understudy.ranking.references import family_of
from understudy.values.frozen import frozen
from understudy.workspace.outlines.survey import (
    NO_SOURCE,
    PARTIAL,
    Look,
    Place,
    key_of,
    may_declare,
)

_FIRST_FEW = 5
_KEPT_RANKS = 20_000
_NO_TEXT = frozenset({"not-text", NO_SOURCE})
"""Files that only looked like source by their name."""


@frozen
class MapWish:
    """What a map is to look like: tokens, the task's files, and how folder and paths are called."""

    budget: int
    task: tuple[str, ...] = ()
    name: str = "."
    prefix: str = ""


@frozen
class MapAnswer:
    """A map's text with its counts.

    `missing` counts what is not in it by the reason; `unread` are the files that could not be read
    or parsed, each with the reason; `partial` those that were understood in part.
    """

    text: str
    stamp: str
    n_files: int
    n_declarations: int
    n_shown: int
    missing: Mapping[str, int]
    unread: tuple[tuple[str, str], ...]
    partial: tuple[str, ...]


def conclude(place: Place, wish: MapWish, seen: Look) -> MapAnswer:
    """Rank what the cache has of the folder, and write the text."""
    with open_map_cache(place.cache) as cache:
        keys = {path: key for path, (_, key) in cache.known(place.root.path).items()}
        for path, text in place.overlay.items():
            keys.pop(path, None)
            if text is not None and may_declare(path.rpartition("/")[2]):
                keys[path] = key_of(text.digest, path)
        tree = _Tree(cache, keys)
        ranked = tree.ranking(place.root.path)
        task = tree.places(wish.task)
        if task:
            ranked = refocus(ranked, tree.names(wish.task), frozenset(task))
        missing = tree.missing(seen)
        if len(task) < len(wish.task):
            missing["of the task"] = len(wish.task) - len(task)
        head = MapHead(
            wish.name, tree.stamp, len(tree.paths), tree.n_lines, tree.n_declarations, missing,
            tuple(wish.prefix + tree.paths[place] for place in task),
        )  # fmt: skip
        paths = [wish.prefix + path for path in tree.paths]
        shown = map_text(head, chain(_places(ranked), tree.rest()), paths, tree.rows, wish.budget)
    return MapAnswer(
        shown.text, tree.stamp, len(tree.paths), tree.n_declarations, shown.n_shown, missing,
        tree.unread, tree.partial,
    )  # fmt: skip


def _places(ranked: Iterable[Ranked]) -> Iterator[tuple[int, int]]:
    return ((one.file, one.entry) for one in ranked)


class _Tree:
    """The source files of a folder, in the order of their paths, by what the cache has of them."""

    def __init__(self, cache: MapCache, keys: Mapping[str, str]) -> None:
        self._cache = cache
        facts = {
            cast("str", key): cast("tuple[str, str, int, int]", tuple(rest))
            for key, *rest in cache.contents(
                sorted(set(keys.values())), "language, state, n_lines, n_declared"
            )
        }
        self.paths: list[str] = []
        self._keys: list[str] = []
        self._families: list[str] = []
        self.n_lines = self.n_declarations = self._n_known = 0
        unread: list[tuple[str, str]] = []
        partial: list[str] = []
        for path in sorted(keys):
            if keys[path] not in facts:
                continue
            language, state, n_lines, n_declared = facts[keys[path]]
            self._n_known += 1
            if language:
                self.paths.append(path)
                self._keys.append(keys[path])
                self._families.append(family_of(language))
                self.n_lines += n_lines
                self.n_declarations += n_declared
            elif state not in _NO_TEXT:
                unread.append((path, state))
            if state == PARTIAL:
                partial.append(path)
        self.unread, self.partial = tuple(unread), tuple(partial)
        whole = "\n".join(
            f"{path}\0{key}" for path, key in zip(self.paths, self._keys, strict=True)
        )
        self.stamp = hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        self._rows: dict[int, list[Row]] = {}

    def ranking(self, root: Path) -> list[Ranked]:
        """The most important entries, from the cache if the folder was ranked in this state."""
        kept = self._cache.ranking(root, self.stamp)
        if kept is not None:
            return [Ranked(*row) for row in json.loads(zlib.decompress(kept))]
        ranked = rank(self.names())[:_KEPT_RANKS]
        self._cache.keep_ranking(root, self.stamp, zlib.compress(json.dumps(ranked).encode(), 1))
        return ranked

    def names(self, task: Sequence[str] | None = None) -> list[FileNames]:
        """What each file declares and mentions; the latter only for the task's files, if given."""
        wanted = None if task is None else {self._keys[place] for place in self.places(task)}
        blobs = {
            cast("str", key): (cast("bytes", declared), cast("bytes", mentioned))
            for key, declared, mentioned in self._cache.contents(
                sorted(set(self._keys)), "declared, mentioned"
            )
        }
        return [
            FileNames(
                path,
                family,
                _lines(blobs[key][0]),
                *(_counted(blobs[key][1]) if wanted is None or key in wanted else ((), b"")),
            )
            for path, family, key in zip(self.paths, self._families, self._keys, strict=True)
        ]

    def places(self, paths: Iterable[str]) -> list[int]:
        """Where these paths stand in the list; those that are not in it are passed over."""
        listed = {path: place for place, path in enumerate(self.paths)}
        return [listed[path] for path in paths if path in listed]

    def rows(self, place: int) -> list[Row]:
        """The entries of a file."""
        if place not in self._rows:
            ((_, packed),) = self._cache.contents([self._keys[place]], "entries")
            listed = json.loads(zlib.decompress(cast("bytes", packed)))
            self._rows[place] = [Row(*row) for row in listed]
        return self._rows[place]

    def rest(self) -> Iterator[tuple[int, int]]:
        """Everything in the order of the paths: first what begins each file, then all else."""
        for few in (True, False):
            for place in range(len(self.paths)):
                rows = self.rows(place)
                first = [entry for entry, row in enumerate(rows) if row.depth == 0][:_FIRST_FEW]
                for entry in first if few else range(len(rows)):
                    yield place, entry

    def missing(self, seen: Look) -> dict[str, int]:
        """How many files are not in the map, or not whole, by the reason."""
        counts: dict[str, int] = {}
        for _, state in self.unread:
            counts[state] = counts.get(state, 0) + 1
        others = {
            "understood in part": len(self.partial),
            "folders unreadable": len(seen.unreadable),
            "folders behind links": len(seen.links),
            "changed meanwhile": seen.n_files - self._n_known,
        }
        return {**counts, **{reason: number for reason, number in others.items() if number > 0}}


def _lines(packed: bytes) -> list[str]:
    text = zlib.decompress(packed).decode()
    return text.split("\n") if text else []


def _counted(packed: bytes) -> tuple[Sequence[str], bytes]:
    """Names, and how often each: the counts follow the compressed names, a byte each."""
    reader = zlib.decompressobj()
    text = reader.decompress(packed).decode()
    return (text.split("\n"), reader.unused_data) if text else ((), b"")
