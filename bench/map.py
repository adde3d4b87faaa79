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
from pathlib import Path

from bench.aider import aider_map
from bench.map_corpus import copy_of, map_corpus
from bench.report import Figure, Setup
from tests.support.servers import environment

BUDGET = 4096
N_BEFORE = 3
"""Maps of ours before the reference, and as many behind it: a machine has slow spells."""

N_SEEDS = 10
EVERY = 12
MAX_COLD, MAX_WARM, MAX_WARM_S = 1 / 4, 1 / 10, 1.5
_COMMAND_S = 600


async def run(setup: Setup) -> list[Figure]:
    """The three times with their ratios, and whether the text depends on the hash seed."""
    corpus = map_corpus()
    setup.say(f"map: {corpus}")
    ours, theirs = _Ours(setup, corpus), _Theirs(setup, corpus)
    size = f"{sum(1 for _ in corpus.rglob('*.py')):,} files"
    cold = _figure(f"{size}, cold", [ours.map()], theirs.map(), MAX_COLD, None)
    before = [ours.map() for _ in range(N_BEFORE)]
    reference = theirs.map()
    after = [ours.map() for _ in range(N_BEFORE)]
    warm = _figure(f"{size}, warm", before + after, reference, MAX_WARM, MAX_WARM_S)
    before = [ours.touched() for _ in range(N_BEFORE)]
    reference = theirs.touched()
    after = [ours.touched() for _ in range(N_BEFORE)]
    name = f"{size}, after touching 2 files"
    touched = _figure(name, before + after, reference, MAX_WARM, None)
    return [cold, warm, touched, _seeds(setup, corpus)]


class _Ours:
    """A copy of the corpus with a cache of its own."""

    def __init__(self, setup: Setup, corpus: Path) -> None:
        self._folder, self._cache = setup.folder / "ours", setup.folder / "cache"
        self._files = copy_of(corpus, self._folder)
        self._n_touched = 0
        self._text: bytes | None = None

    def map(self) -> float:
        """Seconds; the text is the one before."""
        seconds, text = _command(self._folder, self._cache)
        assert len(text) <= BUDGET * 4
        assert self._text in (None, text)
        self._text = text
        return seconds

    def touched(self) -> float:
        """Seconds after two files changed."""
        self._n_touched += 1
        _touch(self._files, self._n_touched)
        self._text = None
        return self.map()


class _Theirs:
    """Another copy, in which aider keeps its cache."""

    def __init__(self, setup: Setup, corpus: Path) -> None:
        self._setup, self._folder = setup, setup.folder / "theirs"
        self._files = copy_of(corpus, self._folder)

    def map(self) -> float:
        """Seconds."""
        answer = aider_map(self._folder, self._files, BUDGET)
        self._setup.say(f"map: aider {answer.seconds:.1f} s, {answer.n_bytes // 4} tokens")
        return answer.seconds

    def touched(self) -> float:
        """Seconds after two files changed."""
        _touch(self._files, 0)
        return self.map()


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


def _figure(
    name: str, taken: list[float], theirs: float, share: float, most_s: float | None
) -> Figure:
    ours = statistics.median(taken)
    bar = f"<= {share:g}" if most_s is None else f"<= {share:g} and {most_s:g} s"
    ok = ours <= share * theirs and (most_s is None or ours <= most_s)
    return Figure(
        "map", name, f"{ours:.2f} s", f"{theirs:.1f} s (aider)",
        ours / theirs, bar, ok,
        {"ours_s": taken, "aider_s": theirs, "cores": os.cpu_count()},
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
