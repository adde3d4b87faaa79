"""Compares an outline with what an oracle says the file declares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.support.outline_oracles import Symbol
from understudy.outline.model import Outline


@dataclass(frozen=True)
class Recall:
    """Shares from 0 to 1, and the symbols that are missing or have other lines."""

    n: int
    found: float
    equal_ranges: float
    missing: Sequence[Symbol]
    other_ranges: Sequence[Symbol]


def recall_of(outline: Outline, symbols: Sequence[Symbol]) -> Recall:
    """How many of the symbols the outline has, by name and line of the name.

    Ranges are compared where both sides know them; a folded overload has the range of the whole.
    """
    here: dict[tuple[str, int], set[tuple[int, int]]] = {}
    for entry in outline.entries:
        name = _plain(entry.name)
        here.setdefault((name, entry.name_line), set()).add((entry.start, entry.end))
        for line in entry.overloads:
            here.setdefault((name, line), set())
    assert symbols, "the oracle found nothing"
    missing = [s for s in symbols if (_plain(s.name), s.name_line) not in here]
    compared = [s for s in symbols if s.end and here.get((_plain(s.name), s.name_line))]
    other = [s for s in compared if not _same(s, here[_plain(s.name), s.name_line])]
    return Recall(
        len(symbols),
        1 - len(missing) / len(symbols),
        1 - len(other) / max(1, len(compared)),
        missing,
        other,
    )


def _same(symbol: Symbol, ranges: set[tuple[int, int]]) -> bool:
    if not symbol.start:
        return any(end == symbol.end for _, end in ranges)
    return (symbol.start, symbol.end) in ranges


def _plain(name: str) -> str:
    """Without the type or interface that it belongs to, without quotes and blanks."""
    return name.rpartition("::")[2].rpartition(".")[2].strip("\"'~").replace(" ", "")
