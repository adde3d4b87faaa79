"""Questions about code have the answer of the bare server that is asked the same, in any language.

Of ours no file was open before; the bare server has all of them open.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.code_questions import differences, pair_of, questions
from tests.support.servers import program

SERVERS = (
    ("python", "basedpyright"),
    ("python", "ty"),
    ("typescript", "typescript-language-server"),
    ("typescript", "typescript7"),
    ("javascript", "typescript-language-server"),
    ("go", "gopls"),
    ("cpp", "clangd"),
)
N_QUESTIONS = 45


@pytest.mark.parametrize(("language", "server"), SERVERS)
async def test_answers_are_those_of_the_bare_server(
    tmp_path: Path, language: str, server: str
) -> None:
    # Its index of the whole folder is the truth; ours is given none.
    command = [str(program("clangd")), "-j=2"] if server == "clangd" else []
    async with pair_of(language, server, tmp_path, command) as pair:
        asked = questions(pair, N_QUESTIONS)
        assert len({one.question for one in asked}) >= 7
        assert not await differences(pair, asked)
