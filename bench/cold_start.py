"""The first answer on a project of more than 100,000 lines, from a cold start, and the second.

The edit renames a function of django's that two other modules import, and adds an error of its
own: all must be found, in the edited file and in the untouched ones, and nothing elsewhere.
"""

from __future__ import annotations

import asyncio
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

from bench.marks import marked, markers
from bench.report import Figure, Setup
from bench.sources import django
from tests.support.agreement import Rehearsals, rehearsals
from understudy.values.findings import Finding

SERVERS = ("basedpyright", "pyright", "ty", "ruff")
MIN_LINES = 100_000
EDITED = "django/utils/lorem_ipsum.py"
IMPORTERS = {"django/template/defaulttags.py", "tests/utils_tests/test_lorem_ipsum.py"}
OLD, NEW = "def words(", "def some_words("


async def run(setup: Setup) -> list[Figure]:
    """One figure a Python server; times for the report, no bar but that the answer is right."""
    root = await asyncio.to_thread(shutil.copytree, django(), setup.folder / "django")
    n_lines = await asyncio.to_thread(_n_lines, Path(root))
    assert n_lines >= MIN_LINES, n_lines
    asked = [server for server in SERVERS if server in setup.servers]
    return [await _of_server(setup, server, Path(root), n_lines) for server in asked]


async def _of_server(setup: Setup, server: str, root: Path, n_lines: int) -> Figure:
    text = (root / EDITED).read_text().replace(OLD, NEW)
    state = setup.folder / f"state-{server}"
    began = time.perf_counter()
    async with rehearsals(root, state, server) as live:
        cold, cold_wrong = await _answer(live, text, "cold", began)
        warm, warm_wrong = await _answer(live, text, "warm", time.perf_counter())
    wrong = [*cold_wrong, *warm_wrong]
    for line in wrong:
        setup.say(f"{server}: {line}")
    return Figure(
        "cold_start", server,
        f"{cold:.1f} s cold, {warm:.1f} s warm", f"django, {n_lines} lines",
        bar="right",
        ok=not wrong,
        data={"cold_s": cold, "warm_s": warm, "lines": n_lines, "wrong": wrong},
    )  # fmt: skip


async def _answer(
    live: Rehearsals, text: str, name: str, began: float
) -> tuple[float, Sequence[str]]:
    """Seconds since `began`, and what is wrong with the answer."""
    new, marker = marked("python", text, name)
    branch = (await live.session.branches.create(name)).id
    await live.edit(branch, [{"kind": "write", "path": EDITED, "text": new}])
    report = (await live.check(branch)).report
    elapsed = time.perf_counter() - began
    wrong: list[str] = []
    if report.verdict != "findings":
        wrong.append(f"the verdict is {report.verdict}: {[str(f.reason) for f in report.files]}")
    if marker not in markers(_of(report.introduced, EDITED)):
        wrong.append(f"{marker} was not found in {EDITED}")
    expected = {EDITED} if live.server == "ruff" else {EDITED, *IMPORTERS}
    found = {finding.path for finding in report.introduced}
    if found != expected:
        wrong.append(f"found in {sorted(found)}, not in {sorted(expected)}")
    return elapsed, wrong


def _of(findings: Sequence[Finding], path: str) -> list[Finding]:
    return [finding for finding in findings if finding.path == path]


def _n_lines(root: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in root.rglob("*.py"))
