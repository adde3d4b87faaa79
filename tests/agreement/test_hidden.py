"""What a checker stops saying because something broke is hidden; what an edit mends is fixed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.agreement import rehearsals
from tests.support.hiding.model import HidingCase, HidingProject, Place
from tests.support.hiding.native_cases import NATIVE
from tests.support.hiding.python_cases import PYTHON
from tests.support.hiding.script_cases import SCRIPT
from understudy.faces.answers.agent_text import lint_text
from understudy.faces.answers.check import check_json
from understudy.faces.answers.report_github import check_github
from understudy.faces.answers.report_sarif import check_sarif
from understudy.faces.answers.report_text import check_text
from understudy.values.findings import Finding
from understudy.workspace.branches.checked import Checked

pytestmark = pytest.mark.real

PROJECTS = {**PYTHON, **SCRIPT, **NATIVE}
LEAST_BREAKS, LEAST_REPAIRS = 30, 15


def test_there_are_enough() -> None:
    cases = [case for project in PROJECTS.values() for case in project.cases]
    assert sum(not case.fixed for case in cases) >= LEAST_BREAKS
    assert sum(bool(case.fixed) for case in cases) >= LEAST_REPAIRS
    assert all(
        {bool(case.fixed) for case in one.cases} == {True, False} for one in PROJECTS.values()
    )


@pytest.mark.parametrize("server", PROJECTS)
async def test_nothing_is_fixed_that_is_only_hidden(tmp_path: Path, server: str) -> None:
    project = PROJECTS[server]
    folder = tmp_path / "project"
    for path, text in project.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    async with rehearsals(folder, tmp_path / "state", server) as live:
        for case in project.cases:
            branch = await live.session.branches.create(case.name)
            await live.edit(branch.id, project.as_edits(case))
            checked = await live.check(branch.id)
            report = checked.report
            hidden = places(one.finding for one in report.hidden)
            assert places(report.fixed) == case.fixed, (case.name, report.hidden)
            assert case.hidden <= hidden, (case.name, sorted(hidden))
            assert not case.fixed or not hidden, (case.name, report.hidden)
            assert_told(checked, folder)


async def test_both_scopes_say_that_the_same_is_hidden(tmp_path: Path) -> None:
    """gopls analyses no package with a type error: its untouched files have to be asked, too."""
    project = PROJECTS["gopls"]
    folder = tmp_path / "project"
    for path, text in project.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    async with rehearsals(folder, tmp_path / "state", "gopls") as live:
        for case in project.cases:
            branch = await live.session.branches.create(case.name)
            await live.edit(branch.id, project.as_edits(case))
            near = (await live.check(branch.id)).report
            whole = (await live.check(branch.id, "workspace")).report
            assert places(one.finding for one in near.hidden) == places(
                one.finding for one in whole.hidden
            ), case.name
            assert (near.introduced, near.fixed) == (whole.introduced, whole.fixed), case.name


async def test_both_scopes_tell_what_a_mended_error_hid(tmp_path: Path) -> None:
    """Files that no name leads to have their findings back; those for whom no room is, are told."""
    mends = {"p/other.go": ("return nothing", 'return ""')}
    files = dict(PROJECTS["gopls"].files)
    files["p/other.go"] = files["p/other.go"].replace('return ""', "return nothing")
    project = HidingProject(files, (HidingCase("a type", mends),))
    folder = tmp_path / "project"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    async with rehearsals(folder, tmp_path / "state", "gopls") as live:
        branch = await live.session.branches.create("a type")
        await live.edit(branch.id, project.as_edits(project.cases[0]))
        near = (await live.check(branch.id)).report
        whole = (await live.check(branch.id, "workspace")).report
        assert {"p/p.go", "p/p_test.go"} <= {one.path for one in near.introduced}
        assert (near.introduced, near.fixed) == (whole.introduced, whole.fixed)
        live.session.settings = replace(live.session.settings, max_files=2)
        near = (await live.check(branch.id)).report
        skipped = {one.path for one in near.files if one.reason and one.reason.code == "skipped"}
        told = {one.path for one in near.introduced}
        assert len(skipped - told) >= 2
        assert {one.path for one in whole.introduced} <= skipped | told


def assert_told(checked: Checked, folder: Path) -> None:
    """Every face tells how many are hidden, and by what."""
    hidden = checked.report.hidden
    told = f"{len(hidden)} hidden, "
    assert (told in check_text(checked)) == (told in lint_text(checked, None, "x")) == bool(hidden)
    as_json = check_json(checked)["hidden"]
    assert [one["by"]["path"] for one in as_json] == [one.by.path for one in hidden]
    assert [one["message"] for one in as_json] == [one.finding.message for one in hidden]
    assert ("hidden, not fixed: " in check_github(checked, folder)) == bool(hidden)
    (run,) = check_sarif(checked, 0)["runs"]
    results = [one for one in run["results"] if one.get("kind") == "open"]
    assert len(results) == len(hidden)
    assert not [one for one in results if "baselineState" in one or one["level"] != "none"]


def places(findings: Iterable[Finding]) -> set[Place]:
    return {(one.path, one.range.start.line + 1) for one in findings}
