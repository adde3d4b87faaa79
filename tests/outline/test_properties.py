"""What holds for the outline of any text, whole or mutilated."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.outline_samples import LANGUAGES, SAMPLES
from understudy.outline.model import KINDS, Outline
from understudy.outline.read_outline import outline
from understudy.outline.show.render import render, tokens

N_MUTILATIONS = 12
BUDGET = 200


def check(found: Outline) -> None:
    for index, entry in enumerate(found.entries):
        assert entry.kind in KINDS
        assert 1 <= entry.start <= entry.name_line <= entry.end <= max(found.n_lines, 1), entry
        assert entry.parent < index
        said = found.wording.signature(entry) + found.wording.doc(entry)
        assert "\n" not in said + entry.name
        if entry.parent < 0:
            assert entry.depth == 0
            continue
        parent = found.entries[entry.parent]
        assert entry.depth == parent.depth + 1
        assert parent.start <= entry.start
        assert entry.end <= parent.end, (parent, entry)
    starts = [entry.start for entry in found.entries]
    assert all(1 <= first <= last <= found.n_lines for first, last in found.partial)
    assert len(starts) == len(found.entries)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_samples_and_their_mutilations(sample: Path) -> None:
    text = sample.read_bytes()
    language = LANGUAGES[sample.suffix]
    check(outline(text, language))
    chance = random.Random(sample.name)
    for _ in range(N_MUTILATIONS):
        start = chance.randrange(len(text))
        end = min(len(text), start + chance.choice((1, 1, 5, 50)))
        mutilated = text[:start] + text[end:]
        found = outline(mutilated, language)
        check(found)
        assert found.entries
        assert tokens(render(found, BUDGET)) <= BUDGET
        assert found == outline(mutilated, language)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(sorted(set(LANGUAGES.values()))))
def test_any_bytes(text: bytes, language: str) -> None:
    text = text.replace(b"\0", b"{")
    if text[:2] in (b"\xff\xfe", b"\xfe\xff"):
        text = text[2:]
    found = outline(text, language)
    check(found)
    assert found.entries or not text.strip() or not found.n_lines
