"""A map of more than 5,000 files: cold, warm, and after two of them changed, beside aider's.

Ours is timed as a command, with its start; aider's without start and imports. Both keep a cache and
have the same budget.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from bench.aider import AiderMap, aider_map
from bench.map_corpus import copy_of, map_corpus
from bench.report import Figure, Setup
from tests.support.servers import environment

BUDGET = 4096
N_WARM = 5
N_SEEDS = 10
EVERY = 12
MAX_COLD, MAX_WARM, MAX_WARM_S = 1 / 4, 1 / 10, 1.5
_COMMAND_S = 600


@dataclass(frozen=True)
class _Three:
    """Seconds of a cold map, a warm one, and one after two files changed."""

    cold: float
    warm: float
    touched: float


async def run(setup: Setup) -> list[Figure]:
    """The three times with their ratios, and whether the text depends on the hash seed."""
    corpus = map_corpus()
    setup.say(f"map: {corpus}")
    ours = _ours(setup, corpus)
    theirs = _theirs(setup, corpus)
    size = f"{sum(1 for _ in corpus.rglob('*.py')):,} files"
    return [
        _figure(f"{size}, cold", ours.cold, theirs.cold, MAX_COLD, None),
        _figure(f"{size}, warm", ours.warm, theirs.warm, MAX_WARM, MAX_WARM_S),
        _figure(f"{size}, after touching 2 files", ours.touched, theirs.touched, MAX_WARM, None),
        _seeds(setup, corpus),
    ]


def _ours(setup: Setup, corpus: Path) -> _Three:
    folder = setup.folder / "ours"
    files = copy_of(corpus, folder)
    cache = setup.folder / "cache"
    cold, text = _command(folder, cache)
    warm: list[float] = []
    for _ in range(N_WARM):
        seconds, again = _command(folder, cache)
        warm.append(seconds)
        assert again == text
    assert len(text) <= BUDGET * 4
    touched: list[float] = []
    for number in range(3):
        _touch(files, number)
        touched.append(_command(folder, cache)[0])
    return _Three(cold, statistics.median(warm), statistics.median(touched))


def _theirs(setup: Setup, corpus: Path) -> _Three:
    folder = setup.folder / "theirs"
    files = copy_of(corpus, folder)

    def made() -> AiderMap:
        answer = aider_map(folder, files, BUDGET)
        setup.say(f"map: aider {answer.seconds:.1f} s, {answer.n_bytes // 4} tokens")
        return answer

    cold, warm = made().seconds, made().seconds
    _touch(files, 0)
    return _Three(cold, warm, made().seconds)


def _touch(files: list[Path], number: int) -> None:
    """Change two files in the middle of the list."""
    for path in (files[len(files) // 2], files[len(files) // 3]):
        path.write_text(path.read_text(encoding="utf-8") + f"\nTOUCHED_{number} = {number}\n")


def _command(folder: Path, cache: Path, seed: int = 0) -> tuple[float, bytes]:
    """Seconds and output of `understudy map`."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "understudy", "map", "--budget", str(BUDGET)],
        cwd=folder,
        env={**environment(), "UNDERSTUDY_CACHE_DIR": str(cache), "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        timeout=_COMMAND_S,
        check=True,
    )
    return time.perf_counter() - began, done.stdout


def _figure(name: str, ours: float, theirs: float, share: float, most_s: float | None) -> Figure:
    bar = f"<= {share:g}" if most_s is None else f"<= {share:g} and {most_s:g} s"
    ok = ours <= share * theirs and (most_s is None or ours <= most_s)
    return Figure(
        "map", name, f"{ours:.2f} s", f"{theirs:.1f} s (aider)",
        ours / theirs, bar, ok,
        {"ours_s": ours, "aider_s": theirs, "cores": os.cpu_count()},
    )  # fmt: skip


def _seeds(setup: Setup, corpus: Path) -> Figure:
    """Texts of a part of the corpus under ten hash seeds, each from an empty cache."""
    folder = setup.folder / "part"
    n_files = len(copy_of(corpus, folder, EVERY))
    texts = {_command(folder, setup.folder / f"cache-{seed}", seed)[1] for seed in range(N_SEEDS)}
    return Figure(
        "map", f"different texts under {N_SEEDS} hash seeds, {n_files} files, cold",
        str(len(texts)), bar="1", ok=len(texts) == 1,
    )  # fmt: skip
