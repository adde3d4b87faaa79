"""Big real files of many languages, fetched once from the package registries into the cache."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.servers import environment

_DEADLINE_S = 600
_PANDAS, _SCIPY, _NUMPY = "pandas==2.2.3", "scipy==1.14.1", "numpy==2.1.3"
_EFFECT, _TYPESCRIPT = "effect@3.12.0", "typescript@5.9.3"
_PYTHONNET = "sdist:pythonnet==3.0.5"
_SQLITE = "better-sqlite3@12.4.1"
_JAVA, _GO, _RUST = "openjdk-17-source", "golang-1.19-src", "rust-src"


@dataclass(frozen=True)
class BigFile:
    """One file of the corpus: its language id, the package that has it, how its path ends."""

    language: str
    package: str
    ending: str

    @property
    def path(self) -> Path:
        """Where it is, fetched if need be."""
        folder = fetched(self.package)
        found = sorted(p for p in folder.rglob(Path(self.ending).name) if self._is(p))
        assert found, f"{self.package} has no {self.ending}"
        return found[0]

    def _is(self, path: Path) -> bool:
        return path.as_posix().endswith("/" + self.ending) and path.is_file()


PYTHON = (
    BigFile("python", _PANDAS, "pandas/core/frame.py"),
    BigFile("python", _SCIPY, "scipy/stats/_continuous_distns.py"),
    BigFile("python", _NUMPY, "numpy/_core/tests/test_multiarray.py"),
)
EFFECT = (
    BigFile("typescript", _EFFECT, "src/Effect.ts"),
    BigFile("typescript", _EFFECT, "src/Schema.ts"),
)
TYPESCRIPT = (
    *EFFECT,
    BigFile("typescript", _TYPESCRIPT, "lib/typescript.d.ts"),
    BigFile("typescript", _TYPESCRIPT, "lib/lib.dom.d.ts"),
)
JAVASCRIPT = (
    BigFile("javascript", _TYPESCRIPT, "lib/typescript.js"),
    BigFile("javascript", "react-dom@18.3.1", "cjs/react-dom.development.js"),
)
JAVA = (
    BigFile("java", _JAVA, "javax/swing/JTable.java"),
    BigFile("java", _JAVA, "java/util/concurrent/ConcurrentHashMap.java"),
    BigFile("java", _JAVA, "java/lang/invoke/MethodHandles.java"),
    BigFile("java", _JAVA, "java.base/java/util/Collections.java"),
)
GO = (
    BigFile("go", _GO, "src/net/http/h2_bundle.go"),
    BigFile("go", _GO, "src/net/http/server.go"),
    BigFile("go", _GO, "compile/internal/ssa/rewriteAMD64.go"),
)
RUST = (
    BigFile("rust", _RUST, "alloc/src/vec/mod.rs"),
    BigFile("rust", _RUST, "core_arch/src/x86/avx512f.rs"),
    BigFile("rust", _RUST, "core/src/iter/traits/iterator.rs"),
)
SQLITE = BigFile("c", _SQLITE, "sqlite3/sqlite3.c")
CPP = (BigFile("cpp", "nlohmann-json3-dev", "include/nlohmann/json.hpp"),)
RUBY = (
    BigFile("ruby", "libruby3.1", "ruby/3.1.0/fileutils.rb"),
    BigFile("ruby", "libruby3.1", "ruby/3.1.0/net/http.rb"),
)
CSHARP = (
    BigFile("csharp", _PYTHONNET, "src/runtime/Runtime.cs"),
    BigFile("csharp", _PYTHONNET, "src/runtime/Converter.cs"),
    BigFile("csharp", _PYTHONNET, "src/runtime/PythonTypes/PyObject.cs"),
)
OTHERS = (
    BigFile("php", "php-tcpdf", "tcpdf/tcpdf.php"),
    BigFile("shellscript", "libtool", "build-aux/ltmain.sh"),
    BigFile("shellscript", "bash-completion", "bash-completion/bash_completion"),
)
ALL = (*PYTHON, *TYPESCRIPT, *JAVASCRIPT, *JAVA, *GO, *RUST, SQLITE, *CPP, *OTHERS)


def cache_folder() -> Path:
    """Where what was fetched is kept."""
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "understudy" / "outline-corpus"


def fetched(package: str) -> Path:
    """The unpacked package: `==` from PyPI, `@` from npm, else Debian's."""
    kept = cache_folder() / package.removeprefix("sdist:").replace("==", "-").replace("@", "-")
    if not kept.is_dir():
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.with_name(f".{kept.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.is_dir():  # else another process of the tests was quicker
                _fetch(package, kept)
    return kept


def _fetch(package: str, kept: Path) -> None:
    building = kept.with_name(f".{kept.name}.{os.getpid()}")
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir()
    _run(_command(package), building)
    for archive in list(building.iterdir()):
        _unpack(archive, building)
        archive.unlink()
    building.rename(kept)


def _command(package: str) -> Sequence[str]:
    if package.startswith("sdist:"):
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        return [*command, "--no-deps", "--no-binary", ":all:", package.removeprefix("sdist:")]
    if "==" in package:
        command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary", ":all:", "--python-version", "3.11"]
        return [*command, package]
    if "@" in package:
        npm = shutil.which("npm", path=environment()["PATH"])
        assert npm is not None, "npm is needed to fetch the corpus"
        return [npm, "pack", "--silent", package]
    return ["apt-get", "download", "-q", "-o", "APT::Sandbox::User=root", package]


def _unpack(archive: Path, into: Path) -> None:
    if archive.suffix == ".deb":
        _run(["dpkg", "-x", str(archive), str(into)], into)
        for sources in into.rglob("src.zip"):
            with zipfile.ZipFile(sources) as opened:
                wanted = tuple(file.ending for file in JAVA)
                opened.extractall(into, [n for n in opened.namelist() if n.endswith(wanted)])
    elif archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(into, [n for n in opened.namelist() if n.endswith((".py", ".pyi"))])
    else:
        with tarfile.open(archive) as opened:
            # Python 3.10 and 3.11 know this safety from 3.10.12 and 3.11.4 on.
            opened.extraction_filter = getattr(tarfile, "data_filter", None)
            opened.extractall(into)


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(
        command,
        cwd=folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        timeout=_DEADLINE_S,
        check=True,
    )
