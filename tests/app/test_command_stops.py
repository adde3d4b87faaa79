"""What an error keeps a checking command from looking at is unknown, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.test_command_checkers import build, judged, session_of
from tests.support.command_projects import PROJECTS
from tests.support.servers import search_path
from tests.support.sessions import open_session
from understudy.faces.answers.report_text import check_text


async def test_what_hides_others_is_not_clean(tmp_path: Path):
    """An error that was there before keeps cargo from judging what the edit breaks elsewhere."""
    project = PROJECTS["cargo-check"]
    broken = {**project.files, "one/src/a.rs": "pub fn same(x: i32) -> i32 {\n    true\n}\n"}
    edit = {"two/src/main.rs": "fn main() {\n    let _: bool = one::twice(1);\n}\n"}
    async with open_session(tmp_path, {p: t for p, t in broken.items() if t}, {}) as session:
        report = (await judged(session, project, edit)).report
        assert report.verdict == "unknown"
        (reason,) = {
            f.reason.code for f in report.files if f.path == "two/src/main.rs" and f.reason
        }
        assert reason == "unproven"


STOPS = [
    ("src/d.tsx", "export const d = <div></span>;\n", "unknown"),
    ("src/d.js", "export const d: number = 1;\n", "unknown"),
    ("src/d.ts", "export const d = (x: string | null) => x.length;\n", "findings"),
    ("src/d.ts", "export const d = () => ({ nothing });\n", "findings"),
]
"""An edit, and what is said of another file, which the same batch breaks."""


async def test_why_cargo_does_not_build_is_told_whole_and_once(tmp_path: Path):
    files = {
        "Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n'
        '[dependencies]\nnot-there = "1"\n',
        "src/lib.rs": "pub mod a;\n",
        "src/a.rs": "pub fn a() {}\n",
    }
    edit = {path: f"{files[path]}// more\n" for path in ("src/a.rs", "src/lib.rs")}
    async with open_session(tmp_path, files, {}) as session:
        text = check_text(await judged(session, PROJECTS["cargo-check"], edit))
    first, second = text.splitlines()[1:3]
    assert first.startswith("  src/a.rs: unproven: cargo-check: cargo did not finish the build: ")
    assert "error: no matching package named `not-there` found | " in first
    assert "required by package `one v0.1.0 (.)`" in first
    assert second == "  src/lib.rs: for the same reason"


async def test_what_keeps_tsc_from_going_on(tmp_path: Path):
    """After a syntax error it looks at no types; an error with a code much like it is none."""
    project = PROJECTS["tsc"]
    config = (
        '{"compilerOptions": {"strict": true, "allowJs": true, "jsx": "preserve", "types": []}}'
    )
    files = {"tsconfig.json": config, "src/a.ts": "export const a = 1;\n"}
    async with open_session(tmp_path, files, {}, server_path=search_path().split(":")) as session:
        for path, text, verdict in STOPS:
            edit = {path: text, "src/a.ts": 'export const a: number = "";\n'}
            report = (await judged(session, project, edit)).report
            verdicts = {file.path: file.verdict for file in report.files}
            assert verdicts["src/a.ts"] == verdict, text
            assert path in {finding.path for finding in report.introduced}, text


@pytest.mark.parametrize(("declaration", "verdict"), [("true", "unknown"), ("false", "clean")])
async def test_errors_that_hide_whether_types_can_be_declared(
    tmp_path: Path, declaration: str, verdict: str
):
    """An old error keeps tsc from saying that an export's type has no name (TS4094)."""
    options = f'"composite": {declaration}, "strict": true, "types": []'
    files = {
        "tsconfig.json": f'{{"compilerOptions": {{{options}}}}}',
        "a.ts": "export const a = 1;\n",
        "old.ts": 'export const old: number = "";\n',
    }
    async with open_session(tmp_path, files, {}, server_path=search_path().split(":")) as session:
        edit = {"a.ts": "export const a = () => class { private b = 1 };\n"}
        report = (await judged(session, PROJECTS["tsc"], edit)).report
        assert report.verdict == verdict


async def test_a_broken_package_that_nothing_leads_to_is_no_question(tmp_path: Path):
    """It hides its own other errors, not those that an edit makes elsewhere."""
    project = PROJECTS["go-vet"]
    broken = {**project.files, "old/old.go": "package old\n\nvar _ = nothing\n"}
    async with open_session(
        tmp_path, {p: t for p, t in broken.items() if t}, {}, server_path=search_path().split(":")
    ) as session:
        report = (await judged(session, project, project.edits["clean"])).report
        assert (report.verdict, report.out_of_reach) == ("clean", 1)
        assert "old/old.go" not in {file.path for file in report.files}
        importer = {"old/old.go": 'package old\n\nimport "example.org/m/p"\n\nvar _ = p.No\n'}
        report = (await judged(session, project, importer)).report
        assert [(file.path, file.verdict) for file in report.files] == [("old/old.go", "unknown")]


