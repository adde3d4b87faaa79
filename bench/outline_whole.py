"""Whether an outline says what the parser says, over the files of big packages of many languages.

Of a text that the parser understands as it is, with nothing that its grammar is known to misread,
the outline must have the very entries of that one parse: whatever differs is counted. (A text that
declares nothing is shown as blocks of lines, which are no declarations.) Of all other texts, which
are read again in pieces, the row says how many declarations that adds to the parse, and how many of
the parse are believed no more.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.report import Figure, Setup
from tests.support.outline_corpus import fetched
from tests.support.outline_whole import as_parsed, as_parsed_with_errors, differs_from_parse
from understudy.outline.detection import language_of_name
from understudy.outline.model import OutlineEntry
from understudy.outline.read_outline import outline

PACKAGES = (
    "pandas==2.2.3", "scipy==1.14.1", "numpy==2.1.3", "effect@3.12.0", "core-js@3.39.0",
    "rxjs@7.8.2", "@types/node@22.10.2", "golang-1.19-src", "rust-src", "openjdk-17-source",
    "libruby3.1", "linux-libc-dev", "libboost1.74-dev", "php-symfony-http-kernel", "php-tcpdf",
)  # fmt: skip
MOST_OF_A_LANGUAGE = 4000
LEAST_FILES, LEAST_LANGUAGES = 20_000, 8
LARGEST = 1_000_000
"""Bytes."""

_LANGUAGES = frozenset(
    ("python", "typescript", "javascript", "java", "go", "rust", "c", "cpp", "ruby", "php")
)
_SHOWN = 20


@dataclass(frozen=True)
class _Compared:
    """One file: its language, whether the parser understood it, and what differs by name."""

    path: str
    language: str
    is_sound: bool
    differs: bool
    added: int
    dropped: int


async def run(setup: Setup) -> list[Figure]:
    """The differences in texts that the parser understands, and what rescue does for the others."""
    files = _files()
    setup.say(f"{len(files)} files")
    with ProcessPoolExecutor(2) as pool:
        compared = list(pool.map(_compare, files, chunksize=50))
    return [_of_sound(compared), _of_broken(compared)]


def _of_sound(compared: Sequence[_Compared]) -> Figure:
    sound = [one for one in compared if one.is_sound]
    differing = [one.path for one in sound if one.differs]
    languages = Counter(one.language for one in compared)
    enough = len(compared) >= LEAST_FILES and len(languages) >= LEAST_LANGUAGES
    return Figure(
        "outline_whole",
        f"other entries than the parser's in {len(sound):,} files that it understands as they are, "
        f"of {len(compared):,} in {len(languages)} languages",
        str(len(differing)), bar="0", ok=not differing and enough,
        data={"differing": differing[:_SHOWN], "languages": dict(languages)},
    )  # fmt: skip


def _of_broken(compared: Sequence[_Compared]) -> Figure:
    broken = [one for one in compared if not one.is_sound]
    added, dropped = sum(one.added for one in broken), sum(one.dropped for one in broken)
    return Figure(
        "outline_whole",
        f"declarations that pieces add, and take away, in {len(broken):,} other files",
        f"{added:,}, {dropped:,}",
        data={"dropped": [(one.path, one.dropped) for one in broken if one.dropped][:_SHOWN]},
    )


def _files() -> list[tuple[str, str]]:
    """Paths with their languages, of each language as many as are compared."""
    chosen: list[tuple[str, str]] = []
    counted: Counter[str] = Counter()
    for package in PACKAGES:
        for path in _sources(fetched(package)):
            language = language_of_name(path.name)
            if language in _LANGUAGES and _is_text(path) and counted[language] < MOST_OF_A_LANGUAGE:
                counted[language] += 1
                chosen.append((str(path), language))
    return chosen


def _sources(folder: Path) -> Iterator[Path]:
    for sources in folder.rglob("src.zip"):  # the corpus takes only a few files out of it
        whole = folder / "whole"
        if not whole.is_dir():
            building = folder / ".whole"
            with zipfile.ZipFile(sources) as opened:
                opened.extractall(building)
            building.rename(whole)
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path.stat().st_size <= LARGEST:
            yield path


def _is_text(path: Path) -> bool:
    return b"\0" not in path.read_bytes()


def _compare(file: tuple[str, str]) -> _Compared:
    path, language = file
    text = Path(path).read_bytes()
    parsed = as_parsed(text, language)
    if parsed is not None:
        differs = differs_from_parse(text, language, parsed)
        return _Compared(path, language, True, differs, 0, 0)
    here, there = (
        _names(outline(text, language).entries),
        _names(as_parsed_with_errors(text, language)),
    )
    return _Compared(path, language, False, False, len(here - there), len(there - here))


def _names(entries: Sequence[OutlineEntry]) -> set[tuple[str, int]]:
    return {(entry.name, entry.name_line) for entry in entries}
