"""Which new file is a deleted one under another name, found by likeness as git does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from understudy.values.lines import line_texts

ALIKE = 0.5
"""Share of lines that two files have in common at least, git's own default."""
_PAIRS = 2500


def renamed(gone: Mapping[str, str], new: Mapping[str, str]) -> Mapping[str, str]:
    """New path -> the deleted path it was renamed from; every path is in one pair at most.

    Takes path -> text. Equal texts come first, then the likeliest; ties go by the name, then by the
    path. Where there are very many, only files that kept their name are looked at.
    """
    lines = {path: _lines(text) for path, text in {**gone, **new}.items()}
    many = len(gone) * len(new) > _PAIRS
    pairs: list[tuple[float, bool, str, str]] = []
    for old, before in gone.items():
        for path, after in new.items():
            same_name = old.rpartition("/")[2] == path.rpartition("/")[2]
            if many and not same_name:
                continue
            alike = 1.0 if before == after else _likeness(lines[old], lines[path])
            if before and alike >= ALIKE:
                pairs.append((-alike, not same_name, old, path))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, old, path in sorted(pairs):
        if old not in taken and path not in found:
            found[path] = old
            taken.add(old)
    return found


def _lines(text: str) -> Counter[str]:
    return Counter(line for line in line_texts(text) if line.strip())


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    longest = max(one.total(), other.total())
    return (one & other).total() / longest if longest else 0.0
