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
_DEBIAN_KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
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
        found = corpus("python", sdist(PYTHON_CORPUS) / "httpx", into="httpx")
        return replace(found, files={**found.files, "pyproject.toml": _PYPROJECT})
    if language == "typescript":
        source = npm_package(TYPESCRIPT_CORPUS) / "src" / "internal"
        found = corpus("typescript", source, into="rxjs", max_files=_MAX_FILES)
        config = {"tsconfig.json": _TSCONFIG, "package.json": '{"type": "module"}\n'}
        return replace(found, files={**found.files, **config})
    return None


def django() -> Path:
    """The unpacked sources of django, more than 100,000 lines of Python."""
    return sdist(DJANGO)


def sqlite_amalgamation() -> Path:
    """SQLite in one file of C, 260,000 lines."""
    return npm_package(SQLITE) / "deps" / "sqlite3" / "sqlite3.c"


def sdist(requirement: str) -> Path:
    """A source distribution's unpacked folder."""
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--disable-pip-version-check"]
    command += ["-q", "--no-binary", requirement.partition("==")[0], requirement]
    return _fetched(requirement, command)


def npm_package(requirement: str) -> Path:
    """A published package's unpacked folder."""
    npm = shutil.which("npm", path=environment()["PATH"])
    assert npm is not None, "npm is needed to fetch the TypeScript corpus"
    return _fetched(requirement, [npm, "pack", "--silent", requirement])


def debian_source(requirement: str) -> Path:
    """What the authors published of a Debian source package, `name=version`, unpacked."""
    lists = cache_folder() / "debian" / "lists"
    (lists / "partial").mkdir(parents=True, exist_ok=True)
    sources = lists.with_name("sources.list")
    sources.write_text(f"deb-src [signed-by={_DEBIAN_KEYS}] {_debian_mirror()} main\n")
    apt = [
        "/usr/bin/apt-get", "-qq", f"-oDir::Etc::SourceList={sources}", "-oDir::Etc::SourceParts=-",
        f"-oDir::State::Lists={lists}", "-oAPT::Sandbox::User=root",
    ]  # fmt: skip
    subprocess.run([*apt, "update"], timeout=DEADLINE_S, check=True, capture_output=True)
    fetch = [*apt, "source", "--download-only", requirement]
    return _fetched(requirement.replace("=", "-").replace(":", "-"), fetch)


def _debian_mirror() -> str:
    """The address and release that this machine's own apt installs from."""
    listing = ["/usr/bin/apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)"]
    found = subprocess.run(
        [*listing, "Identifier: Packages", "Component: main"],
        timeout=DEADLINE_S, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return found.stdout.splitlines()[0]


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
        found = list(building.iterdir())
        # Debian's own part lies beside what the authors published.
        (archive,) = found if len(found) == 1 else building.glob("*.orig.tar.*")
        with tarfile.open(archive) as opened:
            # Python 3.10 and 3.11 know this safety from 3.10.12 and 3.11.4 on.
            opened.extraction_filter = getattr(tarfile, "data_filter", None)
            opened.extractall(building)  # noqa: S202 - by that filter
        for each in found:
            each.unlink()
        building.rename(kept)
    (inside,) = kept.iterdir()
    return inside


def cache_folder() -> Path:
    """Where benches keep what they have fetched."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "bench"
