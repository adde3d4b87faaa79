"""Every language's sample has exactly the outline that was written down for it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.command_line import SECONDS
from tests.support.outline_samples import LANGUAGES, SAMPLES, expected, outline_text
from understudy.outline.grammar import compile_patterns, load
from understudy.outline.languages import LANGUAGES as KNOWN

HASH_SEEDS = ("0", "1", "4711")
PRINT_ALL = """
from tests.support.outline_samples import SAMPLES, outline_text
import hashlib
print(hashlib.sha256("".join(map(outline_text, SAMPLES)).encode()).hexdigest())
"""


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_outline(sample: Path) -> None:
    assert outline_text(sample) == expected(sample).read_text()


def test_every_language_has_a_sample() -> None:
    covered = {LANGUAGES[sample.suffix] for sample in SAMPLES} | {"bash", "tsx"}
    assert set(KNOWN) <= covered


@pytest.mark.parametrize("name", KNOWN)
def test_every_pattern_fits_the_grammar(name: str) -> None:
    grammar = load(name)
    assert grammar is not None
    assert grammar.dropped == ()


def test_a_pattern_that_does_not_fit_is_dropped_and_named() -> None:
    grammar = load("python")
    assert grammar is not None
    query, dropped = compile_patterns(
        grammar.language, "; gone\n(no_such_node) @class\n\n(module) @module\n"
    )
    assert query is not None
    assert query.pattern_count == 1
    assert dropped == ("(no_such_node) @class",)


def test_hash_seeds_do_not_matter() -> None:
    root = Path(__file__).resolve().parent.parent.parent
    answers = {
        subprocess.run(
            [sys.executable, "-c", PRINT_ALL],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=SECONDS,
        ).stdout
        for seed in HASH_SEEDS
    }
    assert len(answers) == 1
