"""How fast files are outlined: alone, and beside the reference in the same run.

The reference is what aider's map does with one file: tags by its query, then grep-ast's TreeContext
around them, both in aider's own environment, grammars loaded before the clock starts. Both sides
run on one thread and are timed by its processor time, so that other load counts for neither. An
outline is asked for within the default budget, or within less than aider took if that is smaller.
"""

from __future__ import annotations

import gc
import json
import statistics
import subprocess
import time
from pathlib import Path

from bench.aider import aider_python
from bench.report import Figure, Setup, milliseconds
from tests.support.outline_corpus import ALL, SQLITE, BigFile
from tests.support.servers import environment
from understudy.app.worker_process import COLLECT_AFTER
from understudy.outline.read_outline import outline
from understudy.outline.render import DEFAULT_BUDGET, render, tokens

N_RUNS = 3
MAX_PER_10K_S, MAX_SQLITE_S = 0.100, 2.5
LEAST_RATIO, LEAST_MEDIAN_RATIO = 3, 8
_REFERENCE_S = 300
_REFERENCE = """\
import json, sys, time, warnings
warnings.simplefilter("ignore")
from aider.repomap import RepoMap

class Model:
    def token_count(self, text):
        return len(text.encode()) // 4

class Output:
    def read_text(self, name, silent=False):
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read()
    def tool_output(self, *args, **kwargs): pass
    tool_warning = tool_error = tool_output

path, warm, root = sys.argv[1:4]
maker = RepoMap(1024, root, Model(), Output())
list(maker.get_tags_raw(warm, warm))
began = time.process_time()
tags = list(maker.get_tags_raw(path, path))
lines = [tag.line for tag in tags if tag.kind == "def"]
text = maker.render_tree(path, path, lines)
print(json.dumps({"seconds": time.process_time() - began, "tokens": -(-len(text.encode()) // 4)}))
"""


async def run(setup: Setup) -> list[Figure]:
    """Milliseconds per 10,000 lines, and the ratios to the reference."""
    per_10k: list[float] = []
    ratios: dict[str, float] = {}
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
            sizes[file.ending] = (n_tokens, theirs[1])
    return [_speed(per_10k), _of_sqlite(sqlite), *_compared(ratios, sizes)]


def _ours(file: BigFile, budget: int) -> tuple[float, int, int]:
    """As a worker does it: seconds, tokens, lines."""
    gc.set_threshold(*COLLECT_AFTER)
    text = file.path.read_bytes()
    outline(b"x = 1\n", file.language)  # loads the grammar
    taken: list[float] = []
    shown, n_lines = "", 1
    for _ in range(N_RUNS):
        began = time.process_time()
        found = outline(text, file.language)
        shown = render(found, budget)
        taken.append(time.process_time() - began)
        n_lines = found.n_lines
    return statistics.median(taken), tokens(shown), n_lines


def _theirs(file: BigFile, folder: Path) -> tuple[float, int] | None:
    """Seconds and tokens; None where the reference has no tags for the language."""
    warm = folder / f"warm{file.path.suffix}"
    warm.write_text("\n")
    done = subprocess.run(
        [str(aider_python()), "-c", _REFERENCE, str(file.path), str(warm), str(folder)],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=_REFERENCE_S,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"the reference failed: {done.stderr[-2000:]}")
    found = json.loads(done.stdout.splitlines()[-1])
    return (found["seconds"], found["tokens"]) if found["tokens"] > 1 else None


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