async def test_what_needs_a_broken_package_is_not_clean(tmp_path: Path):
    """go vet passes it over without a word."""
    project = PROJECTS["go-vet"]
    files = {path: text for path, text in project.files.items() if text is not None}
    files["p/p.go"] += "\nvar _ = nothing\n"
    files["r/r.go"] = 'package r\n\nimport "example.org/m/q"\n\nfunc H() { q.G() }\n'
    async with open_session(tmp_path, files, {}) as session:
        for path in ("q/q.go", "r/r.go", "p/p_test.go"):
            edit = {path: files[path] + "\nvar _ int = true\n"}
            report = (await judged(session, project, edit)).report
            assert (path, "unknown") in {(file.path, file.verdict) for file in report.files}
            assert report.verdict == "unknown", path


async def test_a_module_that_comes_where_its_import_was_an_error(tmp_path: Path):
    """mypy's cache would go on calling it one."""
    project = PROJECTS["mypy"]
    files = {"package/__init__.py": "", "use.py": "from package import d\n\nd.f()\n"}
    async with open_session(
        tmp_path, files, {}, server_path=tuple(search_path().split(":"))
    ) as session:
        more = {"use.py": "from package import d\n\nd.f(1)\n"}
        assert (await judged(session, project, more)).report.remaining == 1
        report = (await judged(session, project, {"package/d.py": "def f() -> None: ...\n"})).report
        assert [(found.path, found.code) for found in report.fixed] == [("use.py", "attr-defined")]


async def test_a_deleted_file_takes_its_errors_along(tmp_path: Path):
    """Even where they kept go vet from finding more in it."""
    project = PROJECTS["go-vet"]
    broken = {**project.files, "p/bad.go": "package p\n\nvar _ = nothing\n"}
    async with open_session(
        tmp_path, {p: t for p, t in broken.items() if t}, {}, server_path=search_path().split(":")
    ) as session:
        report = (await judged(session, project, {"p/bad.go": None})).report
        assert [found.path for found in report.fixed] == ["p/bad.go"]
        assert report.verdict == "clean"


async def test_a_stub_and_its_module_in_one_edit(tmp_path: Path):
    """mypy takes no two files of one name; each is judged."""
    project = PROJECTS["mypy"]
    edit = {
        "a.pyi": "def f(x: int) -> Missing: ...\n",
        "a.py": "def f(x: int) -> int:\n    return ''\n",
    }
    async with session_of(tmp_path, project) as session:
        report = (await judged(session, project, edit)).report
        assert {found.path for found in report.introduced} == {"a.py", "a.pyi"}
        assert not [file.reason for file in report.files if file.reason]


async def test_an_old_error_in_a_test_of_cargo(tmp_path: Path):
    """It has files of its own, unless it takes in others."""
    project = PROJECTS["cargo-check"]
    broken = "#[test]\nfn t() {\n    let _: bool = one::twice(2);\n}\n"
    edit = {"one/src/a.rs": "pub fn same(x: i32) -> i32 {\n    x + 1\n}\n"}
    seen = {"one/src/lib.rs": "pub mod a;\npub fn twice(x: i32) -> i8 {\n    a::same(x) as i8\n}\n"}
    for text, is_known in ((broken, True), ('#[path = "../src/a.rs"]\nmod a;\n' + broken, False)):
        files = {**project.files, "one/tests/t.rs": text}
        folder = tmp_path / str(is_known)
        async with open_session(folder, {p: t for p, t in files.items() if t}, {}) as session:
            report = (await judged(session, project, edit)).report
            verdicts = {file.path: file.verdict for file in report.files}
            assert verdicts["one/src/a.rs"] == ("clean" if is_known else "unknown")
            assert (report.verdict, report.out_of_reach) == (
                ("clean", 1) if is_known else ("unknown", 0)
            ), "no test can see a body"
            report = (await judged(session, project, seen)).report
            unknown = {file.path for file in report.files if file.verdict == "unknown"}
            assert "one/tests/t.rs" in unknown, "of the test itself more may be wrong than before"


async def test_the_tests_of_a_package_that_needs_a_broken_one(tmp_path: Path):
    """They alone need it, so cargo checks the package, but not them."""
    manifest = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\nresolver = "2"\n',
        "a/Cargo.toml": manifest.format("a"),
        "a/src/lib.rs": "pub fn f() -> bool {\n    1\n}\n",
        "b/Cargo.toml": manifest.format("b") + '[dev-dependencies]\na = { path = "../a" }\n',
        "b/src/lib.rs": "pub fn g() {}\n",
    }
    edit = {"b/src/lib.rs": "pub fn g() {}\n#[cfg(test)]\nconst C: bool = 1;\n"}
    async with open_session(tmp_path, files, {}) as session:
        report = (await judged(session, PROJECTS["cargo-check"], edit)).report
        verdicts = {file.path: file.verdict for file in report.files}
        assert verdicts["b/src/lib.rs"] == "unknown"


