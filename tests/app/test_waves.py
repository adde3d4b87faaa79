"""Checks in waves: what the files nearest to an edit bring is told before the others are asked."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.app.test_command_checkers import until
from tests.support.branch_cases import write
from tests.support.sessions import TOYS, check_edits, open_session, toy_profile
from understudy.app.check.blast_radius import Radius
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.app.check.waves import late
from understudy.shadow.base import Base
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import FileVerdict, FirstWave, Reason
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session

BREAKS = {"kind": "write", "path": "lib.py", "text": "x = 'BAD'\n"}


def chain(n_far: int) -> dict[str, str]:
    """A module, two that import it, and others that import one of these."""
    direct = {f"direct{n}.py": f"from lib import x\ny{n} = x\n" for n in range(2)}
    far = {f"far{n}.py": "from direct0 import y0\nz = y0\n" for n in range(n_far)}
    return {"lib.py": "x = 1\n", **direct, **far}


async def time_for_near_files(session: Session) -> float:
    """Seconds in which this machine, as busy as it is, judges the first wave many times over."""
    began = time.monotonic()
    edit = {"kind": "write", "path": "direct1.py", "text": "from lib import x\n"}
    report = (await check_edits(session, [edit], CheckOptions(timeout_s=120))).report
    assert report.verdict == "clean"
    return 4 + 8 * (time.monotonic() - began)


async def check_told(session: Session, told: list[tuple[FirstWave, str]]) -> Checked:
    branch = await session.branches.create("test")
    await session.branches.edit(branch.id, [BREAKS], await session.fresh_base())

    def first(wave: FirstWave, after: Snapshot) -> None:
        text = after.read("lib.py")
        told.append((wave, "" if text is None else text.content))

    after = branch_side(session.branches, branch.id)
    return await check(session, base_side, after, CheckOptions(), first=first)


async def test_the_nearest_files_are_told_of_first(tmp_path: Path) -> None:
    told: list[tuple[FirstWave, str]] = []
    toy = {"toy": toy_profile("well_behaved")}
    async with open_session(tmp_path, chain(12), toy) as session:
        report = (await check_told(session, told)).report
    ((wave, text),) = told
    assert text == "x = 'BAD'\n"
    assert [finding.path for finding in wave.introduced] == ["lib.py"]
    assert (wave.judged, wave.to_come) == (3, 12)
    assert {file.path for file in report.files} == chain(12).keys()
    assert report.introduced == wave.introduced
    assert not report.late


async def test_the_edited_file_is_asked_about_while_it_is_looked_up_who_uses_it(
    tmp_path: Path,
) -> None:
    """The plan waits for its turn behind the test, and the server has answered by then."""
    toy = {"toy": toy_profile("well_behaved")}
    async with open_session(tmp_path, chain(12), toy) as session:
        (choice,) = (choice for choice in session.servers.all() if choice.name == "toy")
        branch = await session.branches.create("test")
        await session.branches.edit(branch.id, [BREAKS], await session.fresh_base())
        shown: list[Snapshot] = []

        async def after(base: Base) -> Snapshot:
            turns.append(asyncio.ensure_future(session.planning.acquire()))
            await asyncio.sleep(0)  # it is next in turn by now
            shown.append(await branch_side(session.branches, branch.id)(base))
            return shown[0]

        turns: list[asyncio.Future[Any]] = []
        checking = asyncio.ensure_future(check(session, base_side, after, CheckOptions()))
        await until(lambda: bool(turns) and turns[0].done())

        state = (await session.taken_files.of(choice.profile, shown[0])).state

        def answer(path: str) -> object:
            return session.answers.get(choice, shown[0], path, staged=False, configured=state)

        await until(lambda: answer("lib.py") is not None)
        assert answer("direct0.py") is None
        session.planning.release()
        report = (await checking).report
    assert {file.path for file in report.files} == chain(12).keys()
    assert next(file for file in report.files if file.path == "lib.py").servers[0].elapsed_ms > 0


@pytest.mark.parametrize(("text", "verdict"), [("x = 'BAD'\n", "findings"), ("x = 2\n", "unknown")])
async def test_a_plan_that_takes_too_long_leaves_the_edited_files(
    tmp_path: Path, text: str, verdict: str
) -> None:
    """The plan's turn never comes: the test has it."""
    toy = {"toy": toy_profile("well_behaved")}
    async with open_session(tmp_path, chain(12), toy) as session:
        branch = await session.branches.create("test")
        await session.branches.edit(branch.id, [write("lib.py", text)], await session.fresh_base())

        async def after(base: Base) -> Snapshot:
            turns.append(asyncio.ensure_future(session.planning.acquire()))
            await asyncio.sleep(0)  # it is next in turn by now
            return await branch_side(session.branches, branch.id)(base)

        turns: list[asyncio.Future[Any]] = []
        options = CheckOptions(timeout_s=await time_for_near_files(session))
        checking = check(session, base_side, after, options)
        report = (await asyncio.wait_for(checking, (options.timeout_s or 0) + 12)).report
        session.planning.release()
    (file,) = report.files
    assert (report.verdict, file.path, file.verdict) == (verdict, "lib.py", verdict)
    if verdict == "unknown":
        assert file.reason is not None
        assert file.reason.code == "timeout"
        assert "which files the edit reaches" in file.reason.text


async def test_a_few_files_farther_away_are_no_wave_of_their_own(tmp_path: Path) -> None:
    told: list[tuple[FirstWave, str]] = []
    toy = {"toy": toy_profile("well_behaved")}
    async with open_session(tmp_path, chain(3), toy) as session:
        report = (await check_told(session, told)).report
    assert told == []
    assert {file.path for file in report.files} == chain(3).keys()


async def test_what_was_not_judged_in_time_is_counted_by_distance(tmp_path: Path) -> None:
    """The toy answers for the first wave, and never for the other."""
    command = [sys.executable, "-S", str(TOYS / "never_answers.py"), "far"]
    toy = {"silent": toy_profile("never_answers", command=command)}
    async with open_session(tmp_path, chain(12), toy) as session:
        options = CheckOptions(timeout_s=await time_for_near_files(session))
        report = (await check_edits(session, [BREAKS], options)).report
    judged = {file.path for file in report.files if file.verdict != "unknown"}
    assert judged == {"lib.py", "direct0.py", "direct1.py"}
    assert report.verdict == "findings"
    assert report.late == {2: 12}


def test_of_a_whole_workspace_what_the_edit_does_not_affect_is_counted_apart() -> None:
    affected = Radius(frozenset({"a.py"}), {"b.py": 3}, {})
    whole = Radius(affected.changed, {"b.py": 3, "c.py": 4}, {}, affected=affected)
    reason = Reason("timeout", "late")
    files = [FileVerdict(f"{name}.py", "unknown", reason, ()) for name in "cba"]
    assert list(late(files, whole).items()) == [(0, 1), (3, 1), (None, 1)]
