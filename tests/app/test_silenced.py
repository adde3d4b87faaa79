"""A finding that is silenced is not fixed, and every face says so first: real servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.servers import search_path
from tests.support.sessions import check_edits
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, checkpoint_side
from understudy.disk.layout import Layout
from understudy.faces.answers.agent_text import lint_text
from understudy.faces.answers.check import check_json
from understudy.faces.answers.report_github import check_github
from understudy.faces.answers.report_hook import check_hook
from understudy.faces.answers.report_sarif import check_sarif
from understudy.faces.answers.report_text import check_text
from understudy.values.findings import counts
from understudy.values.paths import Root
from understudy.workspace.branches.checked import Checked
from understudy.workspace.checkpoints import Checkpoints
from understudy.workspace.options import CheckOptions
from understudy.workspace.session import Session
from understudy.workspace.settings import Settings

pytestmark = pytest.mark.real

LIB = "def half(x: int) -> int:\n    return x // 2\n\n\ndef name() -> str:\n    return 'n'\n"
USE = "from lib import half, name\n\nhalf('a')\nhalf(name())\n"
PYTHON = {"lib.py": LIB, "use.py": USE}
UNUSED = {"a.py": "import os\nimport sys\n"}
RUFF = {**UNUSED, "ruff.toml": 'lint.select = ["F"]\n'}
TYPESCRIPT = {
    "a.ts": "export const n: number = 'a';\nexport const s: string = 1;\n",
    "package.json": "{}\n",
    "tsconfig.json": '{"compilerOptions": {"strict": true, "types": []}}\n',
}
WIDE = LIB.replace("x: int", "x: Any").replace("def half", "from typing import Any\n\ndef half")


@dataclass(frozen=True)
class Case:
    """An edit, and how many findings are silenced, by what, and how many are fixed."""

    judge: str
    files: Mapping[str, str]
    edit: Mapping[str, str]
    silenced: int
    hows: tuple[str, ...]
    fixed: int


CASES = [
    Case("basedpyright", PYTHON,
         {"use.py": USE.replace("half('a')", "half('a')  # pyright: ignore[reportArgumentType]")},
         1, ("comment",), 0),
    Case("basedpyright", PYTHON,
         {"use.py": USE.replace("half('a')", "half(1)")
          .replace("name())", "name())  # pyright: ignore[reportArgumentType]")},
         1, ("comment",), 1),
    Case("basedpyright", PYTHON, {"use.py": f"# pyright: reportArgumentType=false\n{USE}"}, 2,
         ("comment",), 0),
    Case("basedpyright", PYTHON, {"lib.py": WIDE}, 2, ("cast",), 0),
    Case("basedpyright", PYTHON,
         {"pyproject.toml": "[tool.basedpyright]\nreportArgumentType = false\n",
          "use.py": USE + "\n"}, 2, ("setting",), 0),
    Case("basedpyright",
         {"lib.py": "def names() -> list[str]:\n    return ['a']\n",
          "use.py": "from lib import names\n\nn: list[int] = names()\n"},
         {"lib.py": "from typing import Any\n\ndef names() -> list[Any]:\n    return ['a']\n"},
         1, ("cast",), 0),
    Case("basedpyright", PYTHON, {"use.py": USE.replace("'a'", "1")}, 0, (), 1),
    Case("basedpyright", PYTHON, {"use.py": USE.replace("half('a')\n", "")}, 0, (), 1),
    Case("basedpyright", PYTHON,
         {"use.py": USE.replace("half('a')", "half(1)  # noqa: E501")}, 0, ("comment",), 1),
    Case("ruff", RUFF, {"a.py": "import os  # noqa: F401\nimport sys\n"}, 1, ("comment",), 0),
    Case("ruff", RUFF, {"a.py": "import os  # noqa: E501\n"}, 0, ("comment",), 1),
    Case("ruff", RUFF,
         {"ruff.toml": 'lint.select = ["F"]\nlint.ignore = ["F401"]\n',
          "a.py": "\n" + RUFF["a.py"]}, 2, ("setting",), 0),
    Case("typescript-language-server", TYPESCRIPT,
         {"a.ts": "// @ts-expect-error\n" + TYPESCRIPT["a.ts"]}, 1, ("comment",), 0),
    Case("typescript-language-server", TYPESCRIPT,
         {"a.ts": TYPESCRIPT["a.ts"].replace("= 1", "= 1 as any")}, 1, ("cast",), 0),
    Case("typescript-language-server", TYPESCRIPT,
         {"a.ts": TYPESCRIPT["a.ts"].replace("= 1", "= 1 as never")}, 1, ("cast",), 0),
]  # fmt: skip


@asynccontextmanager
async def session_of(tmp_path: Path, files: Mapping[str, str]) -> AsyncIterator[Session]:
    folder = tmp_path / "project"
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    settings = Settings(server_path=tuple(search_path().split(":")))
    session = Session(
        Root.open(folder), settings, Layout(tmp_path / "state").create(), trusted=True
    )
    try:
        yield session
    finally:
        await session.close()


async def judged(session: Session, case: Case) -> Checked:
    edits = [{"kind": "write", "path": path, "text": text} for path, text in case.edit.items()]
    return await check_edits(session, edits, CheckOptions(servers=(case.judge,), timeout_s=240))


@pytest.mark.parametrize("case", CASES)
async def test_what_is_silenced_is_not_fixed(tmp_path: Path, case: Case) -> None:
    async with session_of(tmp_path, case.files) as session:
        checked = await judged(session, case)
    report = checked.report
    assert report.verdict == "clean", check_json(checked)
    mildest = "warning" if case.judge == "ruff" else "error"
    hidden = [f for one in report.silenced for f in one.findings if counts(f.severity, mildest)]
    fixed = [f for f in report.fixed if counts(f.severity, mildest)]
    assert (len(hidden), len(fixed)) == (case.silenced, case.fixed), check_json(checked)
    assert tuple(one.how for one in report.silenced) == case.hows


async def test_tests_that_no_runner_finds_any_more_are_told(tmp_path: Path) -> None:
    text = "def test_half():\n    assert 1\n"
    async with session_of(tmp_path, {**UNUSED, "test_a.py": text}) as session:
        edits = [{"kind": "rename", "path": "test_a.py", "to": "test_a.py.off"}]
        report = (await check_edits(session, edits, CheckOptions(servers=("ruff",)))).report
    (row,) = report.silenced
    assert (row.path, row.how, row.what) == (
        "test_a.py.off",
        "deleted-test",
        "1 test, with the file",
    )


async def test_every_face_says_it_first(tmp_path: Path) -> None:
    async with session_of(tmp_path, PYTHON) as session:
        checked = await judged(session, CASES[0])
    first = "clean, but 1 silenced: 0 introduced"
    row = "use.py:3: comment pyright: ignore[reportArgumentType] (1 finding gone with it)"
    told = lint_text(checked, None, "the folder")
    assert told.startswith(first)
    assert row in told
    assert told in check_hook(checked, "the folder").encode().decode("unicode_escape")
    lines = check_text(checked).splitlines()
    assert lines[:2] == ["silenced:", f"  {row}"]
    assert lines[-1].startswith(first)
    annotated = check_github(checked, tmp_path)
    assert "title=silenced (understudy)::comment pyright: ignore[reportArgumentType]" in annotated
    assert f"understudy: {first}" in annotated
    (run,) = check_sarif(checked, 0)["runs"]
    (result,) = run["results"]
    (suppression,) = result["suppressions"]
    assert (suppression["kind"], result["baselineState"]) == ("inSource", "absent")
    (notice,) = run["invocations"][0]["toolExecutionNotifications"]
    assert notice["descriptor"]["id"] == "silenced"


async def test_what_cannot_be_looked_through_is_told(tmp_path: Path) -> None:
    async with session_of(tmp_path, {**PYTHON, "c.h": "int x;\n"}) as session:
        checkpoint = await Checkpoints(session.covers).create(await session.fresh_base())
        (session.root.path / "c.h").write_bytes(b"\0\1\2" * 10)
        sides = checkpoint_side(checkpoint), base_side
        checked = await check(session, *sides, CheckOptions())
    (row,) = checked.report.silenced
    assert (row.path, row.how) == ("c.h", "unread")
    verdict = checked.report.verdict
    told = f"{verdict}, and 1 not looked through for silencing: 0 introduced"
    lines = check_text(checked).splitlines()
    assert lines[:2] == ["not known whether anything is silenced:", f"  c.h: {row.what}"]
    assert lines[-1].startswith(told)
    assert f"title=not looked through (understudy)::{row.what}" in check_github(checked, tmp_path)
    (run,) = check_sarif(checked, 0)["runs"]
    counted = run["properties"]["silenced"], run["properties"]["notLookedThrough"]
    assert counted == (0, 1), "a file that could not be looked through is no silencing"


async def test_a_text_that_no_parser_can_bear_is_told_in_time(tmp_path: Path) -> None:
    deep = "((([" * 60_000 + "\nx = 1  # noqa\n"
    async with session_of(tmp_path, UNUSED) as session:
        edits = [{"kind": "write", "path": "a.py", "text": deep}]
        options = CheckOptions(servers=("ruff",), timeout_s=60)
        report = (await asyncio.wait_for(check_edits(session, edits, options), 60)).report
    assert [one.how for one in report.silenced] in (["unread"], ["comment"])
