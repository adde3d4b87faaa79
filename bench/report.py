"""A figure with its reference, its bar, and the table of all."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Setup:
    """What a row may use: the number of edits, the servers asked for, a folder to work in."""

    n_edits: int
    servers: tuple[str, ...]
    folder: Path
    say: Callable[[str], None]


@dataclass(frozen=True)
class Figure:
    """One line of the table; texts are shown as they are, `ok` None means there is no bar."""

    row: str
    name: str
    ours: str
    reference: str = "-"
    ratio: float | None = None
    bar: str = "-"
    ok: bool | None = None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def as_json(self) -> dict[str, Any]:
        """The figure with the numbers behind it."""
        return asdict(self)


def table(figures: Sequence[Figure]) -> str:
    """The figures in columns."""
    heads = ("row", "figure", "ours", "reference", "ratio", "bar", "ok")
    rows = [heads, *(_cells(figure) for figure in figures)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    return "\n".join(line.rstrip() for line in lines)


def milliseconds(seconds: float) -> str:
    """A time for the table."""
    return f"{seconds * 1000:.1f} ms"


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest value that so many percent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median and neighbours, for the JSON file."""
    return {
        "n": len(values),
        "median": statistics.median(values),
        "p10": percentile(values, 10),
        "p90": percentile(values, 90),
        "p99": percentile(values, 99),
        "max": max(values),
    }


def _cells(figure: Figure) -> tuple[str, ...]:
    ratio = "-" if figure.ratio is None else f"{figure.ratio:.2f}"
    verdict = {True: "ok", False: "MISSED", None: "-"}[figure.ok]
    return (
        figure.row, figure.name, figure.ours, figure.reference, ratio, figure.bar, verdict
    )  # fmt: skip
