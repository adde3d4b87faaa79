"""What is read out of real outputs of the commands, and what is not taken for silence."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from understudy.checkers.evidence import CheckerEvidence
from understudy.checkers.go_vet import read_go_list, read_go_vet, spread
from understudy.checkers.model import Listing, OutputReading, Patterns, Stop
from understudy.checkers.mypy import blocker, read_mypy
from understudy.checkers.patterns import read_lines
from understudy.checkers.profile import parse_checker
from understudy.langserver.catalogue import Catalogue
from understudy.values.errors import BadInput
from understudy.values.findings import Finding
from understudy.values.positions import Position, Range
from understudy.values.verdicts import Reason


def seen(reading: OutputReading) -> list[tuple[Any, ...]]:
    return [(r.path, r.start, r.severity, r.code, r.message) for r in reading.remarks]


def tsc_patterns() -> Patterns:
    profile = Catalogue.load().named("tsc")
    assert profile is not None
    assert profile.checker is not None
    assert profile.checker.patterns is not None
    return profile.checker.patterns


TSC = """src/b.ts(2,14): error TS2322: Type 'number' is not assignable to type 'string'.
src/odd (1).ts(3,7): error TS2322: Type '{ p: 1; }' is not assignable to type '{ p: ""; }'.
  The types of 'p' are incompatible between these types.
    Type 'number' is not assignable to type 'string'.
