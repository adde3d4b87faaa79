"""Real projects to measure on, fetched once from the registries into the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

from tests.support.corpora import corpus
from tests.support.sample import Language, Project
from tests.support.servers import environment

DEADLINE_S = 600
DJANGO = "Django==5.2.8"
PYTHON_CORPUS = "httpx==0.28.1"
TYPESCRIPT_CORPUS = "rxjs@7.8.2"
SQLITE = "better-sqlite3@12.4.1"
_MAX_FILES = 150
_TSCONFIG = """\
{
  "compilerOptions": {
    "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true,
    "noEmit": true, "lib": ["es2022", "dom"], "types": [], "skipLibCheck": true
  },
  "include": ["rxjs"]
}
"""
_PYPROJECT = '[tool.ruff]\nlint.select = ["E", "F", "B"]\n'


def real_project(language: Language) -> Project | None:
    """A published project of the language as a corpus for edits, None where there is none."""
    if language == "python":
        found = corpus("python", _sdist(PYTHON_CORPUS) / "httpx", into="httpx")
        return replace(found, files={**found.files, "pyproject.toml": _PYPROJECT})
    if language == "typescript":
        source = _npm(TYPESCRIPT_CORPUS) / "src" / "internal"
        found = corpus("typescript", source, into="rxjs", max_files=_MAX_FILES)
        config = {"tsconfig.json": _TSCONFIG, "package.json": '{"type": "module"}\n'}
        return replace(found, files={**found.files, **config})
    return None


def django() -> Path:
    """The unpacked sources of django, more than 100,000 lines of Python."""
    return _sdist(DJANGO)


def sqlite_amalgamation() -> Path:
    """SQLite in one file of C, 260,000 lines."""
    return _npm(SQLITE) / "deps" / "sqlite3" / "sqlite3.c"


def _sdist(requirement: str) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check"]
    command += ["-q", "--no-binary", requirement.partition("==")[0], requirement]
    return _fetched(requirement, command)


def _npm(requirement: str) -> Path:
    npm = shutil.which("npm", path=environment()["PATH"])
    assert npm is not None, "npm is needed to fetch the TypeScript corpus"
    return _fetched(requirement, [npm, "pack", "--silent", requirement])


def _fetched(requirement: str, command: list[str]) -> Path:
    """The one folder inside the archive that the command downloads into its working folder."""
    kept = cache_folder() / requirement.replace("==", "-").replace("@", "-")
    if not kept.is_dir():
        building = kept.with_name(f".{kept.name}.{os.getpid()}")
        building.mkdir(parents=True)
        subprocess.run(
            command,
            cwd=building,
            env=environment(),
            stdout=subprocess.DEVNULL,
            timeout=DEADLINE_S,
            check=True,
        )
        (archive,) = building.iterdir()
        with tarfile.open(archive) as opened:
            opened.extractall(building, filter="data")
        archive.unlink()
        building.rename(kept)
    (inside,) = kept.iterdir()
    return inside


def cache_folder() -> Path:
    """Where benches keep what they have fetched."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "bench"
