"""Twenty real projects of six languages with what builds and tests them, fetched into the cache.

What they depend on is installed outside, once; the commands themselves need no network.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZipFile

from bench.sources import DEADLINE_S, cache_folder, debian_source, npm_package, sdist
from tests.support.servers import environment

_JUNIT = "4.13.2"
_POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>{name}</artifactId><version>1</version>
<properties><maven.compiler.source>8</maven.compiler.source>
<maven.compiler.target>8</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId>
<version>{junit}</version><scope>test</scope></dependency>{more}</dependencies></project>
"""
_DEPENDENCY = (
    "<dependency><groupId>{0}</groupId><artifactId>{1}</artifactId><version>{2}</version>"
    "<scope>test</scope></dependency>"
)
_TSCONFIG = {
    "compilerOptions": {
        "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "outDir": "out",
        "lib": ["es2022", "dom"], "types": [], "skipLibCheck": True, "strict": True,
    },
    "include": ["src/internal"],
}  # fmt: skip
_SQLITE_TEST = """\
#include "sqlite3.h"
int main(void) {
  sqlite3 *db;
  if (sqlite3_open("bench.db", &db)) return 1;
  return sqlite3_exec(db, "create table t(a); insert into t values (1),(2);", 0, 0, 0);
}
"""


@dataclass(frozen=True)
class RealProject:
    """`fetch` gives its sources; `prepare` runs outside with the network, `commands` on a stage."""

    language: str
    name: str
    fetch: Callable[[], Path]
    commands: tuple[tuple[str, ...], ...]
    prepare: tuple[tuple[str, ...], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    def ready(self) -> Path:
        """The folder with everything that the commands need; made once."""
        kept = cache_folder() / "stage" / self.name
        if (kept / ".ready").is_file():
            return kept / "work"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.fetch(), kept / "work", symlinks=True)
        _run(("chmod", "-R", "u+w", "."), kept / "work")
        for name, text in self.files.items():
            (kept / "work" / name).write_text(text)
        for command in (*self.prepare, *self.commands):
            _run(command, kept / "work")
        (kept / ".ready").touch()
        return kept / "work"


def _run(command: tuple[str, ...], folder: Path) -> str:
    done = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True,
        timeout=DEADLINE_S, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        said = (done.stdout + done.stderr)[-2000:]
        raise RuntimeError(f"{' '.join(command)} in {folder}: {done.returncode}: {said}")
    return done.stdout


def _python(
    requirement: str, *packages: str, tests: tuple[str, ...] = ("-m", "pytest", "-q")
) -> RealProject:
    name = requirement.partition("==")[0]
    python = ".venv/bin/python"
    pip = (python, "-m", "pip")
    wheel = (*pip, "wheel", "-q", "--no-deps", "--no-build-isolation", ".", "-w", "w")
    install = (*pip, "install", "-q")
    return RealProject(
        "Python", name, lambda: sdist(requirement),
        (wheel, (python, *tests)),
        ((sys.executable, "-m", "venv", ".venv"), (*install, "wheel", *packages),
         (*install, "-e", ".")),
    )  # fmt: skip


def _javascript(requirement: str, *packages: str, script: str) -> RealProject:
    name = requirement.rpartition("@")[0]
    return RealProject(
        "JavaScript", name, lambda: npm_package(requirement),
        (("sh", "-c", script),), _npm_install(*packages),
    )  # fmt: skip


def _npm_install(*packages: str) -> tuple[tuple[str, ...], ...]:
    """These packages alone: what a package names for its development is much, and left out.

    npm leaves out what it is asked for, too, where that is among these names.
    """
    options = ("--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--legacy-peer-deps")
    return ("npm", "pkg", "delete", "devDependencies"), ("npm", "install", *options, *packages)


def go_module(requirement: str) -> Path:
    """A published module's folder, as `go` itself fetches it; read only."""
    told = _run(("go", "mod", "download", "-json", requirement), Path("/"))
    return Path(json.loads(told)["Dir"])


def _go(module: str) -> RealProject:
    name = module.partition("@")[0].rpartition("/")[2]
    commands = (("go", "build", "./..."), ("go", "test", "-count=1", "-vet=off", "./..."))
    return RealProject("Go", name, lambda: go_module(module), commands)


def crate(name: str, version: str) -> Path:
    """A crate's sources, as cargo itself fetches them."""
    manifest = (
        '[package]\nname = "fetching"\nversion = "0.0.0"\nedition = "2021"\n'
        f'[lib]\npath = "lib.rs"\n[dependencies]\n{name} = "={version}"\n'
    )
    fetching = cache_folder() / f"crate-{name}-{version}"
    if not (fetching / "vendor" / name).is_dir():
        fetching.mkdir(parents=True, exist_ok=True)
        (fetching / "Cargo.toml").write_text(manifest)
        (fetching / "lib.rs").touch()
        _run(("cargo", "vendor", "-q"), fetching)
    return fetching / "vendor" / name


