"""The index of bindings beside an engine of each language: what the engine knows and we do not.

The engine is the language's own compiler or a type checker, and tells of a published project which
file takes from which. Each edge that the index has not is a difference to be looked into: it is
named in `KNOWN` with its reason, or it is a mistake of the index. What only the index has is
counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.engine_edges import (
    EngineEdge,
    by_builder_program,
    by_gcc,
    by_go_list,
    by_mypy,
    by_rustc,
)
from bench.project_corpora import crate
from bench.radius_corpora import CORPORA, Releases
from bench.report import Figure, Setup
from tests.support.corpora import corpus
from tests.support.sample import Language, Project
from tests.support.sessions import open_session
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.session import Session

ENGINES: Mapping[Language, tuple[str, Callable[[Path], Iterator[EngineEdge]]]] = {
    "python": ("mypy", by_mypy),
    "typescript": ("TypeScript's builder program", by_builder_program),
    "javascript": ("TypeScript's builder program", by_builder_program),
    "go": ("go list -deps", by_go_list),
    "rust": ("cargo metadata, rustc's dep-info", by_rustc),
    "c": ("gcc -MM", by_gcc),
    "cpp": ("gcc -MM", by_gcc),
}

KNOWN: Mapping[str, str] = {}
"""Pattern of `PROJECT: IMPORTER -> TARGET` of edges that the index is right not to have: why."""

_NEEDS = {
    "memchr": (),
    "aho-corasick": ("memchr",),
    "regex-syntax": (),
    "regex-automata": ("aho-corasick", "memchr", "regex-syntax"),
    "regex": ("aho-corasick", "memchr", "regex-automata", "regex-syntax"),
}
"""The packages of the workspace, and which of them each needs."""


@dataclass
class _Compared:
    n_agreed: int = 0
    missing: list[str] = field(default_factory=list[str])
    explained: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    n_ours: int = 0
    """Edges that the index alone has, between files that the engine has read."""


async def run(setup: Setup) -> list[Figure]:
    """Of each project the edges that the index lacks."""
    projects = [(_name(one), one.project(one.versions[0])) for one in CORPORA]
    projects.append(("the crates of regex", _workspace()))
    return [await _of(setup, name, project) for name, project in projects]


def _name(releases: Releases) -> str:
    return releases.name.rpartition("github.com/")[2].replace("/", " ")


def _workspace() -> Project:
    """Packages that need one another, as one workspace; by manifests without all the others."""
    files: dict[str, str] = {}
    vendored = crate("regex", "1.11.1").parent
    for name, needs in _NEEDS.items():
        found = corpus("rust", vendored / name / "src", into=f"{name}/src", is_ascii=False)
        needed = "".join(f'{one} = {{ path = "../{one}" }}\n' for one in needs)
        files |= found.files
        files[f"{name}/Cargo.toml"] = (
            f'[package]\nname = "{name}"\nversion = "1.0.0"\nedition = "2021"\n'
            f"[features]\ndefault = ['std', 'alloc', 'unicode', 'perf']\nstd = []\nalloc = []\n"
            f"unicode = []\nperf = []\n[dependencies]\n{needed}"
        )
    files["Cargo.toml"] = f"[workspace]\nresolver = '2'\nmembers = {sorted(_NEEDS)}\n"
    return Project("rust", files, tuple(path for path in files if path.endswith(".rs")))


async def _of(setup: Setup, name: str, project: Project) -> Figure:
    engine, edges_of = ENGINES[project.language]
    outside = project.write(setup.folder / name / "engine").resolve()
    told = [
        one
        for one in dict.fromkeys(edges_of(outside))
        if one.target in project.files
        and not {*one.importers}.isdisjoint(project.files.keys() - {one.target})
    ]
    assert told, f"{engine} told no edge of {name}"
    async with open_session(setup.folder / name / "index", dict(project.files), {}) as session:
        compared = await _compare(session, name, told)
    for line in compared.missing:
        setup.say(f"radius_engines: {line}")
    n_explained = sum(map(len, compared.explained.values()))
    ours = f"{len(compared.missing)} edges missing of {len(told)}"
    if n_explained:
        ours += f", {n_explained} explained"
    return Figure(
        "radius_engines", name, ours, f"{engine}; {compared.n_ours} only ours",
        bar="0 missing", ok=not compared.missing,
        data={"engine": engine, "agreed": compared.n_agreed, "missing": compared.missing,
              "explained": compared.explained, "only_ours": compared.n_ours},
    )  # fmt: skip


async def _compare(session: Session, name: str, told: Iterable[EngineEdge]) -> _Compared:
    snapshot = Snapshot(await session.fresh_base())
    found = _Compared()
    by_target: dict[str, list[EngineEdge]] = {}
    for edge in told:
        by_target.setdefault(edge.target, []).append(edge)
    read = {path for edge in told for path in edge.importers}
    for target, edges in sorted(by_target.items()):
        distance = await session.bindings.distances([snapshot], [target])
        near = {path for path, steps in distance.items() if steps == 1}
        theirs = {path for edge in edges for path in edge.importers}
        found.n_ours += len((near & read) - theirs - {target})
        for edge in edges:
            known = near if edge.is_direct else distance.keys()
            if not known.isdisjoint(edge.importers):
                found.n_agreed += 1
                continue
            line = f"{name}: {' or '.join(edge.importers[:3])} -> {target}"
            why = next((why for form, why in KNOWN.items() if re.fullmatch(form, line)), None)
            if why is None:
                found.missing.append(line)
            else:
                found.explained.setdefault(why, []).append(line)
    return found
