"""Fixes of servers that mean no good: only what mends, harms nothing and is no guess is kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.sessions import open_session, toy_profile
from understudy.app.check.asked import CheckQuestion
from understudy.app.check.fixes.asked import mended_answer
from understudy.values.errors import BadInput
from understudy.workspace.branches.checked import Checked, Mended
from understudy.workspace.options import CheckOptions, FixWish
from understudy.workspace.session import Session

FILES = {"a.txt": "one\n", "other.txt": "other\n"}
TOYS = {"toy": toy_profile("mends")}


async def mend(
    session: Session,
    lines: Sequence[str],
    wish: FixWish | None = None,
    *,
    path: str = "a.txt",
    timeout_s: float | None = None,
) -> Checked:
    """Write a file of these lines, mended."""
    edits = [{"kind": "write", "path": path, "text": "".join(f"{one}\n" for one in lines)}]
    question = CheckQuestion(edits=edits, options=CheckOptions(timeout_s=timeout_s))
    found = await mended_answer(session, question, wish or FixWish(), session.bases.own)
    return found.checked


async def time_for_a_mend(session: Session) -> float:
    """Seconds in which this machine, as busy as it is, tries a fix many times over."""
    began = time.monotonic()
    assert not account(await mend(session, ["first", "BAD stays"]))[0][1]
    return 2 + 8 * (time.monotonic() - began)


def account(checked: Checked) -> list[tuple[str, bool, str]]:
    return [(one.title, one.kept, one.why or "") for one in mended(checked).fixes]


def mended(checked: Checked) -> Mended:
    assert checked.mended is not None
    return checked.mended


async def test_a_fix_that_helps_is_kept(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        found = await mend(session, ["BAD plain", "two", "BAD plain", "BAD hopeless"])
        assert account(found) == [("plain", True, "")] * 2
        assert (found.report.verdict, mended(found).without_fix) == ("findings", 1)
        assert mended(found).patch == (
            "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,4 @@\n"
            "-one\n+good\n+two\n+good\n+BAD hopeless\n"
        )
        assert [one.path for one in found.report.introduced] == ["a.txt"]
        assert (session.root.path / "a.txt").read_text() == "one\n"
        assert session.branches.summaries() == session.unlisted.summaries() == []


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("worse", "it would bring: a.txt:3 BAD hopeless"),
        ("stays", "the finding would stay"),
        ("endless", "it would bring: a.txt:2 BAD endless"),
        ("unsafe", "its server does not vouch for it"),
        ("command", "it needs the command 'do.anything' of toy, which may do anything"),
        ("outside", "outside-root:"),
        ("never", "no answer to textDocument/codeAction"),
    ],
)
async def test_a_fix_that_does_not_help_is_told_and_left(
    tmp_path: Path, kind: str, why: str
) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        lines = ["first", f"BAD {kind}"]
        seconds = await time_for_a_mend(session) if kind == "never" else None
        found = await mend(session, lines, timeout_s=seconds)
        ((_, kept, said),) = account(found)
        assert not kept
        assert why in said
        assert mended(found).fixes_patch == ""
        assert [one.message for one in found.report.introduced] == [f"BAD {kind}"]
        assert not (session.root.path.parent / "out.txt").exists()


async def test_an_unsafe_one_is_tried_for_who_asks(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        found = await mend(session, ["BAD unsafe"], FixWish(unsafe=True))
        assert account(found) == [("unsafe", True, "")]
        assert found.report.verdict == "clean"


async def test_a_disabled_one_is_none(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        found = await mend(session, ["BAD disabled"])
        assert (account(found), mended(found).without_fix) == ([], 1)


async def test_what_only_silences_is_no_fix(tmp_path: Path) -> None:
    async with open_session(tmp_path, {"a.py": "value = 1\n"}, TOYS) as session:
        found = await mend(session, ["value = 1  # BAD silences"], path="a.py")
        ((_, kept, why),) = account(found)
        assert (kept, why) == (False, "it only silences: type: ignore")


async def test_what_a_fix_brings_is_mended_with_it(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        found = await mend(session, ["BAD follows"])
        assert account(found) == [("follows", True, ""), ("plain", True, "")]
        assert (found.report.verdict, mended(found).ended) == ("clean", "clean")


async def test_of_two_that_meet_one_is_kept(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        found = await mend(session, ["BAD meets 0", "BAD meets 0", "end"])
        assert account(found) == [("meets 0", True, "")]
        assert found.after.read("a.txt") == found.before.read("a.txt").replaced("0\nend\n")  # type: ignore[union-attr]


async def test_of_two_that_may_be_meant_none_is(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        found = await mend(session, ["BAD choice"])
        why = "2 fixes would help, and nobody knows which one is meant"
        assert account(found) == [("one", False, why), ("two", False, why)]


async def test_one_bad_fix_does_not_cost_the_others(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        lines = ["BAD plain", "x", "BAD worse", "x", "BAD plain", "x", "BAD outside"]
        found = await mend(session, lines, FixWish(until_clean=True))
        kept = [title for title, kept, _ in account(found) if kept]
        assert (kept, mended(found).ended) == (["plain", "plain"], "no-gain")
        assert len(found.report.introduced) == 2


async def test_only_the_findings_of_a_code_and_only_introduced_ones(tmp_path: Path) -> None:
    async with open_session(tmp_path, {"a.txt": "BAD plain\nx\n"}, TOYS) as session:
        found = await mend(session, ["BAD plain", "x", "BAD plain"], FixWish(codes=("E1",)))
        assert (account(found), len(found.report.introduced)) == ([], 1)
        found = await mend(session, ["BAD plain", "x", "BAD plain"])
        assert account(found) == [("plain", True, "")]
        assert (found.report.verdict, found.report.remaining) == ("clean", 1)


async def test_a_branch_takes_its_fixes_as_edits(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        branch = await session.branches.create("test")
        edits: list[dict[str, Any]] = [
            {"kind": "write", "path": "a.txt", "text": "BAD plain\n"},
            {"kind": "rename", "path": "other.txt", "to": "moved.txt"},
        ]
        base = session.bases.own
        await session.branches.edit(branch.id, edits, await base.fresh())
        question = CheckQuestion(branch=branch.id)
        found = await mended_answer(session, question, FixWish(), base)
        assert found.checked.report.verdict == "clean"
        held = await session.branches.snapshot(branch.id, base.now)
        assert (text := held.read("a.txt")) is not None
        assert text.content == "good\n"
        assert held.origins == {"moved.txt": "other.txt"}
        verdict = session.verdicts.of(branch.id, base)
        assert verdict is not None
        assert verdict.checked.report.verdict == "clean"


async def test_bad_input_leaves_no_branch(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, TOYS) as session:
        question = CheckQuestion(branch="b9")
        with pytest.raises(BadInput, match="no such branch"):
            await mended_answer(session, question, FixWish(), session.bases.own)
        with pytest.raises(BadInput, match="time limit"):
            await mend(session, ["BAD plain"], timeout_s=-1)
        assert session.unlisted.summaries() == []
