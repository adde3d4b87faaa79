"""What a model reads of an answer: kept in tests/data/code, and compared to the byte.

A block is `## QUESTION TARGET BUDGET`, then the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agreement import rehearsals
from tests.support.code_projects import CPP, GO, PYTHON, TYPESCRIPT, written
from understudy.app.code.answer import CodeWish
from understudy.app.code.ask import ask
from understudy.faces.answers.code import code_json, code_text

DATA = Path(__file__).parents[1] / "data" / "code"
PROJECTS = {
    "python": (PYTHON, "basedpyright"),
    "typescript": (TYPESCRIPT, "typescript-language-server"),
    "go": (GO, "gopls"),
    "cpp": (CPP, "clangd"),
}


def blocks(text: str) -> Iterator[tuple[str, str, int, str]]:
    """Question, target, budget and text of each block."""
    for block in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        head, _, body = block.partition("\n")
        question, target, budget = head.split(" ")
        yield question, target, int(budget), body


@pytest.mark.parametrize("name", PROJECTS)
async def test_texts_for_models(tmp_path: Path, name: str) -> None:
    files, server = PROJECTS[name]
    kept = (DATA / f"{name}.txt").read_text(encoding="utf-8")
    folder = written(files, tmp_path / "folder")
    told: list[str] = []
    async with rehearsals(folder, tmp_path / "state", server) as live:
        for question, target, budget, _ in blocks(kept):
            session = live.session
            found = await ask(session, session.bases.own, CodeWish(question, target, budget=budget))
            text = code_text(code_json(found), budget)
            assert len(text.encode()) <= max(budget * 4, 400)
            told.append(f"## {question} {target} {budget}\n{text}")
    assert "".join(told) == kept
