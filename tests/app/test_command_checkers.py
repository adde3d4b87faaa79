"""Checking commands on a stage: the real tools against their own cold command line."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.burners import burners
from tests.support.command_projects import PROJECTS, CommandProject, Files
from tests.support.servers import environment, search_path
from tests.support.sessions import check_edits, open_session
from tests.support.workspace import state_of
from understudy.faces.answers.check import check_json
from understudy.faces.answers.report_text import check_text
from understudy.process.core_times import is_machine_busy
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session

CASES = [(name, edit) for name, project in PROJECTS.items() for edit in project.edits]


@asynccontextmanager
async def session_of(tmp_path: Path, project: CommandProject) -> AsyncIterator[Session]:
    files = {path: text for path, text in project.files.items() if text is not None}
    path = tuple(search_path().split(":"))
    async with open_session(tmp_path, files, {}, server_path=path) as session:
        yield session


def as_edits(edit: Files) -> list[dict[str, Any]]:
    return [
        {"kind": "delete", "path": path}
        if text is None
        else {"kind": "write", "path": path, "text": text}
        for path, text in edit.items()
    ]


async def judged(session: Session, project: CommandProject, edit: Files, **more: Any) -> Checked:
    more.setdefault("timeout_s", 240)
    options = CheckOptions(servers=(project.checker,), severity="warning", **more)
    return await check_edits(session, as_edits(edit), options)


@pytest.mark.parametrize("name", PROJECTS)
async def test_as_its_cold_command_line(tmp_path: Path, name: str):
    """Every edit, one after the other on one stage; the user's folder stays as it is."""
    project = PROJECTS[name]
    async with session_of(tmp_path, project) as session:
        folder = session.root.path
        if name == "cargo-check":
            build(folder, "check", "--workspace", "--all-targets")
        untouched = state_of(folder)
        for edit, files in project.edits.items():
            truth = project.truth(tmp_path / "truth" / edit.replace(" ", "-"), files)
            if edit == next(iter(project.edits)):  # nothing is known of either side yet
                await assert_one_run_a_side(session, project, files, truth)
            report = (await judged(session, project, files)).report
            found = {(f.path, f.range.start.line + 1) for f in report.introduced}
            assert found == {(path, line) for path, line, _ in truth}, edit
            reasons = {file.path: file.reason for file in report.files if file.reason}
            if truth:
                assert report.verdict == "findings", edit
            elif edit == "configuration":
                assert report.verdict == "unknown", "cargo refuses the manifest itself"
            else:
                assert (report.verdict, reasons) == ("clean", {}), edit
        assert state_of(folder) == untouched


async def assert_one_run_a_side(
    session: Session, project: CommandProject, edit: Files, truth: Iterable[tuple[str, int, str]]
) -> None:
    """The whole workspace, however many files it has, is one question to a command."""
    said: list[str] = []
    options = CheckOptions(
        scope="workspace", servers=(project.checker,), severity="warning", timeout_s=240
    )

    def progress(text: str, _done: int, _total: int) -> None:
        said.append(text)

    report = (await check_edits(session, as_edits(edit), options, progress)).report
    assert [text for text in said if "running" in text] == [f"{project.checker}: running in ."] * 2
    assert report.affected_files is not None
    assert len(report.files) > report.affected_files
    assert {f.path for f in report.introduced} == {path for path, _, _ in truth}


def build(folder: Path, *arguments: str) -> None:
    """Make the user's own build products."""
    command = ["cargo", *arguments, "--offline", "-q"]
    subprocess.run(command, cwd=folder, env=environment(), timeout=240, check=True)


