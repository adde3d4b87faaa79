"""Makes edits that create, delete and rename files, or change configuration; one seed, one result.

Each language says in a module of its own what can happen to its sample project.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence

from tests.support.edits import EditKind, GeneratedEdit
from tests.support.kits import SAMPLES
from tests.support.sample import Project
from tests.support.tree_draft import Scenario, TreeDraft

FILE_KINDS: tuple[EditKind, ...] = (
    *("deleted", "created", "renamed", "moved", "configured"),
    *("created", "renamed", "deleted", "created", "moved"),
)
"""The order of kinds, repeated."""

_FORMS: Mapping[str, tuple[str, str, str]] = {
    "python": (".py", "__init__", ".pyi"),
    "typescript": (".ts", "index", ".d.ts"),
}
"""Suffix, the name that stands for a folder, suffix of what holds types only."""


def generate_files(
    project: Project, seed: int, count: int, scenarios: Sequence[Scenario] = ()
) -> list[GeneratedEdit]:
    """`count` edits, kinds in turn (those there are), drawn without repeats at first.

    Of a sample project if no other scenarios are given.
    """
    rng = random.Random(f"{project.language} files {seed}")
    by_kind: dict[EditKind, list[Scenario]] = {}
    for scenario in scenarios or SAMPLES[project.language].scenarios(project):
        by_kind.setdefault(scenario[0], []).append(scenario)
    pools = {kind: _endless(rng, scenarios) for kind, scenarios in by_kind.items()}
    turns = itertools.cycle(kind for kind in FILE_KINDS if kind in pools)
    edits = (_made(project, next(pools[kind])) for kind in turns)
    return list(itertools.islice((edit for edit in edits if edit.files), count))


def scenarios_of_sources(project: Project) -> list[Scenario]:
    """What can happen to the files of any project with modules."""
    found: list[Scenario] = []
    suffix, index, stub = _FORMS[project.language]
    for path in project.sources:
        stem = path.removesuffix(suffix)
        if stem.endswith(f"/{index}"):
            continue
        found += [
            ("deleted", path, lambda tree, p=path: tree.delete(p)),
            ("renamed", path, lambda tree, p=path, s=stem: tree.rename(p, f"{s}_now{suffix}")),
            ("moved", path, lambda tree, p=path, s=stem: tree.rename(p, f"{s}/{index}{suffix}")),
            (
                "created",
                f"{stem}{stub} beside it",
                lambda tree, s=stem: tree.write(f"{s}{stub}", ""),
            ),
        ]
    return found


def _made(project: Project, scenario: Scenario) -> GeneratedEdit:
    kind, label, change = scenario
    draft = TreeDraft(project.files)
    change(draft)
    return draft.edit(kind, label)


def _endless(rng: random.Random, scenarios: Sequence[Scenario]) -> Iterator[Scenario]:
    while True:
        yield from rng.sample(scenarios, len(scenarios))
