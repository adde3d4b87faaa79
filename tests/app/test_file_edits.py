"""The verb `check` where files come, go and change their names, and where configuration changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.branch_cases import delete, rename, replace, write
from tests.support.sessions import check_edits, open_session, toy_profile
from understudy.app.check.check import check
from understudy.app.check.sides import base_side, branch_side
from understudy.shadow.base import Buffer
from understudy.values.texts import PackedText, Text
from understudy.workspace.branches.checked import Checked
from understudy.workspace.options import CheckOptions

FILES = {
    "a.py": "import b\n",
    "b.py": "fine\n",
    "far.py": "import a\na.b\n",
    "c.py": "import missing\nBAD old\n",
    "alone.py": "a line\n",
}


def looks(**overrides: Any) -> dict[str, dict[str, Any]]:
    """A toy that looks at its disk for what a text imports."""
    options = {"folder_events": "trusted", "files": {"*.py": "python"}}
    return {"looks": toy_profile("looks_at_disk", **options, **overrides)}


def verdicts(checked: Checked) -> dict[str, str]:
    return {file.path: file.verdict for file in checked.report.files}


def codes(checked: Checked) -> dict[str, str | None]:
    return {f.path: f.reason.code if f.reason else None for f in checked.report.files}


def places(findings) -> list[tuple[str, int]]:
    return [(finding.path, finding.range.start.line) for finding in findings]


CASES = {
    # the edits, what they introduce, what they fix
    "a module is deleted": ([delete("b.py")], [("a.py", 0)], []),
    "nobody needs it": ([delete("alone.py")], [], []),
    "its old findings go with it": ([delete("c.py")], [], [("c.py", 0), ("c.py", 1)]),
    "a module that was missing": ([write("missing.py", "")], [], [("c.py", 0)]),
    "a new module with an error": ([write("new.py", "import no\n")], [("new.py", 0)], []),
    "renamed, the importer forgotten": ([rename("b.py", "d.py")], [("a.py", 0)], []),
    "renamed, the importer fixed": (
        [rename("b.py", "d.py"), replace("a.py", "import b", "import d")], [], [],
    ),
    "old findings are renamed too": ([rename("c.py", "d.py")], [], []),
    "two that need each other": (
        [write("one.py", "import two\n"), write("two.py", "import one\n")], [], [],
    ),
    "deleted, and made anew": (
        [delete("c.py"), write("c.py", "import b\nBAD old\n")], [], [("c.py", 0)],
    ),
    "renamed onto a deleted path": ([delete("b.py"), rename("c.py", "b.py")], [], []),
    # No renames: something is left at the old path, and findings are compared by their path.
    "moved away, another in its place": (
        [rename("c.py", "d.py"), write("c.py", "import d\n")],
        [("d.py", 0), ("d.py", 1)], [("c.py", 0), ("c.py", 1)],
    ),
    "two swap their names": (
        [rename("b.py", "x.py"), rename("c.py", "b.py"), rename("x.py", "c.py")],
        [("b.py", 0), ("b.py", 1)], [("c.py", 0), ("c.py", 1)],
    ),
    "a folder is renamed": (
        [write("pkg/m.py", ""), write("u.py", "import pkg.m\n"), rename("pkg/m.py", "new/m.py")],
        [("u.py", 0)], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
async def test_files_that_come_and_go(tmp_path: Path, case: str) -> None:
    edits, introduced, fixed = CASES[case]
    async with open_session(tmp_path, FILES, looks()) as session:
        checked = await check_edits(session, edits)
    assert "unknown" not in verdicts(checked).values(), codes(checked)
    assert places(checked.report.introduced) == introduced
    assert places(checked.report.fixed) == fixed
    assert checked.report.verdict == ("findings" if introduced else "clean")
    folder = tmp_path / "project"
    assert {p.name: p.read_text() for p in folder.iterdir() if p.is_file()} == FILES


async def test_the_importers_of_importers_are_judged(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, looks()) as session:
        checked = await check_edits(session, [delete("b.py")])
    assert verdicts(checked) == {"a.py": "findings", "b.py": "clean", "far.py": "clean"}


async def test_a_folder_that_is_new_is_a_package_to_those_who_name_it(tmp_path: Path) -> None:
    """Also to a file that imports another module of it, or the folder alone."""
    files = {**FILES, "x.py": "import pkg\n", "y.py": "import pkg.other\n"}
    async with open_session(tmp_path, files, looks()) as session:
        checked = await check_edits(session, [write("pkg/m.py", "")])
        assert set(verdicts(checked)) == {"pkg/m.py", "x.py", "y.py"}


async def test_branches_with_and_without_new_files_take_turns(tmp_path: Path) -> None:
    """Each on the disk that fits it: the user's folder, or a stage."""
    edits = {
        "plain": ([write("a.py", "import b\nBAD new\n")], [("a.py", 1)]),
        "new": ([write("a.py", "import b\nimport d\n"), write("d.py", "")], []),
        "gone": ([delete("b.py")], [("a.py", 0)]),
        "not there": ([write("a.py", "import b\nimport d\n")], [("a.py", 1)]),
    }
    async with open_session(tmp_path, FILES, looks()) as session:
        for _ in range(3):
            for batch, introduced in edits.values():
                checked = await check_edits(session, batch)
                assert places(checked.report.introduced) == introduced
        statuses = await session.pool.status()
    assert sorted(status.generation for status in statuses) == [1, 1]