async def test_projects_that_depend_on_each_other_without_a_workspace(tmp_path: Path):
    """What macros make no index knows, so every project is looked at."""
    manifest = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
    files = {
        "a/Cargo.toml": manifest.format("a"),
        "a/src/lib.rs": "pub fn f(x: i32) -> i32 {\n    x\n}\n",
        "b/Cargo.toml": manifest.format("b") + '[dependencies]\na = { path = "../a" }\n',
        "b/src/lib.rs": "pub fn g() -> i32 {\n    a::f(1)\n}\n",
    }
    project = PROJECTS["cargo-check"]
    async with open_session(tmp_path, files, {}) as session:
        edit = {"a/src/lib.rs": "pub fn f(x: i32) -> bool {\n    x > 0\n}\n"}
        report = (await judged(session, project, edit)).report
        places = {(finding.path, finding.range.start.line) for finding in report.introduced}
        assert places == {("b/src/lib.rs", 1)}
        (session.root.path / "b/Cargo.toml").write_text("not a manifest")
        report = (await judged(session, project, edit)).report
        assert report.verdict == "unknown"
        assert [file.path for file in report.files if file.verdict == "unknown"] == ["b/src/lib.rs"]


async def test_what_nothing_leads_to_is_not_clean(tmp_path: Path):
    project = PROJECTS["cargo-check"]
    async with session_of(tmp_path, project) as session:
        report = (await judged(session, project, {"one/src/lost.rs": "fn f() {}\n"})).report
        (file,) = report.files
        assert (file.path, file.verdict) == ("one/src/lost.rs", "unknown")
        assert file.reason is not None
        assert "did not look at it" in file.reason.text


async def test_no_project_above(tmp_path: Path):
    project = PROJECTS["cargo-check"]
    async with open_session(tmp_path, {"a.rs": "fn a() {}\n"}, {}) as session:
        report = (await judged(session, project, {"a.rs": "fn b() {}\n"})).report
        (file,) = report.files
        assert file.reason is not None
        assert "needs a Cargo.toml" in file.reason.text


async def test_it_needs_trust(tmp_path: Path):
    project = PROJECTS["cargo-check"]
    async with session_of(tmp_path, project) as session:
        session.trusted = False
        session._choose_servers()
        report = (await judged(session, project, project.edits["own"])).report
        assert {file.reason.code for file in report.files if file.reason} == {"untrusted"}


FINDING = r"(?P<path>[^:]+):(?P<line>\d+): (?P<severity>\w+): (?P<message>.*)"
COVERS = r"looked at (?P<path>.*)"
GOOD = "for p in paths: print('looked at', p)\n"


def toy(script: str, **checker: Any) -> dict[str, dict[str, Any]]:
    """A profile of a small real program that judges `*.txt`; it lies in the project."""
    table = {
        "output": "pattern", "ran": [0, 1], "coverage": "output", "run_in": "root",
        "patterns": {"finding": FINDING, "covers": COVERS}, **checker,
    }  # fmt: skip
    return {
        "toy": {
            "group": "toy",
            "command": [sys.executable, "-S", "toy.py"],
            "files": {"*.txt": "plaintext"},
            "rule": "command",
            "scope": "project",
            "install": "it is here",
            "checker": table,
        }
    }


@asynccontextmanager
async def toy_session(tmp_path: Path, script: str, **checker: Any) -> AsyncIterator[Session]:
    """A session whose only judge runs `script`, which has the texts' paths in `paths`."""
    head = "import glob, os, sys, time\npaths = sorted(glob.glob('*.txt'))\n"
    files = {"toy.py": head + script, "a.txt": "fine\n", "b.txt": "fine\n"}
    async with open_session(tmp_path, files, toy(script, **checker)) as session:
        yield session


FIND = """for p in paths:
    for n, line in enumerate(open(p), 1):
        if 'BAD' in line: print(f'{p}:{n}: error: {line.strip()}')
"""


async def test_a_profile_of_the_users_own(tmp_path: Path):
    async with toy_session(tmp_path, FIND + GOOD) as session:
        bad = [{"kind": "write", "path": "a.txt", "text": "fine\nBAD\n"}]
        report = (await check_edits(session, bad)).report
        (finding,) = report.introduced
        assert (finding.path, finding.range.start.line, finding.message) == ("a.txt", 1, "BAD")
        good = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        assert (await check_edits(session, good)).report.verdict == "clean"


