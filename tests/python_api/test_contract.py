"""The API as harnesses are promised it, over real language servers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import understudy as u
from tests.e2e.folders import copy_demo

OLD, NEW = "country: str, reduced: bool) -> int:", "country: str, reduced: bool, on: str) -> int:"
BREAKING = {"kind": "replace", "path": "invoices/tax.py", "old": OLD, "new": NEW}
BACK = {**BREAKING, "old": NEW, "new": OLD}


def words(verdict: u.Verdict) -> list[str]:
    """What a harness makes of a verdict."""
    match verdict:
        case u.Findings(introduced):
            return [f"{one.path}:{one.line}:{one.column} {one.code}" for one in introduced]
        case u.Clean():
            return ["clean"]
        case u.Unknown(reasons):
            return [reason.code for reason in reasons]
        case _:
            raise AssertionError(verdict)


def test_a_branch_is_edited_checked_forked_run_and_accepted(tmp_path: Path, state: Path) -> None:
    demo = copy_demo(tmp_path / "demo")
    before = (demo / "invoices/tax.py").read_text()
    with u.Workspace(demo, trust=True) as ws:
        with ws.branch("attempt") as b:
            assert b.edit([BREAKING]).changed == ("invoices/tax.py",)
            verdict = b.check()
            assert isinstance(verdict, u.Findings)
            assert {one.path for one in verdict.introduced} == {
                "invoices/tax.py",
                "invoices/printing.py",
            }
            assert '"on"' in verdict.introduced[0].message
            assert all(":" in word for word in words(verdict))
            fork = b.fork("another attempt")
            b.edit([BACK])
            assert words(b.check()) == ["clean"]
            assert b.diff() == ""
            run = fork.run(["grep", "-n", "on: str", "invoices/tax.py"])
            assert (run.status, "on: str" in run.output.head) == (0, True)
            assert run.output.read() == run.output.head
            assert f"+def percent_for({NEW}" in fork.diff()
        assert (demo / "invoices/tax.py").read_text() == before
        assert [info.title for info in ws.branches()] == ["attempt", "another attempt"]
        fork.discard()
        (kept,) = ws.branches()
        assert kept.id == b.id


async def test_the_same_with_await(tmp_path: Path, state: Path) -> None:
    demo = copy_demo(tmp_path / "demo")
    async with u.AsyncWorkspace(demo, trust=True) as ws, ws.branch("attempt") as b:
        other = await ws.branch("other")
        await asyncio.gather(b.edit([BREAKING]), other.edit([BREAKING, BACK]))
        first, second = await asyncio.gather(b.check(), other.check())
        assert len(words(first)) > 1
        assert words(second) == ["clean"]
        fork = await b.fork()
        assert f"+def percent_for({NEW}" in await fork.diff()
        assert (await b.run(["true"])).status == 0


def test_columns_are_characters_of_a_python_string(tmp_path: Path, state: Path) -> None:
    line = 'x: tuple[str, int] = ("\N{GRINNING FACE}\N{GRINNING FACE}", "one")'
    with u.Workspace(copy_demo(tmp_path / "demo")) as ws:
        verdict = ws.check([{"kind": "write", "path": "a.py", "text": f"{line}\n"}])
        assert isinstance(verdict, u.Findings)
        (found,) = verdict.introduced
        assert line[found.column - 1 : found.end_column - 1] == '"one"'

        assert str(found).startswith(f"a.py:1:{found.column}: error reportAssignmentType ")


def test_questions_about_code_and_refactorings(tmp_path: Path, state: Path) -> None:
    demo = copy_demo(tmp_path / "demo")
    with u.Workspace(demo) as ws, ws.branch("names") as b:
        found = ws.ask("references", "percent_for")
        assert found.status == "answered"
        assert {place.path for place in found.places} >= {"invoices/tax.py", "invoices/printing.py"}
        assert "percent_for" in str(found.places[0])
        assert "country: str" in ws.ask("hover", "percent_for").text
        missing = ws.ask("definition", "percent_fro")
        assert (missing.status, "percent_for" in missing.nearest) == ("no-such-name", True)
        with pytest.raises(u.BadInput) as refused:
            ws.ask("definition", "nothing.py:1:1")
        assert refused.value.code == "no-such-file"
        renamed = b.rename("percent_for", "rate_for")
        assert (renamed.branch, renamed.verdict) == (b.id, "clean")
        assert {"invoices/tax.py", "invoices/printing.py"} <= set(renamed.changed)
        assert "clean" in renamed.text
        assert b.ask("definition", "rate_for").places[0].path == "invoices/tax.py"
        moved = b.move("invoices/tax.py", "invoices/taxes.py")
        assert b.read("invoices/taxes.py") is not None
        assert b.read("invoices/tax.py") is None
        assert moved.branch == b.id
