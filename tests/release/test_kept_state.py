"""What 0.1 has kept of a folder is read and carried on; what a later version keeps is refused."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.command_line import Shell
from tests.e2e.folders import child_environment, make_folder
from tests.support.workspace import state_of
from understudy.disk.journal.file import SCHEMA_VERSION
from understudy.disk.layout import Layout, workspace_layout
from understudy.values.own_folders import STATE_VARIABLE
from understudy.values.paths import Root

KEPT = Path(__file__).resolve().parents[1] / "data" / "states" / "0.1"
OUTPUT = "tool/output-02d36ee22aefffbb.txt"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    folder = make_folder(tmp_path / "work", {"a.txt": "1\n2\n3\n", "old.txt": "gone\n"})
    return Shell(folder, tmp_path / "state")


@pytest.fixture
def layout(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> Layout:
    """The state of the folder as 0.1 left it, today."""
    monkeypatch.setenv(STATE_VARIABLE, child_environment(shell.state)[STATE_VARIABLE])
    layout = workspace_layout(Root.open(shell.folder)).create()
    for name in ("context", "terminals"):
        shutil.copytree(KEPT / name, layout.folder / name, copy_function=shutil.copyfile)
    with closing(sqlite3.connect(layout.journal)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.executescript((KEPT / "journal.sql").read_text(encoding="utf-8"))
        database.execute("UPDATE branches SET used = strftime('%s'), created = strftime('%s')")
        database.execute("UPDATE branches SET archived = strftime('%s') WHERE archived IS NOT NULL")
        database.commit()
    return layout


def test_what_the_last_release_kept_is_carried_on(shell: Shell, layout: Layout) -> None:
    (summary,) = shell("branches", "list", "--format", "json").json["branches"]
    assert (summary["branch"], summary["title"], summary["files"]) == ("b1", "Kept since 0.1", 3)
    assert shell("context", "get", OUTPUT).out == "".join(f"{n}\n" for n in range(1, 51))
    assert "Tests are run by make test" in shell("context", "notes").out
    assert "what is two?" in shell("context", "log", "s").out
    (terminal,) = shell("terminals", "list", "--format", "json").json["terminals"]
    assert terminal["status"] == "closed"
    assert "shown" in shell("terminals", "read", "1").out
    accepted = shell("branches", "accept", "b1")
    assert accepted.code == 0, accepted.err
    assert (shell.folder / "a.txt").read_text() == "1\ntwo\n3\n"
    assert (shell.folder / "new" / "b.txt").read_text() == "new\n"
    assert not (shell.folder / "old.txt").exists()


def test_what_a_later_version_kept_is_refused_by_name(shell: Shell, layout: Layout) -> None:
    later = SCHEMA_VERSION + 1
    with closing(sqlite3.connect(layout.journal)) as database:
        database.execute(f"PRAGMA user_version = {later}")
    before = state_of(shell.folder)
    kept = layout.journal.read_bytes()
    for command in (("branches", "list"), ("branches", "accept", "b1")):
        done = shell(*command)
        assert done.code == 2, done.err
        assert f"journal-newer: {layout.journal}: a newer Understudy wrote this" in done.err
        assert f"schema {later}, ours is {SCHEMA_VERSION}" in done.err
    assert layout.journal.read_bytes() == kept
    assert state_of(shell.folder) == before
