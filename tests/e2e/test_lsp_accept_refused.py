"""Who may not accept, what cannot be accepted, and that nothing is changed then."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.accepting_editor import (
    ABLE,
    LINES,
    OURS,
    AcceptingEditor,
    accepting,
    branches_of,
    write,
)
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Json, connect
from tests.support.workspace import state_of

FILES = {f"{name}.txt": LINES for name in ("a", "b", "c")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", FILES)


@pytest.mark.parametrize("abilities", [{}, {"applyEdit": True}, {**ABLE, "applyEdit": False}])
async def test_an_editor_that_cannot(folder: Path, state: Path, abilities: Json) -> None:
    async with accepting(folder, state, abilities=abilities) as window:
        branch = await window.editor.branch(write("a.txt", OURS))
        error = await window.editor.refusal("understudy/branch/accept", {"branch": branch})
        assert error["data"]["code"] == "no-apply-edit"
        assert "understudy branches accept" in error["data"]["text"]


async def test_only_a_window_that_says_so_may_accept(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as host, connect(folder, state) as attached:
        assert "result" in await attached.initialize(abilities=ABLE)
        branch = await host.editor.branch(write("a.txt", OURS))
        error = await attached.refusal("understudy/branch/accept", {"branch": branch})
        assert error["data"]["code"] == "not-for-agents"
        assert host.asked == []
        async with accepting(folder, state, {"user": True}) as second:
            host.open("a.txt")
            second.open("a.txt")
            second.type("a.txt", "second\n" + LINES)
            assert (await second.accept(branch))["outcome"] == "applied"
            assert second.texts["a.txt"] == "second\n" + OURS
            assert host.asked == []
            assert host.texts["a.txt"] == LINES
        assert await attached.shut_down() == 0


async def test_text_that_another_window_has_not_saved(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as host, accepting(folder, state, {"user": True}) as second:
        second.open("b.txt")
        second.type("b.txt", "unsaved\n")
        branch = await host.editor.branch({"kind": "delete", "path": "b.txt"})
        await second.editor.ask("understudy/status")
        params = {"branch": branch, "confirmed": True}
        error = await host.editor.refusal("understudy/branch/accept", params)
        assert (error["data"]["code"], error["data"]["where"]) == ("unsaved-buffers", "b.txt")
        assert (folder / "b.txt").read_text() == LINES


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"branch": "b9"}, "unknown-branch"),
        ({"paths": ["c.txt"]}, "no-change"),
        ({"paths": ["../c.txt"]}, "outside-root"),
        ({"hunks": {"a.txt": ["nothing"]}}, "unknown-hunk"),
        ({"hunks": {"a.txt": []}}, "unknown-hunk"),
        ({"hunks": {"a.txt": "all"}}, "bad-params"),
        ({"hunks": {"moved.txt": ["x"]}}, "whole-file"),
        ({"ifStamp": "0000"}, "stale-stamp"),
        ({"timeout": -1}, "bad-timeout"),
        ({"confirmed": "yes"}, "bad-params"),
        ({"hunk": "x"}, "bad-params"),
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_what_cannot_be_accepted(
    refusing: tuple[AcceptingEditor, str], params: Json, code: str
) -> None:
    window, branch = refusing
    before = state_of(window.editor.root)
    error = await window.editor.refusal("understudy/branch/accept", {"branch": branch, **params})
    assert error["data"]["code"] == code
    assert window.asked == []
    assert state_of(window.editor.root) == before
    assert len(await branches_of(window)) == 1


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def refusing(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[AcceptingEditor, str]]:
    """One window and branch for all that is refused; in the end it is accepted as ever."""
    place = tmp_path_factory.mktemp("refusing")
    async with accepting(make_folder(place / "work", FILES), place / "state") as window:
        rename = {"kind": "rename", "path": "b.txt", "to": "moved.txt"}
        branch = await window.editor.branch(write("a.txt", OURS), rename)
        yield window, branch
        assert (await window.accept(branch, confirmed=True))["outcome"] == "applied"


async def test_bytes_that_no_editor_can_hold(folder: Path, state: Path) -> None:
    (folder / "a.txt").write_bytes(b"caf\xe9\n" + LINES.encode())
    async with accepting(folder, state) as window:
        edit = {"kind": "replace", "path": "a.txt", "old": "line 5", "new": "FIVE"}
        branch = await window.editor.branch(edit)
        error = await window.editor.refusal("understudy/branch/accept", {"branch": branch})
        assert error["data"]["code"] == "not-text"
        assert window.asked == []
