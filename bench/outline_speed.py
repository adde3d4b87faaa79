"""How fast files are outlined: alone, and beside the reference in the same run.

The reference is what aider's map does with one file: tags by its query, grep-ast's TreeContext
around them, its cut of long lines and its count of tokens, in aider's own environment. Both sides
have a process of their own for each file and round, with the grammar loaded before the clock
starts, run on one thread and are timed by its processor time, the median of as many rounds, so that
other load counts for neither. Beside the ratios stands what they would be if we did nothing but
parse the whole text.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bench.aider import aider_tree
from bench.report import Figure, Setup, milliseconds
from tests.support.outline_corpus import ALL, SQLITE, BigFile
from understudy.outline.show.render import BYTES_A_TOKEN, DEFAULT_BUDGET

N_ROUNDS = 3
"""Over all files, so that a slow spell of the machine is not taken for the speed of a file."""

N_RUNS, N_RUNS_OF_LONG = 5, 1
"""In each round."""

LONG_BYTES = 1_000_000
MAX_PER_10K_S, MAX_SQLITE_S = 0.100, 2.5
LEAST_RATIO = 2
_ONCE_S = 300


@dataclass
class _Taken:
    """The seconds that a file took in each round, and the tokens of what is shown of it."""

    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    parse_alone: list[float] = field(default_factory=list)
    n_tokens: int = 0
    n_tokens_of_theirs: int = 0
    n_lines: int = 1

    @property
    def ratio(self) -> float:
        return statistics.median(self.theirs) / statistics.median(self.ours)

    @property
    def bound(self) -> float:
        return statistics.median(self.theirs) / statistics.median(self.parse_alone)


async def run(setup: Setup) -> list[Figure]:
    """Milliseconds per 10,000 lines, and the ratios to the reference."""
    taken = {file: _Taken() for file in ALL}
    for number in range(1, N_ROUNDS + 1):
        for file, one in taken.items():
            if number > 1:  # by then the budget is known, and ours stand around theirs
                _ours(file, one)
            _theirs(file, one, setup.folder)
            _ours(file, one)
            theirs = milliseconds(one.theirs[-1]) if one.theirs else "none"
            setup.say(f"round {number}: {file.ending}: {milliseconds(one.ours[-1])}, {theirs}")
    compared = {file.ending: one for file, one in taken.items() if one.theirs}
    return [
        _speed([statistics.median(one.ours) / one.n_lines * 10_000 for one in taken.values()]),
        _of_sqlite(statistics.median(taken[SQLITE].ours)),
        *_compared(compared),
        _bound({name: one.bound for name, one in compared.items()}),
    ]


def _n_runs(file: BigFile) -> int:
    return N_RUNS_OF_LONG if file.path.stat().st_size > LONG_BYTES else N_RUNS


def _theirs(file: BigFile, taken: _Taken, folder: Path) -> None:
    """The reference has no tags for some languages."""
    tree = aider_tree(file.path, folder, _n_runs(file))
    if tree.n_bytes:
        taken.theirs.append(tree.seconds)
        taken.n_tokens_of_theirs = -(-tree.n_bytes // BYTES_A_TOKEN)


def _ours(file: BigFile, taken: _Taken) -> None:
    """Within the default budget, or within less than the reference took if that is smaller."""
    budget = DEFAULT_BUDGET
    if taken.n_tokens_of_theirs:
        budget = min(budget, taken.n_tokens_of_theirs - 1)
    arguments = [str(file.path), file.language, str(budget), str(_n_runs(file))]
    done = subprocess.run(
        [sys.executable, "-m", "bench.outline_once", *arguments],
        stdout=subprocess.PIPE, text=True, timeout=_ONCE_S, check=True,
    )  # fmt: skip
    told = json.loads(done.stdout)
    taken.ours.append(told["seconds"])
    taken.parse_alone.append(told["parse"])
    taken.n_tokens, taken.n_lines = told["tokens"], told["lines"]


def _speed(per_10k: list[float]) -> Figure:
    median = statistics.median(per_10k)
    return Figure(
        "outline_speed", f"per 10,000 lines, median of {len(per_10k)} files",
        milliseconds(median), bar=f"<= {milliseconds(MAX_PER_10K_S)}",
        ok=median <= MAX_PER_10K_S, data={"per_10k_s": per_10k},
    )  # fmt: skip


def _of_sqlite(seconds: float) -> Figure:
    return Figure(
        "outline_speed", "sqlite3.c", milliseconds(seconds),
        bar=f"<= {milliseconds(MAX_SQLITE_S)}", ok=seconds <= MAX_SQLITE_S,
    )  # fmt: skip


def _compared(files: dict[str, _Taken]) -> tuple[Figure, Figure]:
    ratios = {name: one.ratio for name, one in files.items()}
    sizes = {name: (one.n_tokens, one.n_tokens_of_theirs) for name, one in files.items()}
    least, median = min(ratios.values()), statistics.median(ratios.values())
    larger = sorted(name for name, (ours, theirs) in sizes.items() if ours >= theirs)
    return (
        Figure(
            "outline_speed", f"times faster than aider, least and median of {len(ratios)}",
            f"{least:.1f}, {median:.1f}", "1", median,
            f">= {LEAST_RATIO} on every file", least >= LEAST_RATIO, {"ratios": ratios},
        ),
        Figure(
            "outline_speed", "files with no fewer tokens than aider's", str(len(larger)),
            bar="0", ok=not larger, data={"tokens": sizes, "larger": larger},
        ),
    )  # fmt: skip


def _bound(bounds: dict[str, float]) -> Figure:
    least, median = min(bounds.values()), statistics.median(bounds.values())
    return Figure(
        "outline_speed", "the same of parsing the whole text alone",
        f"{least:.1f}, {median:.1f}", "1", median, data={"ratios": bounds},
    )  # fmt: skip
