"""Branches over LSP: kept through a kill, merged with the user's text, cancelled checks."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.e2e.command_line import Shell
from tests.e2e.contract import assert_check
from tests.e2e.folders import make_folder, toy_profile
from tests.e2e.lsp_client import SECONDS, Json, connect, open_editor, until
from tests.e2e.mcp_agent import open_agent
from tests.langserver.toybox import ended_in, toys_in
from tests.support.workspace import state_of

CANCELLED = -32800
LINES = "".join(f"line {number}\n" for number in range(10))


def toys(*names: str) -> dict[str, Any]:
    """Options of an editor with toy servers; each judges the files of its own name."""
    return {"settings": {"servers": {name: toy_profile(name, files=f"{name}*.txt")
                                     for name in names}}}  # fmt: skip


def write(path: str, text: str) -> Json:
    return {"kind": "write", "path": path, "text": text}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = ("a", "well_behaved", "well_behaved2", "slow", "never_answers")
    return make_folder(tmp_path / "work", {f"{name}.txt": LINES for name in files})


async def test_branches_survive_a_kill(folder: Path, state: Path) -> None:
    before = state_of(folder)
    async with connect(folder, state) as editor:
        await editor.initialize(toys("well_behaved"))
        branch = await editor.branch(write("well_behaved.txt", "BAD\n"), title="kept")
        edited = await editor.edit(branch, write("new.txt", "new\n"))
        diff = await editor.diff(branch)
        await editor.check(branch)
        servers = [psutil.Process(pid) for pid in toys_in(folder)]
        assert servers
        editor.client.process.kill()
        await asyncio.wait_for(editor.client.process.wait(), SECONDS)
    _, left = await asyncio.to_thread(psutil.wait_procs, servers, SECONDS)
    assert left == [], "a language server outlived its killed host"
    async with open_editor(folder, state, toys("well_behaved")) as editor:
        (summary,) = (await editor.ask("understudy/branch/list"))["branches"]
        assert (summary["branch"], summary["title"], summary["files"]) == (branch, "kept", 2)
        assert await editor.diff(branch) == diff
        same = write("new.txt", "new\n")
        again = {"branch": branch, "edits": [same], "ifStamp": edited["stamp"]}
        assert "stamp" in await editor.ask("understudy/branch/edit", again)
        assert (await editor.check(branch))["verdict"] == "findings"
    assert state_of(folder) == before


async def test_a_branch_is_listed_until_it_is_discarded(folder: Path, state: Path) -> None:
    async with open_editor(folder, state) as editor:
        first = await editor.branch(write("a.txt", "1\n"), title="first")
        second = await editor.branch(title="second")
        listed = (await editor.ask("understudy/branch/list"))["branches"]
        assert [(b["branch"], b["title"], b["files"]) for b in listed] == [
            (first, "first", 1), (second, "second", 0)
        ]  # fmt: skip
        gone = await editor.ask("understudy/branch/discard", {"branch": first})
        assert gone == {"branch": first}
        listed = (await editor.ask("understudy/branch/list"))["branches"]
        assert [entry["branch"] for entry in listed] == [second]
        listed = (await editor.ask("understudy/branch/list", {"archived": True}))["branches"]
        assert {b["branch"]: b["ended"] for b in listed} == {first: "discarded", second: None}
        error = await editor.refusal("understudy/branch/diff", {"branch": first})
        assert error["data"] == {
            "code": "unknown-branch", "text": "the branch was discarded", "where": first
        }  # fmt: skip


async def test_the_client_is_told_when_branches_change(folder: Path, state: Path) -> None:
    async with open_editor(folder, state) as editor:
        seen = len(editor.recorder.messages)
        branch = await editor.branch()
        await editor.recorder.wait_for(lambda m: m.get("method") == "understudy/branchesChanged")
        assert len(editor.recorder.messages) > seen
        told = len(editor.recorder.unasked())
        await editor.edit(branch, write("a.txt", "1\n"))
        assert len(editor.recorder.unasked()) > told


async def test_branches_that_would_collide_are_told_before_anybody_accepts(
    folder: Path, state: Path
) -> None:
    def on_line_8(text: str) -> Json:
        return {"kind": "replace", "path": "a.txt", "old": "line 8", "new": text}

    async with open_editor(folder, state) as editor:
        first = await editor.branch(on_line_8("EIGHT"))
        second = await editor.branch()
        edited = await editor.edit(second, on_line_8("VIII"))
        assert edited["overlaps"] == [{"branch": first, "path": "a.txt", "lines": [[9, 9]]}]
        of_both = {
            one: [{"branch": other, "path": "a.txt", "lines": [[9, 9]]}]
            for one, other in ((first, second), (second, first))
        }
        await editor.recorder.wait_for(
            lambda m: (
                m.get("method") == "understudy/branchesChanged"
                and m["params"]["overlaps"] == of_both
            )
        )
        listed = (await editor.ask("understudy/branch/list"))["branches"]
        assert {one["branch"]: one["overlaps"] for one in listed} == of_both
        shell = Shell(folder, state)
        assert f"  {first} changes the same lines: a.txt:9\n" in shell("branches", "list").out
        async with open_agent(state, cwd=folder) as agent:
            edits = [on_line_8("8")]
            told = await agent.call("understudy_lint", edits=edits)
            assert told.endswith(
                f"{first} changes the same lines: a.txt:9\n"
                f"{second} changes the same lines: a.txt:9\n"
            )


async def test_text_of_both_sides_is_merged(folder: Path, state: Path) -> None:
    async with open_editor(folder, state) as editor:
        edit = {"kind": "replace", "path": "a.txt", "old": "line 8", "new": "line EIGHT"}
        branch = await editor.branch(edit)
        editor.open("a.txt", LINES, "plaintext")
        editor.change("a.txt", {"text": "typed above\n" + LINES})
        report = await editor.ask("understudy/branch/rebase", {"branch": branch})
        assert (report["merged"], report["conflicts"]) == (["a.txt"], [])
        diff = await editor.diff(branch)
        assert "-line 8\n+line EIGHT\n" in diff
        assert "typed above" not in diff.replace(" typed above", "")


async def test_text_that_collides_is_a_conflict_with_both_sides(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, toys("well_behaved")) as editor:
        path = "well_behaved.txt"
        edit = {"kind": "replace", "path": path, "old": "line 5", "new": "ours"}
        branch = await editor.branch(edit)
        editor.open(path, LINES, "plaintext")
        theirs = LINES.replace("line 5", "theirs")
        editor.change(path, {"text": theirs})
        checked = await editor.check(branch)
        assert_check(checked)
        assert checked["verdict"] == "unknown"
        assert [file["reason"]["code"] for file in checked["files"]] == ["conflict"]
        report = await editor.ask("understudy/branch/rebase", {"branch": branch})
        (conflict,) = report["conflicts"]
        assert conflict["path"] == path
        assert conflict["base"] == LINES
        assert conflict["ours"] == LINES.replace("line 5", "ours")
        assert conflict["theirs"] == theirs
        (region,) = conflict["regions"]
        assert (region["ours_lines"], region["theirs_lines"]) == (["ours\n"], ["theirs\n"])
        settled = {"branch": branch, "resolve": {path: theirs.replace("theirs", "theirs, ours")}}
        assert (await editor.ask("understudy/branch/rebase", settled))["conflicts"] == []
        assert "-theirs\n+theirs, ours\n" in await editor.diff(branch)
        assert (await editor.check(branch))["verdict"] == "clean"


async def test_a_conflict_that_goes_away_by_itself(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, toys("well_behaved")) as editor:
        path = "well_behaved.txt"
        edit = {"kind": "replace", "path": path, "old": "line 5", "new": "ours"}
        branch = await editor.branch(edit)
        editor.open(path, LINES.replace("line 5", "theirs"), "plaintext")
        assert (await editor.check(branch))["verdict"] == "unknown"
        editor.change(path, {"text": LINES}, version=3)
        assert (await editor.check(branch))["verdict"] == "clean"


async def test_the_last_check_is_known_while_it_holds(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, toys("well_behaved")) as editor:
        path = "well_behaved.txt"
        branch = await editor.branch(write(path, "BAD one\n"))

        async def last() -> tuple[Any, bool]:
            answer = await editor.ask("understudy/branch/verdict", {"branch": branch})
            return answer["check"], answer["ofNow"]

        async def last_part() -> Any:
            return (await editor.ask("understudy/branch/verdict", {"branch": branch}))["inPart"]

        assert await last() == (None, False)
        part = await editor.check(branch, scope="edited")
        assert await last() == (None, False), "a part of the question is no verdict"
        assert await last_part() == part
        checked = await editor.check(branch)
        assert await last() == (checked, True)
        assert await last_part() is None, "the whole is known"
        editor.open("a.txt", LINES, "plaintext")
        assert await last() == (checked, True)
        editor.change("a.txt", {"text": "typed\n"})
        assert await last() == (checked, False)
        checked = await editor.check(branch)
        assert await last() == (checked, True)
        await editor.edit(branch, write(path, "BAD two\n"))
        assert await last() == (checked, False)
        assert await last_part() is None, "it was about an earlier text"
        given = {"tool": "understudy_lint", "input": {"branch": branch}, "session": "chat"}
        await editor.ask("understudy/tool", given)
        check, is_of_now = await last()
        assert ([item["message"] for item in check["introduced"]], is_of_now) == (["BAD two"], True)


@pytest.mark.parametrize("toy", ["slow", "never_answers"])
async def test_a_cancelled_check_is_answered_at_once(folder: Path, state: Path, toy: str) -> None:
    async with open_editor(folder, state, toys(toy, "well_behaved")) as editor:
        branch = await editor.branch(write(f"{toy}.txt", "BAD\n"))
        params = {"branch": branch, "workDoneToken": "t", "timeout": 2 * SECONDS}
        request_id, response = editor.pending("understudy/branch/check", params)
        await editor.recorder.wait_for(is_asking)
        editor.cancel(request_id)
        answer = asyncio.ensure_future(response(SECONDS))
        n_others = 0  # a measure of time that a busy machine does not change
        while not answer.done():
            await editor.ask("understudy/branch/list")
            n_others += 1
        assert (await answer)["error"]["code"] == CANCELLED
        assert n_others < 50
        told = [m for m in editor.recorder.unasked() if m["method"] == "$/progress"]
        assert told[-1]["params"]["value"]["kind"] == "end"
        other = await editor.branch(write("well_behaved.txt", "BAD one\n"))
        report = await editor.check(other)
        assert [item["message"] for item in report["introduced"]] == ["BAD one"]
        if toy == "slow":
            await editor.edit(branch, write("slow.txt", "fine\n"))
            assert (await editor.check(branch))["verdict"] == "clean"


def is_asking(message: Json) -> bool:
    """Whether the message is a progress report that a server has been asked."""
    return message.get("method") == "$/progress" and "1 files" in str(message["params"]["value"])


async def test_a_cancelled_wait_for_a_turn_lets_the_others_pass(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, toys("slow")) as editor:
        branches = [await editor.branch(write("slow.txt", f"BAD {n}\n")) for n in range(3)]
        pending = [
            editor.pending("understudy/branch/check", {"branch": branch}) for branch in branches
        ]
        editor.cancel(pending[1][0])
        answers = [await response(SECONDS) for _, response in pending]
        assert answers[1]["error"]["code"] == CANCELLED
        for number in (0, 2):
            found = [item["message"] for item in answers[number]["result"]["introduced"]]
            assert found == [f"BAD {number}"]


async def test_other_requests_are_answered_while_a_check_waits(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, toys("never_answers")) as editor:
        branch = await editor.branch(write("never_answers.txt", "BAD\n"))
        params = {"branch": branch, "timeout": SECONDS}
        request_id, response = editor.pending("understudy/branch/check", params)
        waits = asyncio.ensure_future(response(2 * SECONDS))
        for number in range(20):
            editor.open("a.txt", f"{number}\n", "plaintext")
            await editor.ask("understudy/branch/list")
            editor.close("a.txt")
        assert not waits.done()
        editor.cancel(request_id)
        assert (await waits)["error"]["code"] == CANCELLED
        report = await editor.ask("understudy/branch/check", {"branch": branch, "timeout": 1.5})
        assert report["verdict"] == "unknown"
        assert [file["reason"]["code"] for file in report["files"]] == ["timeout"]


async def test_an_answer_is_about_its_own_texts(folder: Path, state: Path) -> None:
    """The branch is edited and the user types while the check runs; neither shows in its answer."""
    async with open_editor(folder, state, toys("slow")) as editor:
        branch = await editor.branch(write("slow.txt", "BAD first\n"))
        _, response = editor.pending("understudy/branch/check", {"branch": branch})
        await editor.edit(branch, write("slow.txt", "BAD second\n"))
        editor.open("a.txt", "typed\n", "plaintext")
        report = (await response(SECONDS))["result"]
        found = [item["message"] for item in report["introduced"]]
        assert found in (["BAD first"], ["BAD second"])
        later = await editor.check(branch)
        assert [item["message"] for item in later["introduced"]] == ["BAD second"]
        assert (report["stamp"] == later["stamp"]) == (found == ["BAD second"])


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("toy", ["well_behaved", "ignores_the_end"])
async def test_a_terminated_host_takes_its_servers_along(
    folder: Path, state: Path, toy: str, sent: signal.Signals
) -> None:
    async with connect(folder, state) as editor:
        await editor.initialize({"settings": {"servers": {toy: toy_profile(toy)}}})
        branch = await editor.branch(write("a.txt", "BAD\n"))
        editor.pending("understudy/branch/check", {"branch": branch})
        await until(editor, lambda server: server["state"] in ("busy", "idle"))
        assert toys_in(folder)
        editor.client.process.send_signal(sent)
        assert await asyncio.wait_for(editor.client.process.wait(), SECONDS) == 130
        assert ended_in(folder)
    async with open_editor(folder, state) as editor:
        assert len((await editor.ask("understudy/branch/list"))["branches"]) == 1