/usr/lib/node_modules/typescript/lib/lib.es5.d.ts
/srv/p/src/b.ts
"""


def test_tsc() -> None:
    reading = read_lines(TSC, tsc_patterns())
    assert reading.unread == ()
    assert seen(reading) == [
        ("src/b.ts", (1, 13), "error", "TS2322",
         "Type 'number' is not assignable to type 'string'."),
        ("src/odd (1).ts", (2, 6), "error", "TS2322",
         ("Type '{ p: 1; }' is not assignable to type '{ p: \"\"; }'.\n"
         "The types of 'p' are incompatible between these types.\n"
         "Type 'number' is not assignable to type 'string'.")),
    ]  # fmt: skip
    assert reading.covered == {
        "/usr/lib/node_modules/typescript/lib/lib.es5.d.ts", "/srv/p/src/b.ts",
    }  # fmt: skip
    assert reading.stops == ()


STOPPING = [
    "src/a.ts(1,5): error TS1005: ';' expected.",
    "tsconfig.json(2,3): error TS5023: Unknown compiler option 'nope'.",
    "error TS18003: No inputs were found in config file 'tsconfig.json'.",
    "error TS2318: Cannot find global type 'Array'.",
]


@pytest.mark.parametrize("line", STOPPING)
def test_errors_that_keep_tsc_from_looking_for_others(line: str) -> None:
    (stop,) = read_lines(line, tsc_patterns()).stops
    assert stop.folder == ""


def test_a_stop_of_tsc_has_its_details() -> None:
    text = "error TS2688: Cannot find type definition file for 'x'.\n  The file is in the program\n"
    reading = read_lines(text, tsc_patterns())
    assert reading.unread == ()
    (stop,) = reading.stops
    assert stop.why.endswith("file for 'x'. | The file is in the program")


@pytest.mark.parametrize(("seconds", "n_stops"), [("0.418s", 0), ("3.71s", 0), ("0.00s", 1)])
def test_a_time_of_checking_says_that_nothing_kept_tsc_from_it(seconds: str, n_stops: int) -> None:
    """None, or none that can be told from it, says nothing."""
    times = (
        f"Lines of JSON:    0\nMemory used: 64713K\nI/O Read time: 0.02s\nCheck time:  {seconds}"
    )
    reading = read_lines(f"{STOPPING[0]}\n{times}\n", tsc_patterns())
    assert (len(reading.stops), reading.unread) == (n_stops, ())
    for line in STOPPING[1:]:
        assert read_lines(f"{line}\n{times}\n", tsc_patterns()).stops, "of its configuration"


UNREAD = ["Segmentation fault", "src/a.ts: something", "Usage: tsc [options]", "  indented first"]


@pytest.mark.parametrize("line", UNREAD)
def test_a_line_that_fits_nothing_is_not_silence(line: str) -> None:
    assert read_lines(f"{line}\n/p/a.ts\n", tsc_patterns()).unread == (line,)


def test_the_words_of_a_profile() -> None:
    patterns = Patterns(
        re.compile(r"(?P<severity>\w+) (?P<path>\S+) (?P<line>\w+) (?P<message>.*)"),
        severities={"convention": "hint"},
    )
    reading = read_lines("convention a 3 x\nfatal b 1 y\nodd c 1 z\nerror d one w\n", patterns)
    assert [(r.path, r.severity, r.start) for r in reading.remarks] == [
        ("a", "hint", (2, 0)), ("b", "error", (0, 0)),
    ]  # fmt: skip
    assert reading.unread == ("odd c 1 z", "error d one w")


MYPY = {
    "file": "a.py", "line": 2, "column": 11, "end_line": 2, "end_column": 12,
    "message": "Incompatible return value type", "hint": None, "code": "return-value",
    "severity": "error",
}  # fmt: skip


def test_mypy() -> None:
    text = "\n".join(json.dumps({**MYPY, **change}) for change in (
        {}, {"hint": "Try this"}, {"severity": "note", "code": None}, {"column": -1, "line": -1},
    ))  # fmt: skip
    reading = read_mypy(text, "")
    assert reading.unread == ()
    message = "Incompatible return value type"
    assert seen(reading) == [
        ("a.py", (1, 11), "error", "return-value", message),
        ("a.py", (1, 11), "error", "return-value", f"{message}\nTry this"),
        ("a.py", (1, 11), "information", None, message),
        ("a.py", (0, 0), "error", "return-value", message),
    ]


def test_what_mypy_says_of_its_configuration() -> None:
    """On stderr, in words; and going on with defaults is no silence about it."""
    told = "mypy.ini: [mypy]: strict: Not a boolean: perhaps\n"
    more = "a/setup.cfg: File contains no section headers.\nfile: 'setup.cfg', line: 1\n"
    harmless = "Warning: unused section(s) in mypy.ini: [mypy-x]\n"
    reading = read_mypy("", told + more + harmless + json.dumps(MYPY))
    assert [(r.path, r.severity, r.message.splitlines()[0]) for r in reading.remarks] == [
        ("mypy.ini", "error", "[mypy]: strict: Not a boolean: perhaps"),
        ("a/setup.cfg", "error", "File contains no section headers."),
        ("a.py", "error", "Incompatible return value type"),
    ]
    assert "line: 1" in reading.remarks[1].message
    assert reading.unread == ()
    crash = "Traceback (most recent call last):"
    assert read_mypy("", f"{told}{crash}\n").unread == (crash,)
    assert read_mypy("", "Segmentation fault\n").unread == ("Segmentation fault",)


def test_what_mypy_ended_at() -> None:
    """It prints other errors before: those are not why it went no further."""
    lines = [{"code": "import-not-found"}, {"code": "syntax", "file": "c.py"}, {"code": "misc"}]
    reading = read_mypy("\n".join(json.dumps({**MYPY, **more}) for more in lines), "")
    ended = blocker(reading.remarks)
    assert ended is not None
    assert ended.told == "c.py:2: error: Incompatible return value type [syntax]"
    last = blocker(reading.remarks[:1])
    assert last is not None
    assert last.code == "import-not-found"
    assert blocker(()) is None


MYPY_UNREAD = ["INTERNAL ERROR", "[]", "3", '{"file": "a.py"}', '{"file": 1, "line": 2}',
               json.dumps({**MYPY, "severity": "grave"})]  # fmt: skip


@pytest.mark.parametrize("line", MYPY_UNREAD)
def test_mypy_lines_that_are_not_understood(line: str) -> None:
    assert read_mypy(f"{json.dumps(MYPY)}\n{line}\n", "").unread == (line,)


GO = """{}
{
	"example.org/m/p": {
		"printf": [
			{"posn": "/r/p/p.go:5:24", "end": "/r/p/p.go:5:26", "message": "wrong type"}
		]
	}
}
"""
GO_STDERR = """# example.org/m/q
vet: q/q.go:5:30: cannot use "x" as int value
# example.org/m/w [example.org/m/w.test]
./w/w_test.go:3:5: undefined: y
\tsome detail of it
"""


def test_go_vet() -> None:
    reading = read_go_vet(GO, GO_STDERR)
    assert (reading.unread, reading.problem) == ((), None)
    assert seen(reading) == [
        ("/r/p/p.go", (4, 23), "error", "printf", "wrong type"),
        ("q/q.go", (4, 29), "error", None, 'cannot use "x" as int value'),
        ("./w/w_test.go", (2, 4), "error", None, "undefined: y"),
    ]
    assert [stop.folder for stop in reading.stops] == ["example.org/m/q", "example.org/m/w"]


GO_BAD = [
    ("{", "", "its JSON cannot be read"),
    ("[]", "", "its JSON is no object"),
    ('{"p": []}', "", "a package's entry is no object"),
    ('{"p": {"printf": {"error": "boom"}}}', "", "analyzer printf failed: boom"),
    ('{"p": {"printf": [{"posn": "x"}]}}', "", "a finding of printf cannot be read"),
    ("{}", "go: errors parsing go.mod:\ngo.mod:1: unknown directive: modul", "the packages could"),
    ("{}", "pattern ./...: directory prefix . does not contain main module", None),
]


@pytest.mark.parametrize(("stdout", "stderr", "problem"), GO_BAD)
def test_go_vet_that_did_not_work(stdout: str, stderr: str, problem: str | None) -> None:
    reading = read_go_vet(stdout, stderr)
    if problem is None:
        assert reading.unread == (stderr,)
    else:
        assert reading.problem is not None
        assert reading.problem.startswith(problem)


def test_a_go_package_that_cannot_be_loaded() -> None:
    text = (
        "m/p: no non-test Go files in /r/p\n# m/p\n# [m/p]\nvet: p/p_test.go:5:28: undefined: F\n"
    )
    reading = read_go_vet("", text)
    assert reading.unread == ()
    assert [(r.path, r.message) for r in reading.remarks] == [("p/p_test.go", "undefined: F")]
    assert [stop.folder for stop in reading.stops] == ["", "m/p"]


def test_what_go_says_of_a_package_that_it_cannot_load() -> None:
    """It names none; what to do stands on further lines."""
    told = "p/p.go:3:8: missing go.sum entry; to add:"
    reading = read_go_vet(
        "", f"{told}\n\tgo get m/p\nfound packages a (a.go) and b (b.go) in /r/p\n"
    )
    assert reading.unread == ()
    assert [(stop.folder, stop.why) for stop in reading.stops] == [
        ("", f"{told} | go get m/p"),
        ("", "found packages a (a.go) and b (b.go) in /r/p"),
    ]


def test_go_list() -> None:
    text = "m/p\t/r/p/a b.go\n\nm/q_test\t/r/q/q_test.go\ngo: downloading x\n"
    needs = "m/q\tneeds\tm/p\nm/q\tneeds\tfmt\nm/p\ttests\tm/w\nm/p\tcalls\tm/w\n"
    assert read_go_list(text + needs) == (
        Listing(
            {"/r/p/a b.go": "m/p", "/r/q/q_test.go": "m/q_test"},
            {"m/q": {"m/p", "fmt"}},
            {"m/p": {"m/w"}},
        ),
        ("go: downloading x", "m/p\tcalls\tm/w"),
    )


PACKAGES = Listing(
    {f"/r/{name}.go": name for name in ("p", "p_test", "q", "r", "s", "s_test", "t", "u")},
    {"q": {"p"}, "r": {"q"}, "u": {"s"}, "p_test": {"p", "u"}},
    {"s": {"q"}, "t": {"s"}},
)
"""r needs q needs p; the tests of s need q."""
SPREAD = [
    (Stop("p", "boom"), {"p", "p_test", "q", "r", "s", "s_test"}),
    (Stop("p", "boom", spreads=False), {"p", "p_test"}),
    (Stop("s", "boom"), {"s", "s_test", "t", "u", "p_test"}),
    (Stop("r", "boom"), {"r"}),
    (Stop("elsewhere", "boom"), {"elsewhere"}),
]


@pytest.mark.parametrize(("stop", "stopped"), SPREAD)
def test_go_packages_behind_one_that_does_not_build(stop: Stop, stopped: set[str]) -> None:
    """go vet says nothing of them."""
    found = spread([stop], PACKAGES)
    assert {one.folder for one in found} == stopped
    assert {one.why for one in found} == {"boom"}


def finding(path: str, severity: Any) -> Finding:
    place = Range(Position(0, 0), Position(0, 1))
    return Finding(path, place, severity, None, None, "m", "x")


EVIDENCE = [
    # findings, covered, stops, what is proven: a number of findings, or a word of the reason
    ([], {"a"}, [], 0),
    ([], set(), [], "did not look"),
    ([], None, [], 0),
    (["warning"], {"a"}, [], 1),
    (["warning"], {"a"}, [Stop("", "boom")], "boom"),
    (["error"], set(), [Stop("", "boom")], 1),
    ([], {"a"}, [Stop("other", "boom")], 0),
    ([], {"a"}, [Stop("a", "boom")], "boom"),
    ([], {"a"}, [Stop("", "boom", apart=("a",))], 0),
    ([], set(), [Stop("other", "boom")], "did not look at it; boom"),
    ([], set(), [Stop("other", "boom", spreads=False)], "nothing that it checks leads there"),
]


@pytest.mark.parametrize(("severities", "covered", "stops", "expected"), EVIDENCE)
def test_what_an_output_proves(severities: Any, covered: Any, stops: Any, expected: Any) -> None:
    found = {"a": [finding("a", severity) for severity in severities]}
    answer = CheckerEvidence("x", found, covered, stops).about("a")
    if isinstance(expected, str):
        assert isinstance(answer, Reason)
        assert expected in answer.text
    else:
        assert not isinstance(answer, Reason)
        assert len(answer) == expected


GOOD = {"output": "mypy", "ran": [0], "coverage": "arguments"}
BAD = [
    (3, "checker"),
    ({**GOOD, "odd": 1}, "checker.odd"),
    ({**GOOD, "output": "xml"}, "checker.output"),
    ({**GOOD, "coverage": "hope"}, "checker.coverage"),
    ({**GOOD, "ran": []}, "checker.ran"),
    ({**GOOD, "ran": [0, True]}, "checker.ran[1]"),
    ({**GOOD, "halted": "2"}, "checker.halted"),
    ({**GOOD, "run_in": "here"}, "checker.run_in"),
    ({**GOOD, "env": {"A": 1}}, "checker.env.A"),
    ({**GOOD, "coverage": "listing"}, "checker.listing"),
    ({**GOOD, "listing": ["x"]}, "checker.listing"),
    ({**GOOD, "output": "pattern"}, "checker.patterns"),
    ({**GOOD, "output": "pattern", "patterns": {}}, "checker.patterns.finding"),
    ({**GOOD, "output": "pattern", "patterns": {"finding": "("}}, "checker.patterns.finding"),
    ({**GOOD, "output": "pattern", "patterns": {"finding": "x"}}, "checker.patterns.finding"),
    ({**GOOD, "output": "pattern", "patterns": {"odd": "x"}}, "checker.patterns.odd"),
    ({**GOOD, "output": "pattern",
      "patterns": {"finding": "(?P<path>x)(?P<line>x)(?P<message>x)", "covers": "x"}},
     "checker.patterns.covers"),
    ({**GOOD, "output": "pattern",
      "patterns": {"finding": "(?P<path>x)(?P<line>x)(?P<message>x)", "severities": {"a": "b"}}},
     "checker.patterns.severities.a"),
    ({**GOOD, "if_errors": ["x"]}, "checker.if_errors"),
    ({**GOOD, "hidden_if": "x"}, "checker.if_errors"),
    ({**GOOD, "if_errors": ["x"], "hidden_if": "("}, "checker.hidden_if"),
    ({**GOOD, "if_errors": ["x"], "hidden_if": 3}, "checker.hidden_if"),
    ({**GOOD, "notices_new_files": "no"}, "checker.notices_new_files"),
]  # fmt: skip


@pytest.mark.parametrize(("record", "where"), BAD)
def test_bad_profiles(record: Any, where: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_checker(record, "checker")
    assert (caught.value.code, caught.value.where) == ("bad-setting", where)


def test_a_good_profile() -> None:
    checker = parse_checker(GOOD, "checker")
    assert (checker.ran, checker.run_in) == ((0,), "nearest")
    with pytest.raises(BadInput) as caught:
        Catalogue.load({"ruff": {"checker": GOOD}})
    assert caught.value.where == "servers.ruff.checker"
