"""What is read out of cargo's messages: findings, what was looked at, and what errors left out."""

from __future__ import annotations

import json
from pathlib import PurePosixPath
from typing import Any

import pytest

from tests.checkers.test_outputs import seen
from understudy.checkers.cargo import may_take_in, read_cargo, reads_elsewhere, source_files
from understudy.checkers.model import OutputReading, Stop


def span(path: str, line: int, **more: Any) -> dict[str, Any]:
    place = {"line_start": line, "column_start": 5, "line_end": line, "column_end": 8}
    return {
        "file_name": path,
        "is_primary": True,
        "label": None,
        "expansion": None,
        **place,
        **more,
    }


def compiler_message(*spans: dict[str, Any], **more: Any) -> dict[str, Any]:
    message = {"level": "error", "message": "mismatched types", "code": {"code": "E0308"},
               "spans": list(spans), "children": [], **more}  # fmt: skip
    return {"reason": "compiler-message", "manifest_path": "/r/member/Cargo.toml",
            "target": {"src_path": "/r/member/src/lib.rs"}, "message": message}  # fmt: skip


def cargo(*messages: dict[str, Any], success: bool | None = True) -> OutputReading:
    end = [] if success is None else [{"reason": "build-finished", "success": success}]
    return read_cargo("\n".join(json.dumps(item) for item in (*messages, *end)), "/r")


def target(path: str, *kind: str) -> dict[str, Any]:
    return {"target": {"src_path": path, "kind": list(kind)}}


TARGETS = [
    (target("/r/member/src/lib.rs", "lib"), "/r/member", None),
    (target("/r/member/src/bin/b.rs", "bin"), "/r/member", None),
    (target("/r/member/tests/t.rs", "test"), "/r/member/tests", "/r/member"),
    (target("/r/member/examples/e/main.rs", "example"), "/r/member/examples/e", "/r/member"),
    (target("/r/member/t.rs", "test"), "/r/member", None),
    (target("/r/member/src/t.rs", "test"), "/r/member", None),
    (target("/r/elsewhere/t.rs", "bench"), "/r/member", None),
]


@pytest.mark.parametrize(("where", "folder", "wider"), TARGETS)
def test_what_an_error_of_a_cargo_target_stops(
    where: dict[str, Any], folder: str, wider: str | None
) -> None:
    message = compiler_message(span("member/x.rs", 3)) | where
    (stop,) = cargo(message, success=False).stops
    assert (stop.folder, stop.wider) == (folder, wider)


def ended(path: str) -> dict[str, Any]:
    return {"reason": "compiler-artifact", "manifest_path": "/r/member/Cargo.toml", "filenames": [],
            "profile": {"test": True}, **target(path, "bench")}  # fmt: skip


def test_targets_that_ended_stand_apart_from_one_that_stopped_beside_them() -> None:
    stopped = [compiler_message(span("x.rs", 3)) | target(path, "bench") for path in (
        "/r/member/benches/b.rs", "/r/member/benches/d.rs",
    )]  # fmt: skip
    paths = ("benches/c.rs", "benches/d.rs", "benches/e/main.rs", "src/lib.rs")
    (stop,) = cargo(*stopped, *(ended(f"/r/member/{p}") for p in paths), success=False).stops
    assert stop.roots == ("/r/member/benches/b.rs", "/r/member/benches/d.rs")
    assert stop.apart == ("/r/member/benches/c.rs", "/r/member/benches/e/main.rs")


TAKEN_IN = [
    ("fn main() {}", "benches/c.rs", False),
    ("mod c;", "benches/c.rs", True),
    ("// c", "benches/c.rs", True),
    ("fn cc() {}", "benches/c.rs", False),
    ('modules_in!("benches");', "benches/c.rs", True),
    ("fn main() {}", "benches/e/main.rs", False),
    ("fn main() { e() }", "benches/e/main.rs", True),
    ("fn main() {}", "benches/main.rs", True),
]


@pytest.mark.parametrize(("text", "path", "expected"), TAKEN_IN)
def test_what_a_target_may_take_in(text: str, path: str, expected: bool) -> None:
    assert may_take_in(text, PurePosixPath(path)) is expected


