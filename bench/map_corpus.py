"""Six big Python projects side by side: what a map of a large repository is measured on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

from bench.sources import cache_folder
from tests.support.servers import environment

WHEELS = (
    "Django==5.2.8",
    "SQLAlchemy==2.1.9",
    "numpy==2.4.6",
    "pandas==3.1.1",
    "scipy==1.17.1",
    "sympy==1.14.0",
)
_DOWNLOAD_S = 900


def map_corpus() -> Path:
    """A folder with the Python sources of all of them, more than 5,000 files."""
    kept = cache_folder() / "map-corpus-1"
    if not kept.is_dir():
        building = kept.with_name(f".{kept.name}.{os.getpid()}")
        wheels = building / "wheels"
        wheels.mkdir(parents=True)
        # Of a Python that all of them have wheels for; nothing of them is executed.
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary", ":all:", "--python-version", "3.12"]
        subprocess.run(
            [*command, "--dest", str(wheels), *WHEELS],
            env=environment(),
            stdout=sys.stderr,
            timeout=_DOWNLOAD_S,
            check=True,
        )
        for wheel in sorted(wheels.iterdir()):
            with zipfile.ZipFile(wheel) as opened:
                names = [name for name in opened.namelist() if name.endswith(".py")]
                opened.extractall(building / "sources", names)
        shutil.rmtree(wheels)
        building.rename(kept)
    return kept / "sources"


def copy_of(corpus: Path, folder: Path, every: int = 1) -> list[Path]:
    """Every so many-th file of the corpus, copied into a folder; the copies, sorted."""
    copies: list[Path] = []
    for number, path in enumerate(sorted(corpus.rglob("*.py"))):
        if number % every == 0:
            copy = folder / path.relative_to(corpus)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
            copies.append(copy)
    return copies
