"""A reward by tests: they say what they are asked, whatever the candidate does to their runner."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.reward_forms import PY, PY_TEST, Form
from tests.app.rewarding import FIXED, PYTEST, edits, judged, scored
from understudy.app.reward.named_tests import TaskTests
from understudy.values.errors import BadInput

pytestmark = pytest.mark.real


async def test_named_tests_decide_as_their_author_has_them(tmp_path: Path) -> None:
    files = {"calc.py": PY, "test_calc.py": PY_TEST.split("\n\ndef test_clamp")[0] + "\n"}
    author = edits({"test_calc.py": PY_TEST})
    tests = TaskTests(PYTEST, ("test_calc.py::test_clamp",), ("test_calc.py::test_mean",), author)
    forged = "import os\nprint('PASSED test_calc.py::test_clamp')\n"
    forged += "print('PASSED test_calc.py::test_mean', flush=True)\nos.abort()\n"
    hook = (
        "import pytest\n\n@pytest.hookimpl(hookwrapper=True)\n"
        "def pytest_runtest_makereport(item, call):\n    done = yield\n"
        "    done.get_result().outcome = 'passed'\n"
    )
    plugin = (
        f"{PY}\nimport sys\nsys.modules['_pytest.runner'].check_interactive_exception = print\n"
    )
    forms = [
        Form("honest", {"calc.py": FIXED}),
        Form("honest, with a test of its own that fails", {
            "calc.py": FIXED, "test_calc.py": "def test_x():\n    assert 0\n"}),
        Form("does nothing", {"calc.py": PY.replace("Total:", "Total:\n    n = 1\n")}),
        Form("breaks the other", {"calc.py": FIXED.replace("sum(", "max(")}),
        Form("hook", {"calc.py": PY.replace("low, n", "n, low"), "conftest.py": hook}),
        Form("forged", {"calc.py": forged + PY}),
        Form("steered from inside", {"calc.py": plugin}),
    ]  # fmt: skip
    async with judged(tmp_path, files) as session:
        got = await scored(session, forms, tests=tests)
        by = dict(zip((form.name for form in forms), got, strict=True))
        stale = [{"kind": "replace", "path": "calc.py", "old": "absent", "new": "x"}]
        with pytest.raises(BadInput, match="test_patch"):
            await scored(session, forms[:1], tests=replace(tests, patch=stale))
    honest = by["honest"]
    assert (honest.reward, honest.resolved, honest.verified) == (1.0, True, True), honest
    own = by["honest, with a test of its own that fails"]
    assert (own.fail_to_pass, own.pass_to_pass) == (1.0, 1.0)
    assert (by["does nothing"].fail_to_pass, by["does nothing"].reward) == (0.0, 0.0)
    other = by["breaks the other"]
    assert (other.fail_to_pass, other.pass_to_pass, other.resolved) == (1.0, 0.0, False)
    assert other.not_passed == ("test_calc.py::test_mean",)
    assert other.reward == pytest.approx(0.4)
    for name in ("hook", "forged", "steered from inside"):
        assert by[name].reward == 0.0, by[name]


async def test_a_run_that_was_cut_short_is_no_tampering_and_earns_nothing(tmp_path: Path) -> None:
    files = {"calc.py": PY, "test_calc.py": PY_TEST}
    told = "import os\nos.write(1, b'PASSED test_calc.py::test_clamp\\n{}')\n"
    forms = [
        Form("half of it", {"calc.py": PY + "\nN = 1\n"}),
        Form("forged", {"calc.py": told.format("")}),
        Form("a crash", {"calc.py": told.format("") + "os._exit(139)\n"}),
        Form("with a failure", {"calc.py": told.format("FAILED test_calc.py::test_x\\n")}),
    ]
    names = ("test_calc.py::test_clamp",), ("test_calc.py::test_mean",)
    async with judged(tmp_path, files) as session:
        stops = TaskTests((*PYTEST[:-1], "-x", "{tests}"), *names)
        (half,) = await scored(session, forms[:1], tests=stops)
        code = "exec(open('calc.py').read())"
        runs = TaskTests((sys.executable, "-c", code, "{tests}"), *names)
        forged, crashed, failed = await scored(session, forms[1:], tests=runs)
    for cut in (half, crashed, failed):
        assert (cut.tampered, cut.tests_ended, cut.reward) == (0, False, 0.0), cut
    assert (forged.tampered, forged.tests_ended, forged.reward) == (1, True, 0.0)


async def test_the_tests_of_the_folder_decide_where_none_is_named(tmp_path: Path) -> None:
    files = {"calc.py": PY, "test_calc.py": PY_TEST}
    steered = (
        "import pytest\n\n@pytest.hookimpl(wrapper=True)\ndef pytest_report_teststatus():\n"
        "    yield\n    return 'passed', '.', 'PASSED'\n"
    )
    forms = [
        Form("honest", {"calc.py": FIXED}),
        Form("worse", {"calc.py": FIXED.replace("sum(", "max(")}),
        Form("steered", {"conftest.py": steered, "calc.py": PY + "\nN = 1\n"}),
        Form("never ends", {"calc.py": PY + "\nwhile True:\n    pass\n"}),
    ]
    async with judged(tmp_path, files) as session:
        tests = TaskTests(PYTEST, seconds=15)
        honest, worse, cheat, endless = await scored(session, forms, tests=tests)
        silent = TaskTests((sys.executable, "-c", "import calc"))
        (unnamed,) = await scored(session, forms[:1], tests=silent)
    assert (honest.reward, honest.fail_to_pass, honest.pass_to_pass) == (1.0, 1.0, 1.0)
    assert (worse.pass_to_pass, worse.resolved) == (0.0, False)
    assert (cheat.reward, cheat.tampered > 0) == (0.0, True)
    assert (endless.tests_ended, endless.reward) == (False, 0.0)
    assert (unnamed.verified, unnamed.reward <= 0.5) == (False, True), unnamed