ELSEWHERE = [
    ('#[path = "../src/a.rs"]\nmod a;', True),
    ('#[cfg_attr(x, path="a.rs")] mod a;', True),
    ('#[path /* so */ =\n    r#"a.rs"#]', True),
    ('#[path = concat!("a", "b")]', True),
    ("macro_rules! m { ($p:tt) => { #[$p = 1] } }\nm!(path);", True),
    ("macro_rules! m { ($p:tt) => { #[path = $p] mod x; } }", True),
    ('include!("a.rs");', True),
    ("let path = Path::new(name);\nis_match(path)", False),
    ('include_str!("a.txt"); std::path::Path::new("x")', False),
]


@pytest.mark.parametrize(("text", "expected"), ELSEWHERE)
def test_files_with_parts_elsewhere(text: str, expected: bool) -> None:
    assert reads_elsewhere(text) is expected


def test_a_package_whose_tests_cargo_passed_over() -> None:
    """What only they need does not build; nothing is said of it."""
    artifacts = [
        {"reason": "compiler-artifact", "manifest_path": f"{folder}/Cargo.toml",
         "profile": {"test": is_test}, "filenames": []}
        for folder, is_test in [("/r/a", False), ("/r/b", False), ("/r/b", True), ("/c", False)]
    ]  # fmt: skip
    failing = compiler_message(span("member/x.rs", 3))
    assert [stop.folder for stop in cargo(*artifacts, failing, success=False).stops] == [
        "/r/member",
        "/r/a",
    ]
    assert cargo(*artifacts).stops == ()


def test_cargo() -> None:
    twice = compiler_message(span("member/src/a.rs", 3, label="expected `i32`"))
    note = compiler_message(level="failure-note", message="For more information, try x")
    summary = compiler_message(message="aborting due to 1 previous error")
    reading = cargo(twice, twice, note, summary, success=False)
    assert (reading.unread, reading.problem) == ((), None)
    assert seen(reading) == [
        ("member/src/a.rs", (2, 4), "error", "E0308", "mismatched types\nexpected `i32`")
    ]
    assert reading.stops == (
        Stop(
            "/r/member",
            "cargo stopped at an error: member/src/a.rs:3:5: error[E0308]: mismatched types",
        ),
    )


def test_cargo_spans_of_macros() -> None:
    """A foreign macro's error stands where the workspace calls it; one of its own, in itself."""
    call = {"span": span("member/src/a.rs", 9), "macro_decl_name": "println!"}
    foreign = span("/rustlib/src/macros.rs", 1, expansion=call)
    nested = span("<::core::m macros>", 1, expansion={"span": foreign, "macro_decl_name": "x!"})
    own = span("member/src/m.rs", 2, expansion=call)
    reading = cargo(*(compiler_message(one) for one in (foreign, nested, own)), success=False)
    assert [(r.path, r.start[0]) for r in reading.remarks] == [
        ("member/src/a.rs", 8), ("member/src/m.rs", 1),
    ]  # fmt: skip
    nowhere = cargo(compiler_message(), success=False)
    assert [(r.path, r.start) for r in nowhere.remarks] == [("/r/member/src/lib.rs", (0, 0))]


def test_cargo_artifacts_name_their_dep_info() -> None:
    names = ["/r/target/debug/deps/libdemo-1f.rmeta", "/r/target/debug/deps/demo-2e"]
    reading = cargo({"reason": "compiler-artifact", "filenames": names})
    assert reading.dep_info == ("/r/target/debug/deps/demo-1f.d",)
    text = "/r/t/demo.d: src/lib.rs src/with\\ space.rs\n\nsrc/lib.rs:\n# env-dep:X=a b\n"
    assert source_files(text) == {"src/lib.rs", "src/with space.rs"}


CARGO_BAD = [
    (cargo(success=None), "did not finish"),
    (cargo(success=False), "the build failed"),
]


@pytest.mark.parametrize(("reading", "problem"), CARGO_BAD)
def test_a_cargo_that_did_not_get_through(reading: OutputReading, problem: str) -> None:
    assert reading.problem is not None
    assert problem in reading.problem


CARGO_UNREAD = ["error: no matching package", "{}", '{"reason": "new-kind"}', '{"reason": 1}',
                '{"reason": "compiler-message"}', "[]", "null"]  # fmt: skip


@pytest.mark.parametrize("line", CARGO_UNREAD)
def test_cargo_lines_that_are_not_understood(line: str) -> None:
    end = json.dumps({"reason": "build-finished", "success": True})
    assert read_cargo(f"{line}\n{end}", "/r").unread == (line,)
