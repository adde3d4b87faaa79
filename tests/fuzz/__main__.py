"""Looks for inputs that a reader of ours does not take: `make fuzz`, `python -m tests.fuzz`.

Inputs that reach new code are kept outside the checkout and are the next run's beginning. One that
a reader fails on is written to tests/data/fuzz, where an ordinary test gives it to the reader for
ever; commit it with what mends it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.fuzz.targets import TARGETS

ATHERIS = "atheris==3.0.0"
ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "tests" / "data" / "fuzz"
LONGEST_S = 5
MOST_MB = 2048
"""Of memory: the languages' parsers alone take some hundred."""


@dataclass(frozen=True)
class Fuzzed:
    """What a run of a target did; `found` are the inputs that it fails on."""

    name: str
    inputs: int
    branches: int
    found: tuple[Path, ...]
    words: str


def main() -> int:
    """Exit code 1 where an input was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"of {', '.join(TARGETS)}; all of them")
    parser.add_argument("--seconds", type=int, default=20, help="for each target (20)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="at once (cores)")
    wish = parser.parse_args()
    unknown = [name for name in wish.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no target is called {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    packages = _installed()
    with ThreadPoolExecutor(wish.jobs) as pool:
        runs = [
            pool.submit(_fuzz, name, wish.seconds, packages) for name in wish.targets or TARGETS
        ]
        print(f"{'target':14} {'inputs':>9} {'branches':>9}  found")
        done: list[Fuzzed] = []
        for run in runs:
            done.append(one := run.result())
            shown = ", ".join(path.relative_to(ROOT).as_posix() for path in one.found) or "nothing"
            print(f"{one.name:14} {one.inputs:9} {one.branches:9}  {shown}", flush=True)
    for one in done:
        if one.found:
            print(f"\n{one.name}:\n{one.words}")
    print(f"\n{sum(one.inputs for one in done)} inputs")
    return 1 if any(one.found for one in done) else 0


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "fuzz"


def _installed() -> Path:
    """The folder with atheris in it; it is no dependency of ours, and needs no place in .venv."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = _cache() / f"{ATHERIS}-{python}"
    if not (folder / "atheris").is_dir():
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder), ATHERIS)
        subprocess.run(pip, check=True)
    return folder


def _fuzz(name: str, seconds: int, packages: Path) -> Fuzzed:
    corpus = _cache() / "corpora" / name
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in TARGETS[name].seeds:
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    found = _cache() / "found" / name
    found.mkdir(parents=True, exist_ok=True)
    for old in found.iterdir():
        old.unlink()
    options = (
        f"-max_total_time={seconds}",
        f"-timeout={LONGEST_S}",
        f"-rss_limit_mb={MOST_MB}",
        "-max_len=4096",
        f"-artifact_prefix={found}/",
        "-print_final_stats=1",
    )
    known = [str(folder) for folder in (KEPT / name,) if folder.is_dir()]
    done = subprocess.run(
        (sys.executable, "-m", "tests.fuzz.child", name, *options, str(corpus), *known),
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(packages)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    words = done.stdout.decode("utf-8", "replace")
    kept = tuple(_keep(name, path) for path in sorted(found.iterdir()))
    if done.returncode and not kept:
        raise SystemExit(f"{name} could not be fuzzed:\n{words[-4000:]}")
    inputs = re.findall(r"stat::number_of_executed_units:\s*(\d+)", words) or ["0"]
    branches = re.findall(r"cov: (\d+)", words) or ["0"]
    return Fuzzed(name, int(inputs[-1]), int(branches[-1]), kept, words[-3000:])


def _keep(name: str, path: Path) -> Path:
    data = path.read_bytes()
    kept = KEPT / name / hashlib.sha256(data).hexdigest()[:16]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(data)
    return kept


if __name__ == "__main__":
    sys.exit(main())