async def test_it_finds_what_nobody_asked_about(tmp_path: Path):
    """The command sees the whole project: what an edit breaks elsewhere is told, too."""
    script = (
        """if 'other' in open('a.txt').read(): print('b.txt:1: error: broken by a')
"""
        + GOOD
    )
    async with toy_session(tmp_path, script) as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "other\n"}]
        report = (await check_edits(session, edit)).report
        assert [finding.path for finding in report.introduced] == ["b.txt"]
        alone = CheckOptions(scope="edited")
        assert (await check_edits(session, edit, alone)).report.introduced == ()


MISBEHAVING = [
    ("sys.exit(3)\n", "crashed", {}),
    (GOOD + "sys.exit(3)\n", "crashed", {}),
    ("os.kill(os.getpid(), 9)\n", "crashed", {}),
    ("os.abort()\n", "crashed", {}),
    ("", "unproven", {}),
    ("print('looked at', paths[1])\n", "unproven", {}),
    ("print('Traceback: what?')\n" + GOOD, "unproven", {}),
    (GOOD + "print('half a lin', end='')\n", "unproven", {}),
    (GOOD + "print('trouble', file=sys.stderr)\n", "unproven", {}),
    ("print('a.txt:1: grave: x')\n" + GOOD, "unproven", {}),
    ("time.sleep(600)\n", "timeout", {}),
    (GOOD + "sys.stdout.flush()\ntime.sleep(600)\n", "timeout", {}),
    ("while True: print('looked at', paths[0] * 1000)\n", "timeout unproven", {}),
    (GOOD + "sys.stdout.buffer.write(b'\\xff\\0\\n')\n", "unproven", {}),
    (GOOD + "sys.exit(2)\n", "unproven", {"halted": [2]}),
]


@pytest.mark.parametrize(("script", "codes", "checker"), MISBEHAVING)
async def test_a_command_that_misbehaves_never_says_clean(
    tmp_path: Path, script: str, codes: str, checker: dict[str, Any]
):
    async with toy_session(tmp_path, script, **checker) as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        limit = 3.0 if "timeout" in codes else 60.0
        report = (await check_edits(session, edit, CheckOptions(timeout_s=limit))).report
        assert report.verdict == "unknown", report
        (reason,) = {file.reason.code for file in report.files if file.reason}
        assert reason in codes.split()


async def test_one_that_is_late_on_a_busy_machine_says_so_with_figures(tmp_path: Path):
    async with toy_session(tmp_path, "time.sleep(600)\n") as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        with burners(4 * (os.cpu_count() or 1)):
            await until(is_machine_busy)
            report = (await check_edits(session, edit, CheckOptions(timeout_s=6.0))).report
        (reason,) = {file.reason.text for file in report.files if file.reason}
        assert re.search(r"; the machine was busy: load [\d.]+ on \d+ cores", reason), reason


async def until(is_so: Callable[[], bool]) -> None:
    limit = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < limit
        await asyncio.sleep(0)


async def test_halted_says_what_it_found_and_no_more(tmp_path: Path):
    script = FIND + "sys.exit(2)\n"
    async with toy_session(tmp_path, script, halted=[2]) as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "BAD\n"}]
        report = (await check_edits(session, edit)).report
        assert report.verdict == "unknown", "before is not known either"
        assert [finding.path for finding in report.unattributed] == ["a.txt"]


async def test_findings_outside_the_root_are_counted_and_shown(tmp_path: Path):
    """Also in a file that is not there; those that were there before hinder nothing."""
    outside = "print('/usr/lib/x.txt:1: error: not ours')\nprint('../y.txt:2: warning: nor this')\n"
    script = outside + "if 'break' in open('a.txt').read(): print('../y.txt:1: error: broken')\n"
    (tmp_path / "y.txt").write_text("one\ntwo\n")
    async with toy_session(tmp_path, script + GOOD) as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        report = (await check_edits(session, edit)).report
        assert (report.verdict, report.remaining) == ("clean", 2)
        edit = [{"kind": "write", "path": "a.txt", "text": "break\n"}]
        for scope in ("affected", "edited"):
            checked = await check_edits(session, edit, CheckOptions(scope=scope))
            (finding,) = checked.report.introduced
            assert (finding.path, finding.range.start.line) == ("../y.txt", 0)
            assert (checked.report.verdict, checked.report.remaining) == ("findings", 2)
            assert "../y.txt:1:1: error broken (toy)" in check_text(checked)
            assert check_json(checked)["introduced"][0]["path"] == "../y.txt"


