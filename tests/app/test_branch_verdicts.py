"""The last check of a branch, for another connection than the one that has asked for it."""

from __future__ import annotations

from pathlib import Path

from tests.support.sessions import open_session, toy_profile
from understudy.app.check.asked import CheckQuestion, answer
from understudy.shadow.base import Buffer
from understudy.values.texts import PackedText, Text

FILES = {"a.txt": "one\n", "other.txt": "other\n"}


async def test_another_window_hears_of_a_verdict_and_whether_it_holds_there(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, {"toy": toy_profile("well_behaved")}) as session:
        mine, verdicts = session.bases.own, session.verdicts
        edits = [{"kind": "write", "path": "a.txt", "text": "BAD one\n"}]
        for _ in range(9):  # its generation is far ahead of another's
            mine.set_buffer("a.txt", None)
        name = (await session.branches.create("test")).id
        branch = (await session.branches.edit(name, edits, await mine.fresh())).branch
        other = session.bases.open()
        assert await verdicts.of_others(name, other) is None
        checked = (await answer(session, CheckQuestion(branch=name), mine)).checked
        assert verdicts.of(name, other) is None, "it has asked for none itself"
        kept = await verdicts.of_others(name, other)
        assert kept is not None
        assert kept.checked is checked
        assert kept.is_of_now(branch)

        def type_there(path: str, text: str) -> None:
            other.set_buffer(path, Buffer(PackedText.pack(Text(text)), "plaintext", 1))

        type_there("other.txt", "other\n")
        assert kept.is_of_now(branch), "it reads the same"
        while other.now.generation < checked.after.base.generation:
            type_there("other.txt", "typed\n")
            assert not kept.is_of_now(branch)
        assert other.now.generation == checked.after.base.generation
        assert not kept.is_of_now(branch), "equal counts of two bases say nothing"
        type_there("other.txt", "other\n")
        assert kept.is_of_now(branch)
        (tmp_path / "project" / "other.txt").write_text("saved\n")
        other.set_buffer("other.txt", None)
        again = await verdicts.of_others(name, other)
        assert again is not None
        assert not again.is_of_now(branch)