async def test_the_users_folder_changes_between_checks(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, looks()) as session:
        branch = await session.branches.create("test")
        await session.branches.edit(branch.id, [delete("b.py")], await session.fresh_base())
        for text, lines in (("import b\n", [0]), ("fine\nimport b\n", [1]), ("fine\n", [])):
            (tmp_path / "project/a.py").write_text(text)
            checked = await check(
                session, base_side, branch_side(session.branches, branch.id), CheckOptions()
            )
            assert places(checked.report.introduced) == [("a.py", line) for line in lines]


async def test_a_new_file_that_is_only_in_the_users_editor(tmp_path: Path) -> None:
    async with open_session(tmp_path, FILES, looks()) as session:
        session.set_buffer("missing.py", Buffer(PackedText.pack(Text("x\n")), "python", 1))
        checked = await check_edits(session, [write("a.py", "import b\nimport missing\n")])
    assert (checked.report.verdict, checked.report.introduced) == ("clean", ())


async def test_edited_configuration_reaches_every_file(tmp_path: Path) -> None:
    """The nearest first, on a server of its own."""
    toy = looks(config_files=["toy.toml"])
    toy["json"] = toy_profile("well_behaved", group="other", files={"*.json": "json"})
    files = {**FILES, "toy.toml": "", "x.json": "{}"}
    async with open_session(tmp_path, files, toy) as session:
        checked = await check_edits(session, [write("toy.toml", "[line]\n")])
        assert places(checked.report.introduced) == []
        checked = await check_edits(session, [write("toy.toml", '"fine" = "line"\n')])
        assert len(await session.pool.status()) == 3
    assert set(verdicts(checked)) == FILES.keys()
    assert checked.report.unjudged == ("toy.toml",)


@pytest.mark.parametrize(("cap", "n_judged"), [(3, 3), (50, 5)])
async def test_a_cap_on_the_files_that_configuration_reaches(
    tmp_path: Path, cap: int, n_judged: int
) -> None:
    toy = looks(config_files=["toy.cfg"])
    async with open_session(tmp_path, {**FILES, "toy.cfg": ""}, toy, max_files=cap) as session:
        checked = await check_edits(session, [write("toy.cfg", "line\n")])
    assert sum(verdict != "unknown" for verdict in verdicts(checked).values()) == n_judged
    assert {code for code in codes(checked).values() if code} == (
        {"skipped"} if n_judged < len(FILES) else set()
    )


async def test_configuration_alone_introduces_findings_elsewhere(tmp_path: Path) -> None:
    toy = looks(config_files=["toy.toml", "toy.cfg"])
    async with open_session(tmp_path, FILES, toy) as session:
        checked = await check_edits(session, [write("toy.toml", "line = 1\n")])
    assert places(checked.report.introduced) == [("alone.py", 0)]


@pytest.mark.parametrize(
    ("path", "text"), [("toy.toml", "= 1\n"), ("toy.json", "{"), ("toy.json", '{"a": }')]
)
async def test_configuration_that_cannot_be_parsed(tmp_path: Path, path: str, text: str) -> None:
    """Servers fall back to their defaults without a word, so nothing they say would be about it."""
    toy = looks(config_files=["toy.toml", "toy.json"])
    async with open_session(tmp_path, FILES, toy) as session:
        checked = await check_edits(session, [write(path, text)])
    assert checked.report.verdict == "unknown"
    assert set(codes(checked).values()) == {"unsupported"}


