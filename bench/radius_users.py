"""How many files the radius asks for an edit of one exported function, beside its users.

The users of a function are the other files in which the language server names it
(`textDocument/references`); it is asked once, and its word is kept by its version and the texts.
A function without users counts as one with one.
"""

from __future__ import annotations

import hashlib
import json
import os
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.radius import asked_by
from bench.radius_functions import ExportedFunction, sample
from bench.report import Figure, Setup, percentile
from bench.sources import DJANGO, cache_folder, npm_package, sdist
from tests.support.agreement import rehearsals
from tests.support.corpora import corpus
from tests.support.sample import Project
from tests.support.servers import program
from tests.support.sessions import open_session
from understudy.app.check.request import request_on_branch
from understudy.values.paths import Root, path_of_uri

SEED = 17
N_FUNCTIONS = 40
_TRPC = "11.7.1"
_COMPILER = """\
"target": "es2022", "module": "esnext", "moduleResolution": "bundler", "strict": true,
"noEmit": true, "lib": ["es2022", "dom"], "types": [], "skipLibCheck": true"""
_TSCONFIG = f'{{"compilerOptions": {{{_COMPILER}%s}}, "include": ["**/*"]}}\n'
_OF_ZOD = ', "paths": {"zod": ["./src/index.ts"], "zod/*": ["./src/*/index.ts"]}'
"""Its tests import it by its name."""
_OF_TRPC = ', "paths": {"@trpc/server": ["./server/index.ts"], "@trpc/server/*": ["./server/*"]}'


@dataclass(frozen=True)
class _Subject:
    """A project: `folders` are put into those of that name; functions are drawn from `package`."""

    name: str
    server: str
    program: str
    package: str
    folders: Callable[[], Mapping[str, Path]]
    files: Mapping[str, str] = field(default_factory=dict[str, str])

    def project(self) -> Project:
        """All its sources, tests and examples too."""
        language = "python" if self.server == "ty" else "typescript"
        parts = [
            corpus(language, folder, into=into, is_ascii=False)
            for into, folder in self.folders().items()
        ]
        files = {path: text for part in parts for path, text in part.files.items()}
        sources = tuple(path for part in parts for path in part.sources)
        return replace(parts[0], files={**files, **self.files}, sources=sources)


def _package(requirement: str) -> Path:
    return npm_package(requirement) / "src"


_SUBJECTS = (
    _Subject(
        "zod", "typescript7", "tsc", "src", lambda: {"src": _package("zod@4.1.12")},
        {"tsconfig.json": _TSCONFIG % f', "allowImportingTsExtensions": true{_OF_ZOD}',
         "package.json": '{"type": "module"}\n'},
    ),
    _Subject(
        "trpc", "typescript7", "tsc", "server",
        lambda: {part: _package(f"@trpc/{part}@{_TRPC}") for part in ("server", "client")},
        {"tsconfig.json": _TSCONFIG % _OF_TRPC, "package.json": '{"type": "module"}\n'},
    ),
    _Subject("django", "ty", "ty", "django", lambda: {"": sdist(DJANGO)}),
    _Subject("fastapi", "ty", "ty", "fastapi", lambda: {"": sdist("fastapi==0.121.1")}),
)  # fmt: skip


async def run(setup: Setup) -> list[Figure]:
    """Of each project the files asked and their ratio to the users."""
    return [await _of(setup, subject) for subject in _SUBJECTS]


async def _of(setup: Setup, subject: _Subject) -> Figure:
    project, folder = subject.project(), setup.folder / subject.name
    drawn = [path for path in project.sources if path.startswith(f"{subject.package}/")]
    functions = sample(project.language, project.files, drawn, SEED, N_FUNCTIONS)
    users = await _users(subject, project, functions, folder / "asked")
    asked: dict[str, int] = {}
    ratios: list[float] = []
    async with open_session(folder / "radius", dict(project.files), {}) as session:
        for function, used_by in zip(functions, users, strict=True):
            for edit in function.edits:
                asked[edit.label] = n_asked = len(await asked_by(session, edit, subject.server))
                ratios.append(n_asked / max(1, len(used_by)))
    for label, number in sorted(asked.items(), key=lambda item: -item[1])[:5]:
        setup.say(f"radius_users: {subject.name}: {number} files: {label}")
    median, p90 = statistics.median(ratios), percentile(list(asked.values()), 90)
    return Figure(
        "radius_users", f"{subject.name}, {len(project.sources)} files",
        f"asked {statistics.median(asked.values()):.0f} median, {p90:.0f} p90",
        f"{statistics.median(map(len, users)):.0f} users median, {len(asked)} edits",
        median, bar="ratio <= 4, p90 <= 60", ok=median <= 4 and p90 <= 60,
        data={"asked": asked, "users": {f"{one.path}: {one.name}": sorted(used)
                                        for one, used in zip(functions, users, strict=True)}},
    )  # fmt: skip


async def _users(
    subject: _Subject, project: Project, functions: Sequence[ExportedFunction], folder: Path
) -> list[frozenset[str]]:
    """The other files in which the server names each function."""
    kept = cache_folder() / "users" / f"{_key(subject, project, functions)}.json"
    if not kept.is_file():
        said = await _ask(subject, project, functions, folder)
        kept.parent.mkdir(parents=True, exist_ok=True)
        written = kept.with_suffix(f".{os.getpid()}")
        written.write_text(json.dumps([sorted(paths) for paths in said]))
        written.replace(kept)
    return [frozenset(paths) for paths in json.loads(kept.read_text())]


async def _ask(
    subject: _Subject, project: Project, functions: Sequence[ExportedFunction], folder: Path
) -> list[set[str]]:
    user = project.write(folder / "project").resolve()
    found: list[set[str]] = []
    async with rehearsals(user, folder / "state", subject.server) as live:
        branch = await live.session.branches.create("references")
        for one in functions:
            params = {
                "textDocument": {"uri": (user / one.path).as_uri()},
                "position": {"line": one.line, "character": one.column},
                "context": {"includeDeclaration": False},
            }
            answer = await request_on_branch(
                live.session, branch.id, "textDocument/references", params,
                server=subject.server, timeout_s=300,
            )  # fmt: skip
            paths = {_relative(Root.open(user), place["uri"]) for place in answer.result or ()}
            found.append(paths - {one.path})
    return found


def _relative(root: Root, uri: str) -> str:
    path = path_of_uri(uri)
    assert path is not None, f"a place of no file: {uri}"
    return path.relative_to(root.path).as_posix()


def _key(subject: _Subject, project: Project, functions: Sequence[ExportedFunction]) -> str:
    """Changes with the server's version, whose folder is named by it, and with what it is asked."""
    asked = [f"{one.path} {one.line} {one.column}" for one in functions]
    texts = [part for item in sorted(project.files.items()) for part in item]
    digest = hashlib.sha256()
    for part in (str(program(subject.program).resolve()), *asked, *texts):
        digest.update(f"{len(part)} {part}".encode())
    return digest.hexdigest()[:32]