async def test_what_it_writes_stays_on_the_stage(tmp_path: Path):
    script = "open('made', 'w').write('x')\nos.remove('b.txt')\nopen('a.txt', 'a').write('BAD')\n"
    async with toy_session(tmp_path, script + GOOD) as session:
        before = state_of(session.root.path)
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        await check_edits(session, edit)
        assert state_of(session.root.path) == before


async def test_checks_at_once_do_not_mix(tmp_path: Path):
    """Each of 8 branches has an error of its own, on one stage."""
    async with toy_session(tmp_path, FIND + GOOD) as session:
        edits = [[{"kind": "write", "path": "a.txt", "text": f"BAD {n}\n"}] for n in range(8)]
        found = await asyncio.gather(*(check_edits(session, edit) for edit in edits))
        assert [[f.message for f in checked.report.introduced] for checked in found] == [
            [f"BAD {n}"] for n in range(8)
        ]


async def test_the_users_own_changes_are_seen(tmp_path: Path):
    async with toy_session(tmp_path, FIND + GOOD) as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        assert (await check_edits(session, edit)).report.verdict == "clean"
        (session.root.path / "b.txt").write_text("BAD of the user\n")
        (session.root.path / "c.txt").write_text("BAD and new\n")
        report = (await check_edits(session, edit)).report
        assert (report.verdict, report.remaining) == ("clean", 2)
        edit = [{"kind": "write", "path": "b.txt", "text": "good\n"}]
        report = (await check_edits(session, edit)).report
        assert [finding.message for finding in report.fixed] == ["BAD of the user"]


async def test_a_cancelled_check_leaves_a_clean_stage(tmp_path: Path):
    script = "if 'slow' in open('a.txt').read(): time.sleep(600)\n" + FIND + GOOD
    async with toy_session(tmp_path, script) as session:
        slow = [{"kind": "write", "path": "a.txt", "text": "slow BAD\n"}]
        running = asyncio.Event()
        task = asyncio.ensure_future(
            check_edits(
                session, slow, progress=lambda text, *_: "running" in text and running.set()
            )
        )
        await asyncio.wait_for(running.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        good = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        assert (await check_edits(session, good)).report.verdict == "clean"


async def test_what_turns_into_no_text_on_disk(tmp_path: Path):
    """A file that was written on the stage once, and is binary by now, is not shown stale."""
    script = (
        "for p in paths: print('a.txt:1: error: text') if b'BAD' in open(p, 'rb').read() else 0\n"
    )
    async with toy_session(tmp_path, script + GOOD) as session:
        edit = [{"kind": "write", "path": "b.txt", "text": "BAD\n"}]
        assert (await check_edits(session, edit)).report.verdict == "findings"
        (session.root.path / "b.txt").write_bytes(b"\0fine")
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        report = (await check_edits(session, edit)).report
        assert (report.verdict, report.introduced) == ("clean", ())


async def test_a_turn_that_does_not_come(tmp_path: Path):
    async with toy_session(tmp_path, GOOD) as session:
        (choice,) = session.servers.choose("a.txt")
        assert choice.spec is not None
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        async with session.commands.stage(choice.spec).turn(time.monotonic() + 60) as is_ours:
            assert is_ours
            report = (await check_edits(session, edit, CheckOptions(timeout_s=0.5))).report
        (reason,) = {file.reason.code for file in report.files if file.reason}
        assert (report.verdict, reason) == ("unknown", "timeout")
        assert (await check_edits(session, edit)).report.verdict == "clean"
