"""On real files nothing is missing that Python's parser or a language server finds."""

from __future__ import annotations

import pytest

from tests.support.outline_corpus import EFFECT, PYTHON, BigFile
from tests.support.outline_oracles import by_python, by_server
from tests.support.outline_recall import recall_of
from understudy.outline.read_outline import outline

LEAST_CLEAN, LEAST_EFFECT, LEAST_RANGES = 0.995, 0.99, 0.99


@pytest.mark.real
@pytest.mark.parametrize("file", PYTHON[:2], ids=lambda file: file.ending)
def test_python(file: BigFile) -> None:
    text = file.path.read_bytes()
    recall = recall_of(outline(text, file.language), by_python(text))
    assert recall.found >= LEAST_CLEAN, recall.missing[:10]
    assert recall.equal_ranges >= LEAST_RANGES, recall.other_ranges[:10]


@pytest.mark.real
@pytest.mark.parametrize("file", EFFECT, ids=lambda file: file.ending)
def test_typescript(file: BigFile) -> None:
    found = outline(file.path.read_bytes(), file.language)
    symbols = by_server("typescript-language-server", "typescript", file.path)
    recall = recall_of(found, symbols)
    assert found.complete
    assert recall.found >= LEAST_EFFECT, recall.missing[:10]
    assert recall.equal_ranges >= LEAST_RANGES, recall.other_ranges[:10]
