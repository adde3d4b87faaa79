"""What the tests know of a server: texts, a sample project, and the cold command line as oracle."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.edits import KINDS, EditKind
from tests.support.oracle import Found
from tests.support.sample import Language, Project
from tests.support.tree_draft import Scenario


@dataclass(frozen=True)
class Sample:
    """A language's sample project: `make` takes the chance, `scenarios` are its edits of files.

    marked: (text, marker) -> a text of the project with one more finding, which names the marker.
    """

    language: Language
    make: Callable[[random.Random], Project]
    scenarios: Callable[[Project], list[Scenario]]
    marked: Callable[[str, str], str] | None = None


@dataclass(frozen=True)
class Oracle:
    """A checker that tells the truth about a folder: `find` runs it cold over all of it.

    n_edits: how many edits its own test tries (slow ones get few); none for a checking command,
    which is its own oracle. program: where it has another name.
    """

    name: str
    find: Callable[[Path], Iterable[Found]]
    n_edits: int = 0
    program: str = ""


@dataclass(frozen=True)
class Pairing:
    """A profile of the catalogue with its oracle and the project that both judge.

    n_edits: what a test rehearses, fewer where the oracle takes a second for each; the bench has
    60.
    """

    server: str
    oracle: Oracle
    sample: Sample
    kinds: Sequence[EditKind] = KINDS
    n_edits: int = 8

    @property
    def language(self) -> Language:
        """The sample project's language."""
        return self.sample.language


@dataclass(frozen=True)
class CrossFile:
    """A dependency whose change makes an error in its untouched importer."""

    importer: str
    dependency: str
    good: Callable[[int], str]
    bad: Callable[[int], str]
    missing: str = ""
    """A file that imports `created`, which does not exist at first."""
    created: str = ""


@dataclass(frozen=True)
class Kit:
    """Texts for one server alone. `marked(marker)` has one finding, on the marker.

    A marker is a name that nothing defines; the finding about it names it, so that a stale answer,
    a false clean and another branch's finding are all told apart.
    """

    name: str
    path: str
    files: Mapping[str, str]
    marked: Callable[[str], str]
    broken: str
    cross: CrossFile | None = None
    overrides: Mapping[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its name in a test's id."""
        return "-".join([self.name, *(str(value) for value in self.overrides.values())])
