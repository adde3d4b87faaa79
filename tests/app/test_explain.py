"""What is told of a finding: its declaration, the way of the change, names, fixes; in few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.fixes import TIMEOUT_S, real_session
from tests.support.sessions import open_session, toy_profile
from understudy.app.check.asked import CheckQuestion
from understudy.app.check.fixes.asked import mended_answer
from understudy.faces.answers.report_explained import MOST_BYTES, explanation_lines
from understudy.faces.answers.report_text import check_text
from understudy.findings.lines import finding_with_source
from understudy.values.findings import Finding
from understudy.values.positions import LineIndex, Position, Range
from understudy.workspace.branches.checked import Checked, Explanation, NotedPlace, TriedFix
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session


async def explain(session: Session, **texts: str) -> Checked:
    edits = [
        {"kind": "write", "path": path.replace("_", "."), "text": text}
        for path, text in texts.items()
    ]
    question = CheckQuestion(edits=edits, options=CheckOptions(timeout_s=TIMEOUT_S))
    base = session.bases.own
    return (await mended_answer(session, question, None, base, explain=True)).checked


@pytest.mark.real
async def test_a_call_that_no_longer_fits_its_declaration(tmp_path: Path) -> None:
    async with real_session(tmp_path, "python") as session:
        (session.root.path / "user.py").write_text("from shop import helper\n\nprint(helper(1))\n")
        changed = "def helper(x: int, name: str) -> int:\n    return x + len(name)\n"
        found = await explain(session, shop_py=changed)
        assert {one.path for one in found.report.introduced} == {"user.py"}
        assert found.explained is not None
        (told,) = (one for one in found.explained if one.finding.code == "reportCallIssue")
        assert told.declared == NotedPlace("shop.py", 0, "def helper(x: int, name: str) -> int:")
        assert told.signature == "(x: int, name: str) -> int"
        assert (told.chain, told.names) == (("shop.py", "user.py"), ("helper",))
        assert told.rule is not None
        assert told.rule.endswith("#reportCallIssue")
        text = check_text(found)
        assert "    declared: shop.py:1: def helper(x: int, name: str) -> int:\n" in text
        assert "    chain: shop.py -> user.py by helper\n" in text
        assert session.unlisted.summaries() == []


@pytest.mark.real
@pytest.mark.parametrize(
    ("language", "edited", "user", "declared"),
    [
        (
            "python",
            (
                "shop.py",
                "class Pen:\n    def label(self, short: bool) -> str:\n        return ''\n",
            ),
            ("user.py", "from shop import Pen\n\npen = Pen()\nprint(str(pen.label()))\n"),
            NotedPlace("shop.py", 1, "def label(self, short: bool) -> str:"),
        ),
        (
            "go",
            ("shop.go", "package shop\n\ntype Pen struct{}\n\nfunc (p Pen) Label(n int) {}\n"),
            ("user.go", "package shop\n\nfunc use(pen Pen) {\n\tpen.Label()\n}\n"),
            NotedPlace("shop.go", 4, "func (p Pen) Label(n int) {}"),
        ),
    ],
)
async def test_a_method_that_is_called_is_what_was_contradicted(
    tmp_path: Path, language: str, edited: tuple[str, str], user: tuple[str, str],
    declared: NotedPlace,
) -> None:  # fmt: skip
    async with real_session(tmp_path, language) as session:
        (session.root.path / user[0]).write_text(user[1])
        found = await explain(session, **{edited[0].replace(".", "_"): edited[1]})
        assert found.explained is not None
        told = [one.declared for one in found.explained if one.finding.path == user[0]]
        assert declared in told, found.explained


@pytest.mark.real
async def test_names_that_nobody_declares_and_fixes(tmp_path: Path) -> None:
    async with real_session(tmp_path, "typescript") as session:
        text = (
            'import { helper, load } from "./shop";\n\nexport const one = helpr(1);\n'
            "export const two = helper(2);\n"
        )
        found = await explain(session, new_ts=text)
        assert found.explained is not None
        fixes = {one.finding.code: one.fixes for one in found.explained}
        assert fixes["2552"] == (TriedFix("Change spelling to 'helper'", helps=True),)
        assert all(one.helps for one in fixes["6133"])
        nearest = {one.finding.code: one.nearest for one in found.explained}
        assert nearest["2552"][0] == "helper"
        assert nearest["6133"] == ()


async def test_what_a_fix_would_leave(tmp_path: Path) -> None:
    toys = {"toy": toy_profile("mends")}
    async with open_session(tmp_path, {"a.txt": "one\n"}, toys) as session:
        found = await explain(session, a_txt="BAD plain\nx\nBAD worse\nx\nBAD unsafe\n")
        assert found.explained is not None
        assert [one.fixes[0].helps for one in found.explained] == [True, False, False]
        leaves = [str(one.fixes[0].leaves) for one in found.explained]
        assert leaves[1] == "it would bring: a.txt:4 BAD hopeless"
        assert "does not vouch" in leaves[2]
        assert found.mended is None
        assert len(found.report.introduced) == 3
        assert session.unlisted.summaries() == []


async def test_fixes_that_are_not_known_are_said_to_be(tmp_path: Path) -> None:
    toys = {"toy": toy_profile("mends")}
    async with open_session(tmp_path, {"a.txt": "one\n"}, toys) as session:
        found = await explain(session, a_txt="BAD dies\n")
        assert found.explained is not None
        ((fix,),) = (one.fixes for one in found.explained)
        assert (fix.title, fix.helps) == ("", False)
        assert "    fixes: toy could not be asked: " in check_text(found)


async def test_who_could_not_judge_beside_a_finding_is_told(tmp_path: Path) -> None:
    dead = toy_profile("crasher", command=["/bin/sh", "-c", "exit 3"], group="dead")
    toys = {"toy": toy_profile("well_behaved"), "dead": dead}
    async with open_session(tmp_path, {"a.txt": "one\n"}, toys) as session:
        text = check_text(await explain(session, a_txt="BAD one\n"))
        (told,) = (line for line in text.split("\n") if line.startswith("  a.txt: crashed: "))
        assert told.endswith("(dead; others found something)")
        assert "1 file judged (1 in part)" in text


def test_it_stays_within_its_tokens_and_counts_the_rest() -> None:
    place = Range(Position(0, 0), Position(0, 4))
    finding = Finding("a.py", place, "error", "E1", "toy", "bad " * 20, "toy")
    long = Explanation(
        finding,
        declared=NotedPlace("b.py", 3, "def f(" + "x, " * 40 + ") -> None:"),
        signature="(" + "y: int, " * 40 + ")",
        related=(NotedPlace("c.py", 1, "here"),),
        chain=("b.py", "a.py"),
        nearest=("near",),
        rule="https://example.org/rule",
    )
    shown = finding_with_source(finding, LineIndex("line\n"))
    used = len(shown.encode())
    lines = list(explanation_lines(long, used))
    assert lines[-1].endswith("more with --format json)")
    assert used + sum(len(line.encode()) + 1 for line in lines) <= MOST_BYTES
    assert len(lines) > 1
    assert list(explanation_lines(Explanation(finding), used)) == []
