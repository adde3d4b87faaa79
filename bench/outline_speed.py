"""How fast files are outlined: alone, and beside the reference in the same run.

The reference is what aider's map does with one file: tags by its query, grep-ast's TreeContext
around them, its cut of long lines and its count of tokens, in aider's own environment. Grammars are
loaded before the clock starts; both sides run on one thread and are timed by its processor time,
the median of as many runs, so that other load counts for neither. Beside the ratios stands what
they would be if we did nothing but parse the whole text. An
outline is asked for within the default budget, or within less than aider took if that is smaller.
"""

from __future__ import annotations

import gc
import hashlib
import statistics
import time
from pathlib import Path

from bench.aider import aider_tree
from bench.report import Figure, Setup, milliseconds
from tests.support.outline_corpus import ALL, SQLITE, BigFile
from understudy.app.worker_process import COLLECT_AFTER
from understudy.outline.finds import parse
from understudy.outline.grammar import load
from understudy.outline.languages import canonical
from understudy.outline.read_outline import outline
from understudy.outline.render import BYTES_A_TOKEN, DEFAULT_BUDGET, render, tokens

N_RUNS, N_RUNS_OF_LONG = 9, 3
LONG_BYTES = 1_000_000
MAX_PER_10K_S, MAX_SQLITE_S = 0.100, 2.5
LEAST_RATIO, LEAST_MEDIAN_RATIO = 3, 8


async def run(setup: Setup) -> list[Figure]:
    """Milliseconds per 10,000 lines, and the ratios to the reference."""
    per_10k: list[float] = []
    ratios: dict[str, float] = {}
    bounds: dict[str, float] = {}
    sizes: dict[str, tuple[int, int]] = {}
    sqlite = 0.0
    for file in ALL:
        theirs = _theirs(file, setup.folder)
        budget = DEFAULT_BUDGET if theirs is None else min(DEFAULT_BUDGET, theirs[1] - 1)
        ours, n_tokens, n_lines = _ours(file, budget)
        setup.say(f"{file.ending}: {milliseconds(ours)}, {n_tokens} tokens; reference {theirs}")
        per_10k.append(ours / n_lines * 10_000)
        sqlite = ours if file is SQLITE else sqlite
        if theirs is not None:
            ratios[file.ending] = theirs[0] / ours
            bounds[file.ending] = theirs[0] / _parse_alone(file)
            sizes[file.ending] = (n_tokens, theirs[1])
    return [_speed(per_10k), _of_sqlite(sqlite), *_compared(ratios, sizes), _bound(bounds)]


def _n_runs(file: BigFile) -> int:
    """Short ones are run more often: a disturbance of some ms is felt there."""
    return N_RUNS_OF_LONG if file.path.stat().st_size > LONG_BYTES else N_RUNS


def _ours(file: BigFile, budget: int) -> tuple[float, int, int]:
    """As a worker does it, to which a text comes with its digest: seconds, tokens, lines."""
    gc.set_threshold(*COLLECT_AFTER)
    text = file.path.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    outline(b"x = 1\n", file.language)  # loads the grammar
    taken: list[float] = []
    shown, n_lines = "", 1
    for _ in range(_n_runs(file)):
        began = time.process_time()
        found = outline(text, file.language, digest=digest)
        shown = render(found, budget)
        taken.append(time.process_time() - began)
        n_lines = found.n_lines
    return statistics.median(taken), tokens(shown), n_lines


def _theirs(file: BigFile, folder: Path) -> tuple[float, int] | None:
    """Seconds and tokens; None where the reference has no tags for the language."""
    tree = aider_tree(file.path, folder, _n_runs(file))
    return (tree.seconds, -(-tree.n_bytes // BYTES_A_TOKEN)) if tree.n_bytes else None


def _parse_alone(file: BigFile) -> float:
    """What tree-sitter needs to parse the whole text: less is only possible with less text."""
    grammar = load(canonical(file.language))
    assert grammar is not None
    text = file.path.read_bytes()
    taken: list[float] = []
    for _ in range(_n_runs(file)):
        began = time.process_time()
        parse(text, grammar)
        taken.append(time.process_time() - began)
    return statistics.median(taken)


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


def _compared(ratios: dict[str, float], sizes: dict[str, tuple[int, int]]) -> tuple[Figure, Figure]:
    least, median = min(ratios.values()), statistics.median(ratios.values())
    larger = sorted(name for name, (ours, theirs) in sizes.items() if ours >= theirs)
    return (
        Figure(
            "outline_speed", f"times faster than aider, least and median of {len(ratios)}",
            f"{least:.1f}, {median:.1f}", "1", median,
            f">= {LEAST_RATIO}, >= {LEAST_MEDIAN_RATIO}",
            least >= LEAST_RATIO and median >= LEAST_MEDIAN_RATIO, {"ratios": ratios},
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
