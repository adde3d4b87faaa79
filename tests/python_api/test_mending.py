"""A check that mends, explains and says how it judged, over real language servers."""

from __future__ import annotations

from collections.abc import Awaitable
from pathlib import Path

import pytest

import understudy as u
from tests.e2e.command_line import SECONDS
from tests.e2e.folders import make_folder

SHOP = "def price(cents: int) -> str:\n    return str(cents)\n"
MESSY = (
    'import os\n\nfrom shop import price\n\nprint(f"a report")\nprint(price(len(json.dumps(1))))\n'
)
WRITE = {"kind": "write", "path": "report.py", "text": MESSY}
MENDED = (
    'import json\n\nfrom shop import price\n\nprint("a report")\nprint(price(len(json.dumps(1))))\n'
)
SAID = {"kind": "write", "path": "shop.py", "text": SHOP.replace("cents: int", "a: int, b: int")}


def test_a_check_explains_traces_and_mends(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"shop.py": SHOP})
    with u.Workspace(folder) as ws, ws.branch("report") as b:
        b.edit([WRITE])
        plain = b.check(severity="warning")
        assert (plain.mended, plain.trace, plain.introduced[0].explanation) == (None, None, None)
        told = b.check(severity="warning", explain=True, trace=True, timeout=SECONDS)
        assert (told.introduced, told.mended) == (plain.introduced, None)
        (unused,) = [one for one in told.introduced if one.code == "F401"]
        known = unused.explanation
        assert known is not None
        assert known.rule == "https://docs.astral.sh/ruff/rules/unused-import"
        assert [(one.helps, one.leaves) for one in known.fixes] == [(True, None)]
        trace = told.trace
        assert trace is not None
        assert (trace.edited, trace.json["subject"]) == (("report.py",), b.id)
        assert {one.name for one in trace.servers} == {"basedpyright", "ruff"}
        assert all(one.command and one.evidence for one in trace.servers)
        afters = [one for one in trace.answers if (one.path, one.side) == ("report.py", "after")]
        assert [(one.origin, one.reason) for one in afters] == [("branch", None)] * 2
        assert sum(one.findings or 0 for one in afters) == len(told.introduced)
        assert trace.text.startswith(f"findings of {b.id} in ")

        one = b.check(severity="warning", fix=True, only=["F541"]).mended
        assert one is not None
        assert [(fix.finding.code, fix.kept, fix.why) for fix in one.fixes] == [
            ("F541", True, None)
        ]
        assert '-print(f"a report")\n+print("a report")' in one.fixes_patch
        assert (one.patch, b.read("report.py")) == (b.diff(), MESSY.replace("(f", "("))

        rest = b.check(severity="warning", fix=True, until_clean=True)
        assert isinstance(rest, u.Clean)
        assert rest.mended is not None
        assert (rest.mended.ended, rest.mended.without_fix) == ("clean", 0)
        assert {fix.title for fix in rest.mended.fixes if fix.kept} >= {"import json"}
        assert b.read("report.py") == MENDED
        assert not (folder / "report.py").exists()


async def test_the_same_with_await_for_edits_that_no_branch_keeps(
    tmp_path: Path, state: Path
) -> None:
    bill = "from shop import price\n\nprint(price(100))\n"
    folder = make_folder(tmp_path / "work", {"shop.py": SHOP, "bill.py": bill})
    use = {"kind": "write", "path": "use.py", "text": 'print(f"used")\n'}
    async with u.AsyncWorkspace(folder) as ws:
        told = await ws.check([SAID, use], fix=True, explain=True, trace=True, timeout=SECONDS)
        assert isinstance(told, u.Findings)
        known = told.introduced[0].explanation
        assert known is not None
        assert known.unknown is None
        declared = u.CodeLine("shop.py", 1, "def price(a: int, b: int) -> str:")
        assert (known.declared, known.signature) == (declared, "(a: int, b: int) -> str")
        assert (known.chain, known.names) == (("shop.py", "bill.py"), ("price",))
        assert told.mended is not None
        assert '-print(f"used")\n+print("used")' in told.mended.fixes_patch
        assert told.mended.patch.endswith('@@ -0,0 +1 @@\n+print("used")\n')
        assert told.mended.patch.count("+++ ") == 2
        assert told.trace is not None
        assert told.trace.edited == ("shop.py", "use.py")
        assert told.trace.json["subject"] == "edits"
        assert await ws.branches() == ()


async def test_wishes_that_cannot_be(folder: Path) -> None:
    async with u.AsyncWorkspace(folder) as ws, ws.branch() as b:
        with pytest.raises(u.BadInput) as refused:
            await b.check(only=["F401"])
        assert (refused.value.code, refused.value.where) == ("bad-params", "fix")
        mistaken: tuple[tuple[str, Awaitable[object]], ...] = (
            ("only", b.check(fix=True, only="F401")),
            ("servers", b.check(servers="toy")),
            ("command", b.run("pytest -q")),
            ("task", b.map(task="a.txt")),
        )
        for field, asking in mistaken:
            with pytest.raises(u.BadInput) as refused:
                await asking
            assert (refused.value.code, refused.value.where) == ("bad-params", field)
