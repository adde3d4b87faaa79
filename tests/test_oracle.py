"""The oracle's own check: every checker runs, and the generated edits do what their kind says."""

from __future__ import annotations

from pathlib import Path

import pygls
import pytest

from tests.support.agreement import COMMANDS
from tests.support.corpora import corpus
from tests.support.edits import KINDS, KINDS_ALONE, EditKind, generate
from tests.support.oracle import TOOLS, Delta, Truth
from tests.support.projects import project
from tests.support.sample import Language

CASES: list[tuple[str, Language, int]] = [
    ("pyright", "python", 6),
    ("basedpyright", "python", 6),
    ("ty", "python", 60),
    ("ruff", "python", 60),
    ("typescript5", "typescript", 6),
    ("typescript7", "typescript", 40),
    ("json", "json", 20),
    ("shellcheck", "shell", 40),
    ("clangd", "cpp", 10),
    ("gopls", "go", 7),
    ("eslint", "javascript", 10),
    ("css", "css", 3),
    ("html", "html", 3),
]
"""Checker, sample project, number of edits (the slow checkers get few)."""

ALONE = ("ruff", "shellcheck", "eslint", "css", "html")
"""Checkers that look at one file at a time."""


def test_every_checker_has_a_case() -> None:
    of_commands = {pairing.tool for pairing in COMMANDS.values()}
    assert {tool for tool, _, _ in CASES} == set(TOOLS) - of_commands


@pytest.mark.real
@pytest.mark.parametrize(("tool", "language", "n_edits"), CASES, ids=[case[0] for case in CASES])
def test_edits_do_what_they_say(
    tool: str, language: Language, n_edits: int, tmp_path: Path
) -> None:
    sample = project(language)
    truth = Truth(tool, sample, tmp_path)
    assert truth.before, "the sample project has old findings"
    edits = generate(sample, 11, n_edits, KINDS_ALONE if tool in ALONE else KINDS)
    n_untouched = 0
    for edit in edits:
        delta = truth.delta(edit)
        assert keeps_its_word(edit.kind, delta), f"{edit.kind}: {edit.label}: {delta}"
        n_untouched += bool(delta.untouched(edit))
    assert n_untouched == 0 if tool in ALONE else n_untouched >= n_edits / 3
    texts = {path: (tmp_path / path).read_text(encoding="utf-8") for path in sample.files}
    assert texts == sample.files, "the oracle leaves its copy as it was"


@pytest.mark.real
def test_edits_of_real_sources(tmp_path: Path) -> None:
    sample = corpus("python", Path(pygls.__file__).parent, into="pygls")
    truth = Truth("ty", sample, tmp_path)
    edits = generate(sample, 1, 10)
    found = [(edit, truth.delta(edit)) for edit in edits]
    assert sum(bool(delta.untouched(edit)) for edit, delta in found) >= len(edits) / 3
    assert all(delta.introduced for edit, delta in found if edit.kind in ("same-file", "broken"))


def keeps_its_word(kind: EditKind, delta: Delta) -> bool:
    """What must hold for every checker (which of the old errors it sees is its own affair)."""
    if kind in ("same-file", "broken", "new-file"):
        return bool(delta.introduced)
    if kind == "clean":
        return not delta.introduced and not delta.fixed
    return True
