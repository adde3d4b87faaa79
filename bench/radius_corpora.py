"""Releases of published projects, with who tells the truth about each: a cold command line."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.project_corpora import crate, go_module
from bench.sources import npm_package, sdist
from tests.support.corpora import corpus
from tests.support.edits import GeneratedEdit, generate
from tests.support.kits import COMMANDS, COMPILERS, PAIRINGS
from tests.support.release_edits import release_edits
from tests.support.sample import Language, Project

JUDGES = {**PAIRINGS, **COMMANDS, **COMPILERS}
SEED = 17
_MOST_MUTATIONS = 400


@dataclass(frozen=True)
class Releases:
    """Releases of a project, oldest first, and who judges it.

    `fetch` gives a release's folder, of which `inside` counts; `files` are put beside it. What
    `left_out` matches is no part of the project. `at_most` edits where a cold run is slow.
    """

    name: str
    language: Language
    judge: str
    versions: tuple[str, ...]
    fetch: Callable[[str], Path]
    inside: str = ""
    files: Mapping[str, str] = field(default_factory=dict[str, str])
    left_out: str | None = None
    at_most: int | None = None

    def project(self, version: str) -> Project:
        """The sources of a release."""
        folder = self.fetch(f"{self.name}{version}") / self.inside
        found = corpus(self.language, folder, into=self.inside, is_ascii=False)
        files = {**found.files, **self.files}
        if self.left_out is not None:
            files = {p: text for p, text in files.items() if not re.fullmatch(self.left_out, p)}
        return replace(found, files=files, sources=tuple(p for p in found.sources if p in files))

    def some_edits(self, n_edits: int) -> Iterator[tuple[Project, GeneratedEdit]]:
        """The first so many of them, or as many as its judge has time for."""
        limits = (n_edits, *(() if self.at_most is None else (self.at_most,)))
        return itertools.islice(self.edits(), min(limits))

    def edits(self) -> Iterable[tuple[Project, GeneratedEdit]]:
        """Each edit with the project that it is of, in an order that mixes them all."""
        found: list[tuple[Project, GeneratedEdit]] = []
        projects = [self.project(version) for version in self.versions]
        for before, after in itertools.pairwise(projects):
            found += [(before, edit) for edit in release_edits(before, after)]
        if projects[0].cross:
            kinds = JUDGES[self.judge].kinds
            n_mutations = max(20, min(len(found) // 4, _MOST_MUTATIONS))
            mutations = generate(projects[0], SEED, n_mutations, kinds)
            found += [(projects[0], edit) for edit in mutations]
        random.Random(SEED).shuffle(found)  # noqa: S311 - the same order in every run
        return found


def _crate(requirement: str) -> Path:
    name, _, version = requirement.partition("@")
    return crate(name, version)


def _leveldb(requirement: str) -> Path:
    (found,) = (_crate(f"leveldb-sys{requirement.removeprefix('leveldb')}") / "deps").glob(
        "leveldb-*"
    )
    return found


def _lua(requirement: str) -> Path:
    """The youngest of the releases of Lua that a crate brings."""
    (found,) = _crate(requirement).glob("lua-5.4*")
    return found


def _manifest(features: str) -> Mapping[str, str]:
    """A crate without what it would need from others: those are not there."""
    text = f'[package]\nname = "one"\nversion = "0.0.0"\nedition = "2021"\n{features}'
    return {"Cargo.toml": text}


_TSCONFIG = """\
{"compilerOptions": {"target": "es2022", "module": "esnext", "moduleResolution": "bundler",
"strict": %s, "noEmit": true, "lib": ["es2022", "dom"], "types": [], "skipLibCheck": true,
"allowImportingTsExtensions": true%s}, "include": ["**/*"]}
"""
_TYPESCRIPT = {
    "tsconfig.json": _TSCONFIG % ("true", ""),
    "package.json": '{"type": "module"}\n',
}
_JAVASCRIPT = {"tsconfig.json": _TSCONFIG % ("false", ', "allowJs": true, "checkJs": true')}
_IMGUI = "third-party/imgui-master/imgui"
_UNICODE = ["age", "bool", "case", "gencat", "perl", "script", "segment"]
_REGEX_SYNTAX = "[features]\ndefault = ['std', 'unicode']\nstd = []\nunicode = [{}]\n".format(
    ", ".join(f"'unicode-{name}'" for name in _UNICODE)
) + "".join(f"unicode-{name} = []\n" for name in _UNICODE)
_TTF_PARSER = """\
[features]
default = ["std", "opentype-layout", "apple-layout", "variable-fonts", "glyph-names"]
std = []
opentype-layout = []
apple-layout = []
variable-fonts = []
glyph-names = []
gvar-alloc = ["std"]
"""

CORPORA = (
    Releases("httpx", "python", "ty", ("==0.26.0", "==0.27.2", "==0.28.1"), sdist, "httpx"),
    Releases(
        "starlette", "python", "basedpyright", ("==0.38.6", "==0.41.3"), sdist, "starlette",
        at_most=40,
    ),
    Releases("rich", "python", "ty", ("==13.8.1", "==13.9.4"), sdist, "rich"),
    Releases("Werkzeug", "python", "ty", ("==3.0.6", "==3.1.3"), sdist, "src/werkzeug"),
    Releases("attrs", "python", "basedpyright", ("==24.2.0", "==25.3.0"), sdist, "src", at_most=60),
    Releases("click", "python", "ty", ("==8.1.7", "==8.1.8", "==8.2.1"), sdist, "src"),
    Releases("structlog", "python", "ty", ("==24.1.0", "==25.4.0"), sdist, "src"),
    Releases("flask", "python", "ty", ("==2.3.3", "==3.1.1"), sdist, "src"),
    Releases("fastapi", "python", "ty", ("==0.110.0", "==0.115.0", "==0.116.1"), sdist, "fastapi"),
    Releases("sqlparse", "python", "ty", ("==0.4.4", "==0.5.1"), sdist, "sqlparse"),
    Releases("Markdown", "python", "ty", ("==3.3.7", "==3.4.4"), sdist, "markdown"),
    Releases("gunicorn", "python", "ty", ("==20.1.0", "==21.2.0", "==23.0.0"), sdist, "gunicorn"),
    Releases("paramiko", "python", "ty", ("==2.12.0", "==3.4.1"), sdist, "paramiko"),
    Releases("oauthlib", "python", "ty", ("==3.1.1", "==3.2.2"), sdist, "oauthlib"),
    Releases("wagtail", "python", "ty", ("==6.3.2", "==6.4.1"), sdist, "wagtail", at_most=110),
    Releases(
        "rxjs", "typescript", "typescript7", ("@7.5.7", "@7.8.1"), npm_package,
        "src/internal", _TYPESCRIPT,
    ),
    Releases(
        "zod", "typescript", "typescript7", ("@3.25.76", "@4.1.12"), npm_package,
        "src/v4", _TYPESCRIPT,
    ),
    Releases(
        "openai", "typescript", "typescript7", ("@5.0.1", "@5.12.0"), npm_package,
        "src", _TYPESCRIPT,
    ),
    Releases(
        "cloudflare", "typescript", "typescript7", ("@4.2.0", "@4.3.0"), npm_package,
        "src", _TYPESCRIPT, at_most=110,
    ),
    Releases(
        "commander", "javascript", "typescript7", ("@11.1.0", "@12.1.0", "@13.1.0"),
        npm_package, "lib", _JAVASCRIPT,
    ),
    Releases(
        "underscore", "javascript", "typescript7", ("@1.12.1", "@1.13.7"), npm_package,
        "modules", _JAVASCRIPT,
    ),
    Releases(
        "mathjs", "javascript", "typescript7", ("@13.2.0", "@14.0.1"), npm_package,
        "lib/esm", _JAVASCRIPT, at_most=110,
    ),
    Releases("github.com/spf13/pflag", "go", "go-compile", ("@v1.0.5", "@v1.0.6"), go_module),
    Releases("github.com/gorilla/mux", "go", "gopls", ("@v1.8.0", "@v1.8.1"), go_module),
    Releases("github.com/go-chi/chi/v5", "go", "go-compile", ("@v5.0.14", "@v5.2.1"), go_module),
    Releases("github.com/BurntSushi/toml", "go", "go-compile", ("@v1.3.2", "@v1.5.0"), go_module),
    Releases("github.com/google/go-cmp", "go", "go-compile", ("@v0.5.9", "@v0.7.0"), go_module),
    Releases(
        "regex-syntax", "rust", "cargo-check", ("@0.7.5", "@0.8.5"), _crate, "src",
        _manifest(_REGEX_SYNTAX), at_most=60,
    ),
    Releases(
        "ttf-parser", "rust", "cargo-check", ("@0.20.0", "@0.25.1"), _crate, "src",
        _manifest(_TTF_PARSER),
    ),
    Releases(
        "bytes", "rust", "cargo-check", ("@1.4.0", "@1.10.1"), _crate, "src",
        _manifest("[features]\ndefault = ['std']\nstd = []\n"),
    ),
    Releases(
        "tree-sitter", "c", "gcc", ("@0.22.6", "@0.24.7", "@0.25.10"), _crate, "",
        {"compile_flags.txt": "-std=c11\n-Iinclude\n-Isrc\n-D_GNU_SOURCE\n"},
    ),
    Releases(
        "zstd-sys", "c", "gcc", ("@2.0.9+zstd.1.5.5", "@2.0.15+zstd.1.5.7"), _crate,
        "zstd/lib", {"compile_flags.txt": "-Izstd/lib\n-Izstd/lib/common\n"},
    ),
    Releases(
        "lua-src", "c", "gcc", ("@544.0.1", "@546.0.2", "@547.0.0"), _lua, "",
        {"compile_flags.txt": "-std=c99\n-I.\n"},
    ),
    Releases(
        "leveldb", "cpp", "gcc", ("@2.0.4", "@2.0.9"), _leveldb, "",
        {"compile_flags.txt": "-std=c++17\n-I.\n-Iinclude\n-DOS_LINUX\n-DLEVELDB_PLATFORM_POSIX\n"},
        left_out=r"(?!table/).*\.cc|.*_test\.cc", at_most=100,
    ),
    Releases(
        "imgui-sys", "cpp", "gcc", ("@0.9.0", "@0.11.0"), _crate, _IMGUI,
        {"compile_flags.txt": f"-std=c++17\n-I{_IMGUI}\n"}, left_out=".*/misc/freetype/.*",
        at_most=100,
    ),
)  # fmt: skip
"""Of seven languages; the judge that is quickest, and another one for some."""