def _rust(name: str, version: str) -> RealProject:
    commands = (("cargo", "build", "--offline", "-q"), ("cargo", "test", "--offline", "-q"))
    return RealProject(
        "Rust", name, lambda: crate(name, version), commands, (("cargo", "fetch", "-q"),)
    )


def _java(name: str, version: str, *needed: tuple[str, str, str]) -> RealProject:
    def fetch() -> Path:
        kept = cache_folder() / f"maven-{name}-{version}"
        for kind, place in (("sources", "main"), ("test-sources", "test")):
            folder = kept / "src" / place / "java"
            if not folder.is_dir():
                artifact = f"{name}:{name}:{version}:jar:{kind}"
                goal = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy"
                _run(("mvn", "-q", "-B", goal, f"-Dartifact={artifact}",
                      f"-DoutputDirectory={kept}"), Path("/"))  # fmt: skip
                with ZipFile(kept / f"{name}-{version}-{kind}.jar") as jar:
                    for each in jar.namelist():
                        where = folder if each.endswith(".java") else folder.parent / "resources"
                        jar.extract(each, where)
        return kept

    more = "".join(_DEPENDENCY.format(*one) for one in needed)
    pom = _POM.format(name=name, junit=_JUNIT, more=more)
    # The tests write their words into `target`; the local repository is read alone.
    test = ("mvn", "-o", "-q", "-B", "test")
    return RealProject(
        "Java", name, fetch, (test,), (("mvn", "-q", "-B", "test"),), {"pom.xml": pom}
    )


PROJECTS = (
    _python("packaging==24.2", "pytest<9", "pretend", "flit_core"),
    _python("idna==3.10", "pytest<9", "flit_core"),
    _python("click==8.1.8", "pytest<9", "flit_core"),
    _python("MarkupSafe==3.0.2", "pytest<9", "setuptools>=70.1,<81"),
    _javascript("minimist@1.2.8", "tape@5", script="node node_modules/tape/bin/tape 'test/*.js'"),
    _javascript("resolve@1.22.8", "tape@5", "is-core-module", "path-parse",
                "supports-preserve-symlinks-flag", "object-keys", "array.prototype.map",
                script="node node_modules/tape/bin/tape test/mock.js test/filter.js"),
    _javascript("object-inspect@1.13.2", "tape@5", "has-tostringtag", "es-value-fixtures",
                "for-each", "functions-have-names", "glob@7", "globalthis", "has-symbols",
                "make-arrow-function", "mock-property", "safer-buffer", "string.prototype.repeat",
                "error-cause", "jackspeak@2",
                script="node node_modules/tape/bin/tape 'test/*.js'"),
    RealProject("TypeScript", "rxjs", lambda: npm_package("rxjs@7.8.2"),
                (("node", "node_modules/typescript/bin/tsc", "-p", "tsconfig.bench.json"),),
                _npm_install("typescript@5.9.3", "tslib@2"),
                {"tsconfig.bench.json": json.dumps(_TSCONFIG)}),
    _go("github.com/google/uuid@v1.6.0"),
    _go("golang.org/x/sync@v0.7.0"),
    _go("github.com/gorilla/mux@v1.8.1"),
    _go("github.com/spf13/pflag@v1.0.5"),
    _rust("semver", "1.0.23"),
    _rust("itoa", "1.0.11"),
    _rust("smallvec", "1.13.2"),
    _rust("fnv", "1.0.7"),
    _java("commons-cli", "1.5.0"),
    _java("commons-codec", "1.12", ("org.apache.commons", "commons-lang3", "3.12.0")),
    RealProject("C", "zlib", lambda: debian_source("zlib=1:1.2.13.dfsg-1"),
                (("sh", "-c", "./configure > configure.log && make -s test"),)),
    RealProject("C", "sqlite", lambda: npm_package("better-sqlite3@12.4.1") / "deps" / "sqlite3",
                (("cc", "-O0", "-o", "bench", "bench.c", "sqlite3.c", "-lpthread", "-ldl", "-lm"),
                 ("sh", "-c", "rm -f bench.db && ./bench")), files={"bench.c": _SQLITE_TEST}),
    RealProject("C++", "leveldb", lambda: crate("leveldb-sys", "2.0.9") / "deps" / "leveldb-1.22",
                (("cmake", "-S", ".", "-B", "out", "-G", "Ninja", "-DLEVELDB_BUILD_BENCHMARKS=OFF",
                  "-DLEVELDB_BUILD_TESTS=ON", "-DCMAKE_POLICY_VERSION_MINIMUM=3.5"),
                 ("cmake", "--build", "out"),
                 ("sh", "-c", "cd out && ctest -j2 --output-on-failure -R 'c_test|arena|coding'"))),
)  # fmt: skip
"""By language; each is known to build and to pass its tests outside."""
