"""Real servers that their configuration silences, and files that it leaves out on purpose."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.choosers import chooser
from tests.support.servers import environment
from tests.support.sessions import check_edits, open_session
from tests.support.toy_proofs import TOYS
from understudy.disk.voices import Voices
from understudy.langserver.proven import life
from understudy.langserver.proven.life import voice_of
from understudy.shadow.snapshot import Snapshot
from understudy.workspace.options import CheckOptions

RULES = "[lint]\nselect = []\n"
FILES = {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n", "made/a.py": "a = 1\n", "a.json": "{}\n"}


@pytest.mark.parametrize(
    ("more", "path", "server", "said"),
    [
        ({}, "src/a.py", "ruff", ("clean", None)),
        ({"ruff.toml": RULES}, "src/a.py", "ruff", ("clean", None)),
        ({"ruff.toml": 'exclude = ["made"]\n'}, "made/a.py", "ruff", ("clean", None)),
        ({"ruff.toml": 'exclude = ["*.py"]\n'}, "src/a.py", "ruff", ("unknown", "silent")),
        ({}, "a.json", "vscode-json", ("clean", None)),
        ({"json": {"validate": {"enable": False}}}, "a.json", "vscode-json", ("unknown", "silent")),
    ],
)
async def test_one_of_ours_that_objects_to_nothing_is_silent(
    tmp_path: Path, more: dict[str, Any], path: str, server: str, said: tuple[str, str | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("PATH", environment()["PATH"])
    files = {name: text for name, text in more.items() if isinstance(text, str)}
    async with open_session(tmp_path, {**FILES, **files}, {}) as session:
        settings = {name: table for name, table in more.items() if isinstance(table, dict)}
        session.reconfigure(session.settings, settings, None)
        text = "c = 2\n" if path.endswith(".py") else '{"c": 2}\n'
        edit = {"kind": "write", "path": path, "text": text}
        checked = await check_edits(session, [edit], CheckOptions(servers=(server,)))
    (file,) = checked.report.files
    assert (checked.report.verdict, file.reason and file.reason.code) == said


@pytest.mark.parametrize(
    ("files", "paths", "said"),
    [
        # All folders lie below one, or there is none.
        ({"src/a.py": "a = 1\n", "src/made/b.py": "b = 1\n"}, ["src/made/b.py"], "clean"),
        ({"a.py": "a = 1\n", "made.py": "b = 1\n"}, ["made.py"], "clean"),
        # Of what is judged, the last one is left out, and everything else.
        ({"made/a.py": "", "made/b.py": ""}, ["src/new.py", "made/b.py"], "clean"),
        # Nothing else could tell whether it was meant.
        ({"made/a.py": "a = 1\n"}, ["made/a.py"], "clean"),
        ({"made/a.py": "a = 1\n", "made/b.py": ""}, ["made/a.py"], "unknown"),
    ],
)
async def test_a_file_that_is_left_out_is_clean_where_another_one_is_objected_to(
    tmp_path: Path, files: dict[str, str], paths: list[str], said: str
) -> None:
    files = {**files, "ruff.toml": 'exclude = ["made", "made.py"]\n'}
    async with open_session(tmp_path, files, {}) as session:
        edits = [{"kind": "write", "path": path, "text": "c = 2\n"} for path in paths]
        checked = await check_edits(session, edits, CheckOptions(servers=("ruff",)))
    assert checked.report.verdict == said


async def test_one_of_ours_that_is_late_with_its_objection_is_believed_and_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(life, "_LONGEST_S", 0.2)
    late = {
        "command": [sys.executable, "-S", str(TOYS / "traps.py"), "DeafToBroken"],
        "objections": {"python": "BROKEN TEXT"},
    }
    async with open_session(tmp_path, FILES, {"ruff": late}) as session:
        for number in range(2):
            edit = {"kind": "write", "path": "src/a.py", "text": f"c = {number}\n"}
            checked = await check_edits(session, [edit], CheckOptions(servers=("ruff",)))
            assert checked.report.verdict == "clean"
    assert (tmp_path / "questions").read_text() == "asked\n"


async def test_what_was_heard_in_a_folder_is_known_until_its_configuration_changes(
    tmp_path: Path,
) -> None:
    (bin_folder := tmp_path / "bin").mkdir()
    (ruff,) = chooser(tmp_path, bin_folder, "ruff").choose("src/a.py", ("ruff",))
    assert ruff.spec is not None
    async with open_session(tmp_path, FILES, {}) as session:
        snapshot = Snapshot(await session.fresh_base())
        voice = voice_of(ruff.spec, snapshot, "src/a.py")
        assert voice == voice_of(ruff.spec, snapshot, "src/b.py")
        (session.root.path / "src" / "ruff.toml").write_text(RULES)
        changed = Snapshot(await session.fresh_base())
        assert voice_of(ruff.spec, changed, "src/a.py") != voice
        assert voice_of(ruff.spec, changed, "made/a.py") == voice
        assert voice_of(ruff.spec.on_stage("fixed"), snapshot, "src/a.py") != voice
        globs = replace(ruff.spec.profile, config_files=("ruff*.toml",))
        spec = replace(ruff.spec, profile=globs)
        former = voice_of(spec, snapshot, "src/a.py")
        assert voice_of(spec, changed, "src/a.py") != former
        assert voice_of(spec, changed, "made/a.py") == former
    file = tmp_path / "voices"
    assert not Voices(file).has_heard(voice)
    Voices(file).note(voice)
    assert Voices(file).has_heard(voice)
    assert not Voices(file).has_heard(voice_of(ruff.spec, changed, "src/a.py"))
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    assert not Voices(file).has_heard(voice), "it is damaged"
    assert not Voices().has_heard(voice)


@pytest.mark.ring
async def test_what_pylance_is_told_decides_what_ours_finds_and_silences_no_file(
    tmp_path: Path,
) -> None:
    """Where it finds modules, and what its user has turned off; not what it ignores."""
    pylance = {
        "extraPaths": ["lib"], "ignore": ["*"], "typeCheckingMode": "off",
        "diagnosticSeverityOverrides": {"reportUndefinedVariable": "none"},
    }  # fmt: skip
    files = {"a.py": "", "lib/deep.py": "def one() -> int: ...\n"}
    options = CheckOptions(servers=("basedpyright",), timeout_s=300.0)
    async with open_session(tmp_path, files, {}) as session:
        text = "import deep\n\nprint(nobody, deep.one() + '')\n"
        session.reconfigure(session.settings, {"python": {"analysis": pylance}}, None)
        edits = [{"kind": "write", "path": "a.py", "text": text}]
        checked = await check_edits(session, edits, options)
    codes = {(one.path, one.code) for one in checked.report.introduced if one.severity == "error"}
    assert codes == {("a.py", "reportOperatorIssue")}