async def test_cargo_where_files_come_beside_others(tmp_path: Path):
    """It goes by the times of the files that it read; what it comes upon is an error elsewhere."""
    project = PROJECTS["cargo-check"]
    async with session_of(tmp_path, project) as session:
        build(session.root.path, "check", "--workspace", "--all-targets")
        report = (await judged(session, project, {"one/src/a/mod.rs": ""})).report
        assert [(found.path, found.code) for found in report.introduced] == [
            ("one/src/lib.rs", "E0761")
        ]
        # `two` needs `one` and was never reached.
        unknown = {file.path for file in report.files if file.verdict == "unknown"}
        assert "one" in unknown
        assert {path for path in unknown if path.startswith("two")} == {"two/src/main.rs"}
        stray = {"one/src/b.rs": "// in no module\n"}
        report = (await judged(session, project, stray)).report
        assert [file.path for file in report.files] == ["one/src/b.rs"]
        (session.root.path / "one/src/a").mkdir()  # the user does the same, and cargo is not told
        (session.root.path / "one/src/a/mod.rs").write_text("")
        report = (await judged(session, project, stray)).report
        assert "one/src/lib.rs" in {file.path for file in report.files}


async def test_a_package_of_cargo_that_the_edit_does_not_reach(tmp_path: Path):
    """What never built in it, and its neighbours' targets, keep nothing from being clean."""
    manifest = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
    files = {
        "Cargo.toml": '[workspace]\nmembers = ["a", "b", "c"]\nresolver = "2"\n',
        "a/Cargo.toml": manifest.format("a"),
        "a/src/lib.rs": "pub fn f() -> i32 {\n    1\n}\n",
        "a/benches/nightly.rs": "#![feature(test)]\nextern crate test;\nmod more;\n",
        "a/benches/more/mod.rs": "use a::f;\n",
        "a/benches/stable.rs": "fn main() {}\n",
        "b/Cargo.toml": manifest.format("b"),
        "b/src/lib.rs": "pub fn g() -> i32 {\n    1\n}\n",
        "c/Cargo.toml": manifest.format("c") + '[dependencies]\nb = { path = "../b" }\n',
        "c/src/lib.rs": "pub fn h() -> i32 {\n    b::g()\n}\n",
        "c/src/broken.rs": "// in no module\n",
        "other/Cargo.toml": manifest.format("other")
        + '[dependencies]\nnot-there = "1"\n[workspace]\n',
        "other/src/lib.rs": "",
    }
    project = PROJECTS["cargo-check"]
    async with open_session(tmp_path, files, {}) as session:
        clean = {"b/src/lib.rs": "pub fn g() -> i32 {\n    2\n}\n"}
        report = (await judged(session, project, clean)).report
        reasons = {file.path: file.reason.text for file in report.files if file.reason}
        assert (report.verdict, reasons) == ("clean", {})
        assert report.out_of_reach > 0
        breaking = {"b/src/lib.rs": "pub fn g() -> bool {\n    true\n}\n"}
        report = (await judged(session, project, breaking)).report
        assert [(found.path, found.code) for found in report.introduced] == [
            ("c/src/lib.rs", "E0308")
        ]
        own = {"a/src/lib.rs": "pub fn f() -> i32 {\n    2\n}\n"}
        report = (await judged(session, project, own)).report
        assert (report.verdict, report.out_of_reach) == ("clean", 3), "a body is seen by nobody"
        bench = {"a/benches/stable.rs": "fn main() {\n    let _: bool = 1;\n}\n"}
        report = (await judged(session, project, bench)).report
        assert [found.path for found in report.introduced] == ["a/benches/stable.rs"]
        assert "unknown" not in {file.verdict for file in report.files}
        seen = {"a/src/lib.rs": "pub fn f() -> i64 {\n    1\n}\n"}
        report = (await judged(session, project, seen)).report
        assert report.verdict == "unknown", "the bench may need what the edit changes"


async def test_a_table_that_no_build_takes_in_is_no_question(tmp_path: Path):
    """It mentions a name that changes, and it is its own; one that names a path stays unknown."""
    table = 'pub const NAMES: &[(&str, u32)] = &[("{}", OWN)];\npub const OWN: u32 = {};\n'
    files = {
        "Cargo.toml": '[package]\nname = "one"\nversion = "0.1.0"\nedition = "2021"\n'
        "[features]\nmore = []\n",
        "src/lib.rs": 'pub mod used;\n#[cfg(feature = "more")]\npub mod unused;\n',
        "src/used.rs": table.format("used", 1),
        "src/unused.rs": table.format("unused", 1),
    }
    project = PROJECTS["cargo-check"]
    edit = {"src/used.rs": table.format("used", 2)}
    async with open_session(tmp_path / "table", files, {}) as session:
        report = (await judged(session, project, edit)).report
        assert (report.verdict, report.out_of_reach) == ("clean", 1)
        own = {"src/unused.rs": table.format("unused", 2)}
        report = (await judged(session, project, own)).report
        assert report.verdict == "unknown", "nobody has looked at what was edited"
    files["src/unused.rs"] += "pub const SUM: u32 = OWN + super::used::OWN;\n"
    async with open_session(tmp_path / "path", files, {}) as session:
        report = (await judged(session, project, edit)).report
        unknown = [file.path for file in report.files if file.verdict == "unknown"]
        assert (report.verdict, unknown) == ("unknown", ["src/unused.rs"])
