"""Which files a pattern of `//go:embed` means, by the rules of package `embed` and `path.Match`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from understudy.dependents.resolvers.model import FolderTree


def embedded(tree: FolderTree, folder: str, pattern: str) -> Iterator[str]:
    """The files that a pattern in a file of a folder embeds.

    A folder brings all below it but what begins with `.` or `_`, unless the pattern begins with
    `all:`, and but other modules. A pattern that Go refuses means what it says, where that is read.
    """
    takes_all = pattern.startswith("all:")
    segments = [one for one in pattern.removeprefix("all:").split("/") if one not in ("", ".")]
    places = [folder]
    for segment in segments:
        places = [
            f"{place}/{name}" if place else name
            for place in places
            for name in _fitting(tree, place, segment)
        ]
    for place in places:
        if place not in tree.by_folder:
            yield place
        elif segments or takes_all or pattern == ".":
            yield from _below(tree, place, takes_all)


def fixed_start(folder: str, pattern: str) -> str:
    """The folder or file with which the path of everything begins that a pattern may mean."""
    kept = [folder] if folder else []
    for segment in pattern.removeprefix("all:").split("/"):
        if any(sign in segment for sign in "*?[\\"):
            break
        if segment not in ("", "."):
            kept.append(segment)
    return "/".join(kept)


def _fitting(tree: FolderTree, place: str, segment: str) -> Iterator[str]:
    names = tree.by_folder.get(place, ())
    if not any(sign in segment for sign in "*?[\\"):
        if segment in names:
            yield segment
        return
    fits = _matcher(segment)
    if fits is not None:
        yield from (name for name in names if fits.fullmatch(name))


def _below(tree: FolderTree, folder: str, takes_all: bool) -> Iterator[str]:
    names = tree.by_folder.get(folder, ())
    if "go.mod" in names:
        return  # another module, which no pattern reaches into
    for name in names:
        path = f"{folder}/{name}" if folder else name
        if name.startswith((".", "_")) and not takes_all:
            continue
        if path in tree.by_folder:
            yield from _below(tree, path, takes_all)
        else:
            yield path


@lru_cache(maxsize=1024)
def _matcher(segment: str) -> re.Pattern[str] | None:
    """The segment of a pattern as `path.Match` reads it; None where it is malformed."""
    pieces: list[str] = []
    at = 0
    while at < len(segment):
        sign = segment[at]
        at += 1
        if sign == "*":
            pieces.append(".*")
        elif sign == "?":
            pieces.append(".")
        elif sign == "\\" and at < len(segment):
            pieces.append(re.escape(segment[at]))
            at += 1
        elif sign == "[":
            found = _CLASS.match(segment, at)
            if found is None:
                return None
            pieces.append(f"[{'^' if found[1] else ''}{''.join(_ranges(found[2]))}]")
            at = found.end()
        else:
            pieces.append(re.escape(sign))
    try:
        return re.compile("".join(pieces), re.DOTALL)
    except re.error:  # a range whose end comes before its start
        return None


_CLASS = re.compile(r"(\^?)((?:\\.|[^\]\\])+)\]")
_RANGE = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.DOTALL)


def _ranges(text: str) -> Iterator[str]:
    for low, high in _RANGE.findall(text):
        start = re.escape(low[-1])
        yield f"{start}-{re.escape(high[-1])}" if high else start