KEYS = {"toy.toml": ["line", "tool.looks"]}


@pytest.mark.parametrize(
    ("text", "matters"),
    [
        ("line = 1\n[tool.looks]\na = 1\n[tool.other]\nb = 2\n", False),
        ("line = 1\n[project]\nname = 'x'\n[tool.looks]\na = 1\n", False),
        ("line = 2\n[tool.looks]\na = 1\n", True),
        ("[tool.looks]\na = 1\n", True),
        ("line = 1\n[tool.looks]\na = 2\n", True),
        ("line = 1\n", True),
    ],
)
async def test_what_others_keep_in_a_configuration(
    tmp_path: Path, text: str, matters: bool
) -> None:
    """Of a shared file only the server's own keys make a difference to it."""
    toy = looks(config_files=["toy.toml"], config_keys=KEYS)
    files = {**FILES, "toy.toml": "line = 1\n[tool.looks]\na = 1\n"}
    edits = [write("toy.toml", text), delete("b.py")]
    async with open_session(tmp_path, files, toy) as session:
        checked = await check_edits(session, edits)
        again = await check_edits(session, [delete("b.py")])
        n_processes = len(await session.pool.status())
    assert set(verdicts(checked)) == (FILES.keys() if matters else {"a.py", "b.py", "far.py"})
    assert ("a.py", 0) in places(checked.report.introduced)
    assert places(again.report.introduced) == [("a.py", 0)]
    assert n_processes == (3 if matters else 1)


@pytest.mark.parametrize("path", ["toy.json", "base.json"])
async def test_configuration_and_what_it_extends(tmp_path: Path, path: str) -> None:
    toy = looks(config_files=["toy.json"])
    files = {**FILES, "toy.json": '{"extends": "./base.json"}', "base.json": "{}"}
    text = '{"extends": "./base.json", "a": 1}'
    toy["json"] = toy_profile("well_behaved", group="other", files={"*.json": "json"})
    async with open_session(tmp_path, files, toy) as session:
        checked = await check_edits(session, [write(path, text)])
        specs = [status.name for status in await session.pool.status()]
    assert FILES.keys() <= verdicts(checked).keys()
    assert specs.count("looks") == 2


async def test_a_sorter_of_imports_is_asked_about_untouched_importers(tmp_path: Path) -> None:
    toy = looks(scope="file", looks_up_modules=True)
    async with open_session(tmp_path, FILES, toy) as session:
        created = await check_edits(session, [write("missing.py", "")])
        edited = await check_edits(session, [write("b.py", "other\n")])
    assert places(created.report.fixed) == [("c.py", 0)]
    assert set(verdicts(edited)) == {"b.py"}


async def test_where_there_are_no_stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is guessed, and the reason names what fails."""
    monkeypatch.setattr("sys.platform", "elsewhere")
    async with open_session(tmp_path, {**FILES, "toy.toml": ""}, looks()) as session:
        checked = await check_edits(session, [delete("b.py"), write("new.py", "BAD\n")])
    assert checked.report.verdict == "findings"
    assert places(checked.report.introduced) == [("new.py", 0)]
    assert codes(checked) == {
        "a.py": "unsupported", "b.py": "unsupported", "far.py": "unsupported", "new.py": None,
    }  # fmt: skip
    (reason,) = {str(file.reason) for file in checked.report.files if file.path == "a.py"}
    assert "b.py is deleted or renamed, but still on disk" in reason
    assert "elsewhere has no namespaces" in reason


async def test_configuration_where_there_are_no_stages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "elsewhere")
    toy = looks(config_files=["toy.toml"])
    async with open_session(tmp_path, {**FILES, "toy.toml": ""}, toy) as session:
        checked = await check_edits(session, [write("toy.toml", "x = 1\n")])
        both = await check_edits(session, [write("toy.toml", "x = 1\n"), write("b.py", "x\n")])
    assert codes(checked) == {"toy.toml": "unsupported"}
    assert set(codes(both).values()) == {"unsupported"}
