"""Checking commands that tell a changed file by its time alone are never led into an old answer."""

from __future__ import annotations

import os
from pathlib import Path

from tests.app.test_command_checkers import (
    FIND,
    GOOD,
    build,
    session_of,
    toy_session,
)
from tests.support.command_projects import PROJECTS
from tests.support.repositories import GitRepository
from tests.support.sessions import check_edits
from understudy.app.check.check import check
from understudy.workspace.options import CheckOptions
from understudy.workspace.revisions.sides import revision_sides

BY_TIME = """import json
known = json.load(open('cache')) if os.path.exists('cache') else {}
for p in paths:
    mark = [int(os.stat(p).st_mtime), os.stat(p).st_size]
    if known.get(p, [None])[0] != mark: known[p] = [mark, open(p).read()]
    for n, line in enumerate(known[p][1].splitlines(), 1):
        if 'BAD' in line: print(f'{p}:{n}: error: {line}')
json.dump(known, open('cache', 'w'))
"""
"""A file of the same second and size is taken for the one that it was."""


async def test_edits_of_one_size_within_a_second(tmp_path: Path):
    async with toy_session(tmp_path, BY_TIME + GOOD) as session:
        for text, verdict in [("GOOD\n", "clean"), ("BAD!\n", "findings")] * 4:
            edit = [{"kind": "write", "path": "a.txt", "text": text}]
            assert (await check_edits(session, edit)).report.verdict == verdict


async def test_the_users_file_of_the_same_time_and_size(tmp_path: Path):
    async with toy_session(tmp_path, BY_TIME + GOOD) as session:
        edit = [{"kind": "write", "path": "a.txt", "text": "good\n"}]
        assert (await check_edits(session, edit)).report.remaining == 0
        file = session.root.path / "b.txt"
        was = file.stat()
        file.write_text("BAD!\n")
        os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
        assert (await check_edits(session, edit)).report.remaining == 1


async def test_cargo_and_a_file_that_is_older_than_the_build(tmp_path: Path):
    """Moved into place with its old time, it looks built already."""
    project = PROJECTS["cargo-check"]
    async with session_of(tmp_path, project) as session:
        folder = session.root.path
        (folder / ".gitignore").write_text("target\n")
        GitRepository(folder).commit()
        build(folder, "check", "--workspace", "--all-targets")
        file = folder / "one/src/a.rs"
        old = file.stat().st_mtime - 3600
        file.write_text("pub fn same(x: i32) -> i32 {\n    true\n}\n")
        os.utime(file, (old, old))
        build(folder, "check", "--workspace", "--all-targets")  # cargo itself sees no change
        sides = await revision_sides(session, "HEAD")
        options = CheckOptions(servers=("cargo-check",), timeout_s=240)
        report = (await check(session, sides.before, sides.after, options)).report
        assert [finding.path for finding in report.introduced] == ["one/src/a.rs"]


LEAVES_ONE = """if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(600)
    os._exit(0)
os.wait()
"""


async def test_a_command_that_leaves_a_writer_behind(tmp_path: Path):
    """Whoever still holds the output might have said more."""
    async with toy_session(tmp_path, GOOD + FIND + "sys.stdout.flush()\n" + LEAVES_ONE) as session:
        for text in ("good\n", "better\n"):
            edit = [{"kind": "write", "path": "a.txt", "text": text}]
            assert (await check_edits(session, edit)).report.verdict == "unknown"
