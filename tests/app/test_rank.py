"""What a ranking is made of: what says the same, what runners print, who stands before whom."""

from __future__ import annotations

from itertools import permutations

import pytest

from understudy.app.rank.candidate import NOT_TESTED, RankedPatch, RunOfTests, ordered
from understudy.app.rank.test_reports import compared, read_report
from understudy.syntax.code_digest import GRAMMARS, code_digest
from understudy.syntax.grammars import language_of
from understudy.values.errors import BadInput

SAME = [
    (
        "python",
        'def f(x):\n    """Doc."""\n    # hi\n    return  x+1\n',
        "def f(x):\n\n    return x + 1  # o\n",
    ),
    ("python", '"""About."""\n\nimport os\n', "import os\n"),
    ("typescript", "const a = `x ${b} y`; // hi\n", "const a =\n  `x ${b} y`;\n"),
    (
        "go",
        "package a\n\n// F is.\nfunc F() int { return 1 }\n",
        "package a\nfunc F() int {\n\treturn 1\n}\n",
    ),
    ("rust", "fn f() -> i32 { 1 } // one\n", "fn f() -> i32 {\n    /* one */ 1\n}\n"),
    ("cpp", "int f() { return 1; } // one\n", "int f()\n{\n  return 1;\n}\n"),
]
OTHER = [
    ("python", "x = 1\n", "x = 1  # noqa\n"),
    ("python", "x = 1\n", "x = 1  # type: ignore\n"),
    ("python", "x = 'a  b'\n", "x = 'a b'\n"),
    ("python", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
    ("python", "def f():\n    'a'\n", "def f():\n    'b'\n"),
    ("python", 'def f():\n    """>>> f()"""\n    g()\n', "def f():\n    g()\n"),
    ("python", "x = 1\n", "x = 2\n"),
    ("javascript", "function f() { return\n1 }\n", "function f() { return 1 }\n"),
    ("javascript", "const r = /a b/;\n", "const r = /a  b/;\n"),
    ("typescript", "f(1);\n", "// @ts-expect-error\nf(1);\n"),
    ("tsx", "const a = <p>a b</p>;\n", "const a = <p>a  b</p>;\n"),
    ("go", "package a\n", "//go:build ignore\n\npackage a\n"),
    ("go", "package a\n\n// Output: 1\nvar E int\n", "package a\n\n// Output: 2\nvar E int\n"),
    ("rust", "/// Doc.\nfn f() {}\n", "fn f() {}\n"),
    ("c", "int x; /* NOLINT */\n", "int x;\n"),
]  # fmt: skip


@pytest.mark.parametrize(("grammar", "one", "other"), SAME)
def test_remarks_and_layout_are_no_code(grammar: str, one: str, other: str) -> None:
    digest = code_digest(grammar, one.encode())
    assert digest is not None
    assert digest == code_digest(grammar, other.encode())


@pytest.mark.parametrize(("grammar", "one", "other"), OTHER)
def test_all_else_is(grammar: str, one: str, other: str) -> None:
    digest = code_digest(grammar, one.encode())
    assert digest is not None
    assert digest != code_digest(grammar, other.encode())


def test_what_cannot_be_told_has_no_digest() -> None:
    assert code_digest("python", b"def f(:\n") is None
    assert code_digest("yaml", b"a: 1\n") is None
    assert code_digest("python", b"x = " + b"(" * 600 + b")" * 600) is None
    assert all(language_of(grammar) is not None for grammar in GRAMMARS)


PRINTED = {
    "pytest -rA": "PASSED t.py::a\nFAILED t.py::b[x - y] - assert 1\nERROR u.py - ImportError\n"
    "==== 1 failed, 1 passed, 1 error in 0.10s ====\n",
    "pytest -v": "t.py::a PASSED   [ 50%]\nt.py::b[x y] FAILED [100%]\nERROR u.py\n",
    "unittest -v": "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... FAIL\nERROR: u (x.y)\n",
    "go -v": "=== RUN   TestA\n--- PASS: TestA (0.00s)\n"
    "    --- FAIL: TestB/x (0.00s)\nFAIL\tp/q\t0.01s\n",
    "go -json": '{"Action":"pass","Package":"p","Test":"A"}\n'
    '{"Action":"fail","Package":"p","Test":"B"}\n{"Action":"fail","Package":"p","Test":"C"}\n'
    '{"Action":"fail","Package":"p"}\n',
    "cargo": "test m::a ... ok\ntest m::b ... FAILED\ntest c ... FAILED\n",
    "TAP": "TAP version 13\nok 1 - a\nnot ok 2 - b\nnot ok 3 - c # time=1ms\n1..3\n",
    "jest": "  \u2713 adds (2 ms)\n  \u2715 takes (1 ms)\n  \u00d7 counts 3ms\n",
}


@pytest.mark.parametrize("runner", PRINTED)
def test_what_runners_print(runner: str) -> None:
    report = read_report(PRINTED[runner].splitlines(keepends=True))
    assert (len(report.passed), len(report.failed)) == (1, 2), report


def test_broken_and_mended() -> None:
    before = read_report(["PASSED t::a", "PASSED t::b", "FAILED t::c", "PASSED u::d"])
    after = read_report(["PASSED t::a", "PASSED t::c", "FAILED t::new"])
    whole = compared(before, after, (1, 1))
    assert whole.broken == ("t::b", "t::new", "u::d")
    assert whole.mended == ("t::c",)
    assert compared(before, after, (1, 1), ["t"]).broken == ("t::b", "t::new")
    quiet = read_report(["3 passed in 0.1s"])
    assert compared(quiet, read_report(["2 passed in 0.1s"]), (0, 0)).broken == ("1 that are gone",)
    assert compared(quiet, read_report([]), (0, 4)).broken == ("exit status 4",)
    assert compared(read_report([]), read_report([]), (1, 0)).mended == ("exit status",)
    assert compared(read_report([]), read_report([]), (1, 1)).broken == ()


def test_the_order_does_not_depend_on_who_comes_first() -> None:
    def all_of() -> list[RankedPatch]:
        return [
            RankedPatch("best", tests=RunOfTests(mended=("t",), status=0), lines=9),
            RankedPatch("small", tests=RunOfTests(status=0), lines=1),
            RankedPatch("twin", same_as="small", sameness="text"),
            RankedPatch("idle", tests=NOT_TESTED, lines=1),
            RankedPatch("late", tests=RunOfTests(limit="time", status=-9), lines=1),
            RankedPatch("wrong", tests=RunOfTests(broken=("t",), status=1), lines=1),
            RankedPatch("alike", tests=RunOfTests(broken=("t",), status=1), lines=1),
            RankedPatch("stale", refused=BadInput("hunk-mismatch", "it fits nowhere")),
        ]

    expected = ["best", "small", "twin", "idle", "late", "alike", "wrong", "stale"]
    whys = None
    for order in list(permutations(range(8)))[::997]:
        candidates = all_of()
        rows = ordered([candidates[place] for place in order])
        assert [row.id for row in rows] == expected
        assert whys in (None, [row.why for row in rows])
        whys = [row.why for row in rows]
    assert whys == [
        "mends 1 test; the next 0",
        "mends 0 tests; the one above 1",
        "same text as small",
        "not tested: cannot win any more",
        "its tests did not end",
        "breaks 1 test; the one above 0",
        "equal to the one above in all that is compared; by name",
        "hunk-mismatch: it fits nowhere",
    ]
