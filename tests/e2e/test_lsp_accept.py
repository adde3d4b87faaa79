"""The user's accept over LSP: one edit for the editor, held in the server, never a guess."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from tests.e2e.accepting_editor import (
    LINES,
    OURS,
    REFUSED,
    AcceptingEditor,
    Answer,
    accepting,
    branches_of,
    write,
)
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import SECONDS, Json
from tests.support.workspace import state_of


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {f"{name}.txt": LINES for name in ("a", "b", "c")})


async def test_all_of_a_branch_in_one_edit_that_stays_unsaved(folder: Path, state: Path) -> None:
    before = state_of(folder)
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS), write("b.txt", "bee\n"))
        accepted = await window.accept(branch)
        assert (accepted["outcome"], accepted["unseen"]) == ("applied", [])
        assert accepted["paths"] == ["a.txt", "b.txt"]
        assert (accepted["branch"], accepted["archived"]) == (None, branch)
        assert window.texts == {"a.txt": OURS, "b.txt": "bee\n"}
        (asked,) = window.asked
        versions = [change.text_document.version for change in asked.edit.document_changes]
        assert versions == [1, None]
        assert len(asked.edit.document_changes[0].edits) == 3
        assert await branches_of(window) == {branch: "accepted"}
    assert state_of(folder) == before, "the files on disk are the user's to save"


async def test_one_file_and_the_rest_stays(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS), write("b.txt", "bee\n"))
        accepted = await window.accept(branch, paths=["a.txt"])
        assert accepted["outcome"] == "applied"
        assert accepted["branch"]["files"] == ["b.txt"]
        assert window.texts == {"a.txt": OURS}
        diff = await window.editor.diff(branch)
        assert "b.txt" in diff
        assert "a.txt" not in diff
        assert await branches_of(window) == {branch: None, accepted["archived"]: "accepted"}


async def test_what_runs_something_is_accepted_by_name_alone(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS), write(".envrc", "all:\n"))
        accepted = await window.accept(branch, confirmed=True)
        assert (accepted["outcome"], accepted["paths"]) == ("applied", ["a.txt"])
        assert [one["path"] for one in accepted["left"]] == [".envrc"]
        assert accepted["branch"]["files"] == [".envrc"]
        assert window.texts == {"a.txt": OURS}
        alone = await window.editor.refusal(
            "understudy/branch/accept", {"branch": branch, "confirmed": True}
        )
        assert alone["data"]["code"] == "by-name-only"
        named = await window.accept(branch, paths=[".envrc"], confirmed=True)
        assert (named["outcome"], named["left"]) == ("applied", [])
        assert window.texts[".envrc"] == "all:\n"


async def test_single_hunks_and_an_accept_that_is_undone(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS))
        one, five, nine = await window.hunks(branch, "a.txt")
        accepted = await window.accept(branch, hunks={"a.txt": [five]})
        five_only = LINES.replace("line 5", "FIVE")
        assert window.texts["a.txt"] == five_only
        assert await window.hunks(branch, "a.txt") == [one, nine]
        again = await window.editor.refusal(
            "understudy/branch/accept", {"branch": branch, "hunks": {"a.txt": [five]}}
        )
        assert again["data"]["code"] == "unknown-hunk"
        window.type("a.txt", LINES)  # the user takes it back
        back = accepted["archived"]
        reopened = await window.editor.ask("understudy/branch/reopen", {"branch": back})
        assert reopened["files"] == ["a.txt"]
        assert await window.hunks(back, "a.txt") == [five]
        assert await window.hunks(branch, "a.txt") == [one, nine]
        await window.accept(back)
        await window.accept(branch)
        assert window.texts["a.txt"] == OURS
        assert await branches_of(window) == {branch: "accepted", back: "accepted"}


async def test_a_whole_accept_that_is_undone(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS))
        diff = await window.editor.diff(branch)
        await window.accept(branch)
        window.type("a.txt", LINES)
        await window.editor.ask("understudy/branch/reopen", {"branch": branch})
        assert await window.editor.diff(branch) == diff


async def test_a_reject_leaves_the_rest_and_can_be_taken_back(folder: Path, state: Path) -> None:
    before = state_of(folder)
    async with accepting(folder, state) as window:
        branch = await window.editor.branch(write("a.txt", OURS), write("b.txt", "bee\n"))
        one, _, _ = await window.hunks(branch, "a.txt")
        params = {"branch": branch, "paths": ["b.txt"], "hunks": {"a.txt": [one]}}
        rejected = await window.editor.ask("understudy/branch/reject", params)
        assert rejected["branch"]["files"] == ["a.txt"]
        shown = await window.editor.ask(
            "understudy/branch/text", {"branch": branch, "path": "a.txt"}
        )
        assert shown["after"] == OURS.replace("ONE", "line 1")
        back = rejected["archived"]
        await window.editor.ask("understudy/branch/reopen", {"branch": back})
        diff = await window.editor.diff(back)
        assert "+ONE" in diff
        assert "+bee" in diff
        assert "FIVE" not in diff
        nothing = await window.editor.refusal("understudy/branch/reject", {"branch": branch})
        assert nothing["data"]["code"] == "bad-params"
    assert state_of(folder) == before


async def test_what_the_user_typed_is_merged(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS))
        window.type("a.txt", "typed\n" + LINES)
        accepted = await window.accept(branch)
        assert (accepted["outcome"], accepted["merged"]) == ("applied", ["a.txt"])
        assert window.texts["a.txt"] == "typed\n" + OURS


async def test_typing_between_is_merged_once_more(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS))

        async def type_first(window: AcceptingEditor, edit: lsp.WorkspaceEdit) -> Answer:
            if len(window.asked) == 1:
                window.type("a.txt", "typed\n" + LINES)
            return await window.apply(edit)

        window.behave = type_first
        assert (await window.accept(branch))["outcome"] == "applied"
        assert len(window.asked) == 2
        assert window.texts["a.txt"] == "typed\n" + OURS


async def test_typing_that_is_told_only_with_the_accepted_text(folder: Path, state: Path) -> None:
    """Neovim tells of changes in lumps: what the user typed and what was accepted come as one."""
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS))

        async def lump(window: AcceptingEditor, _: lsp.WorkspaceEdit) -> Answer:
            window.type("a.txt", "typed\n" + OURS)
            return Answer(applied=True)

        window.behave = lump
        assert (await window.accept(branch))["outcome"] == "applied"
        assert await branches_of(window) == {branch: "accepted"}


async def test_a_conflict_shows_both_sides_and_changes_nothing(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS), write("b.txt", "bee\n"))
        theirs = LINES.replace("line 5", "V")
        window.type("a.txt", theirs)
        accepted = await window.accept(branch)
        assert accepted["outcome"] == "conflict"
        (conflict,) = accepted["conflicts"]
        assert (conflict["base"], conflict["ours"]) == (LINES, OURS)
        assert conflict["theirs"] == theirs
        assert window.asked == []
        assert await branches_of(window) == {branch: None}
        assert (await window.accept(branch, paths=["b.txt"]))["outcome"] == "applied"


async def test_a_refusal_leaves_the_branch(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")

        async def refuse(*_: object) -> Answer:
            return REFUSED

        window.behave = refuse
        branch = await window.editor.branch(write("a.txt", OURS))
        accepted = await window.accept(branch)
        assert accepted["outcome"] == "refused"
        assert "the user said no" in accepted["text"]
        assert accepted["archived"] is None
        assert await branches_of(window) == {branch: None}
        window.behave = AcceptingEditor.apply
        assert (await window.accept(branch))["outcome"] == "applied"


async def test_an_editor_that_lies_is_not_believed(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")

        async def lie(*_: object) -> Answer:
            return Answer(applied=True)

        window.behave = lie
        branch = await window.editor.branch(write("a.txt", OURS))
        accepted = await window.accept(branch)
        assert accepted["outcome"] == "unknown"
        assert accepted["unseen"] == ["a.txt"]
        assert await branches_of(window) == {branch: None}


async def test_no_answer_is_unknown_and_a_late_one_counts(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        go = asyncio.Event()

        async def late(window: AcceptingEditor, edit: lsp.WorkspaceEdit) -> Answer:
            await go.wait()
            return await window.apply(edit)

        window.behave = late
        branch = await window.editor.branch(write("a.txt", OURS), write("b.txt", "bee\n"))
        accepted = await window.accept(branch, paths=["a.txt"], timeout=0.2)
        assert accepted["outcome"] == "unknown"
        assert "may apply the edit later" in accepted["text"]
        params = {"branch": branch, "paths": ["a.txt"]}
        error = await window.editor.refusal("understudy/branch/accept", params)
        assert error["data"]["code"] == "accept-pending"
        seen = len(window.editor.recorder.messages)
        go.set()
        await settled(window, seen)
        assert window.texts["a.txt"] == OURS
        assert set((await branches_of(window)).values()) == {None, "accepted"}
        assert "a.txt" not in await window.editor.diff(branch)
        assert (await window.accept(branch))["outcome"] == "applied"


async def settled(window: AcceptingEditor, seen: int) -> None:
    """Wait until a change of the branches is told after so many messages."""
    number = itertools.count()

    def fits(message: Json) -> bool:
        return next(number) >= seen and message.get("method") == "understudy/branchesChanged"

    await window.editor.recorder.wait_for(fits)


async def test_documents_that_show_it_are_evidence_enough(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")

        over = asyncio.Event()

        async def say_nothing(window: AcceptingEditor, edit: lsp.WorkspaceEdit) -> Answer:
            await window.apply(edit)
            await over.wait()
            return REFUSED

        window.behave = say_nothing
        branch = await window.editor.branch(write("a.txt", OURS))
        accepted = await window.accept(branch, timeout=5)
        assert accepted["outcome"] == "applied"
        assert "has not answered" in accepted["text"]
        assert await branches_of(window) == {branch: "accepted"}
        over.set()


async def test_files_are_made_moved_and_removed_only_when_confirmed(
    folder: Path, state: Path
) -> None:
    async with accepting(folder, state) as window:
        window.open("b.txt")
        branch = await window.editor.branch(
            write("new/n.txt", "new\n"),
            {"kind": "delete", "path": "c.txt"},
            {"kind": "rename", "path": "b.txt", "to": "moved.txt"},
            {"kind": "replace", "path": "moved.txt", "old": "line 5", "new": "FIVE"},
        )
        before = state_of(folder)
        listed = await window.accept(branch)
        assert listed["outcome"] == "unconfirmed"
        assert (listed["created"], listed["deleted"]) == (["new/n.txt"], ["c.txt"])
        assert listed["renamed"] == [{"path": "b.txt", "to": "moved.txt"}]
        assert state_of(folder) == before
        assert window.asked == []
        accepted = await window.accept(branch, confirmed=True)
        assert (accepted["outcome"], accepted["archived"]) == ("applied", branch)
        assert names_in(folder) == ["a.txt", "moved.txt", "n.txt"]
        five = LINES.replace("line 5", "FIVE")
        assert window.texts == {"moved.txt": five, "new/n.txt": "new\n"}


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*.txt"))


async def test_columns_after_the_last_line_without_an_end(folder: Path, state: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo 😀")
    async with accepting(folder, state) as window:
        branch = await window.editor.branch(write("a.txt", "one\ntwo 😀\nthree"))
        assert (await window.accept(branch))["outcome"] == "applied"
        assert window.texts["a.txt"] == "one\ntwo 😀\nthree"


async def test_an_agent_that_edits_while_the_user_accepts(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        branch = await window.editor.branch(write("a.txt", OURS))

        async def edit_first(window: AcceptingEditor, edit: lsp.WorkspaceEdit) -> Answer:
            more = {"kind": "replace", "path": "a.txt", "old": "line 3", "new": "THREE"}
            await window.editor.edit(branch, more)
            return await window.apply(edit)

        window.behave = edit_first
        accepted = await window.accept(branch)
        assert accepted["outcome"] == "applied"
        assert window.texts["a.txt"] == OURS
        assert accepted["branch"]["files"] == ["a.txt"]
        diff = await window.editor.diff(branch)
        assert "+THREE" in diff
        assert "+FIVE" not in diff


async def test_a_cancelled_accept_is_settled_by_the_answer(folder: Path, state: Path) -> None:
    async with accepting(folder, state) as window:
        window.open("a.txt")
        go = asyncio.Event()

        async def late(window: AcceptingEditor, edit: lsp.WorkspaceEdit) -> Answer:
            await go.wait()
            return await window.apply(edit)

        window.behave = late
        branch = await window.editor.branch(write("a.txt", OURS))
        number, response = window.editor.pending("understudy/branch/accept", {"branch": branch})
        await window.was_asked()
        window.editor.cancel(number)
        assert (await response(SECONDS))["error"]["code"] == -32800
        seen = len(window.editor.recorder.messages)
        go.set()
        await settled(window, seen)
        assert await branches_of(window) == {branch: "accepted"}
