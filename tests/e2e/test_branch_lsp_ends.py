"""The server of a branch where something is wrong, or ends: it is told, and nothing is lost."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.e2e.branch_client import APPLIES, Buffers, open_branch
from tests.e2e.command_line import Shell
from tests.e2e.folders import copy_demo, make_folder, toy_profile
from tests.e2e.lsp_client import connect, open_editor
from tests.langserver.toybox import ended_in

TOY = {"trusted": True, "settings": {"servers": {"toy": toy_profile("well_behaved")}}}
SLOW = {"trusted": True, "settings": {"servers": {"toy": toy_profile("never_answers")}}}
PULLS = {"diagnostic": {}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})


async def test_an_unknown_branch_is_named_with_those_there_are(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        await editor.branch()
        async with connect(folder, state, "--branch", "b9") as client:
            error = (await client.initialize())["error"]
            assert error["data"]["code"] == "unknown-branch"
            assert error["data"]["text"].endswith("there are: b1")
            assert await client.shut_down() == 0


async def test_a_branch_of_another_folder_is_unknown(folder: Path, state: Path) -> None:
    other = copy_demo(folder.parent / "other")
    async with open_editor(other, state, TOY) as editor:
        branch = await editor.branch()
    async with connect(folder, state, "--branch", branch, "--root", str(folder)) as client:
        error = (await client.initialize())["error"]
        assert error["data"]["code"] == "unknown-branch"
        assert str(folder) in error["data"]["text"]
        refused = await client.raw({"id": "x", "method": "textDocument/hover", "params": {}})
        assert refused["error"]["data"]["code"] == "not-initialized"
        assert await client.shut_down() == 0


async def test_a_folder_that_is_none_is_told(folder: Path, state: Path) -> None:
    gone = str(folder / "gone")
    async with connect(folder, state, "--branch", "b1", "--root", gone) as client:
        error = (await client.initialize())["error"]
        assert error["data"]["code"] == "no-such-root"
        assert await client.shut_down() == 0


async def test_bad_messages_are_answered_and_change_nothing(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        branch = await editor.branch()
        async with open_branch(folder, state, branch, documents=PULLS) as client:
            client.open("a.txt")
            for method, params, code in (
                ("textDocument/nothing", {}, "unknown-method"),
                ("textDocument/hover", {}, "bad-params"),
                ("textDocument/hover", {"textDocument": 1}, "bad-params"),
                ("completionItem/resolve", {"label": "x"}, "bad-params"),
                ("callHierarchy/incomingCalls", {"item": {"data": {}}}, "bad-params"),
                ("workspace/executeCommand", {"command": "rm"}, "bad-params"),
                ("workspace/executeCommand", {"command": "understudy.apply"}, "bad-params"),
            ):
                assert (await client.refusal(method, params))["data"]["code"] == code, method
            outside = {"server": "toy", "path": "../x.txt", "since": "0", "action": {"title": "x"}}
            command = {"command": "understudy.apply", "arguments": [outside]}
            error = await client.refusal("workspace/executeCommand", command)
            assert error["data"]["code"] == "outside-root"
            elsewhere = {"textDocument": {"uri": "file:///elsewhere/x.txt"}}
            assert await client.result("textDocument/hover", elsewhere) is None
            (told,) = (await client.result("textDocument/diagnostic", elsewhere))["items"]
            assert told["code"] == "outside-root"
            uri = client.editor.uri("a.txt")
            changed = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": 1}]}
            client.editor.send({"method": "textDocument/didChange", "params": changed})
            client.editor.send({"method": "textDocument/didChange", "params": {"textDocument": 7}})
            stdin = client.editor.client.process.stdin
            assert stdin is not None
            stdin.write(b"Content-Length: 3\r\n\r\nno!")
            assert await client.pull("a.txt") == []
        assert await editor.diff(branch) == ""


async def test_a_request_can_be_cancelled(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, SLOW) as editor:
        branch = await editor.branch()
        async with open_branch(folder, state, branch, documents=PULLS) as client:
            client.open("a.txt")
            document = {"textDocument": {"uri": client.editor.uri("a.txt")}}
            request = {"id": "slow", "method": "textDocument/diagnostic", "params": document}
            client.editor.send(request)
            client.editor.cancel("slow")
            answer = await client.editor.recorder.wait_for(lambda m: m.get("id") == "slow")
            assert answer["error"]["code"] == -32800


@pytest.mark.parametrize("end", ["discard", "accept"])
async def test_a_branch_that_ends_is_told(folder: Path, state: Path, end: str) -> None:
    async with open_editor(folder, state, TOY) as editor:
        edit = {"kind": "write", "path": "b.txt", "text": "BAD b\n"}
        branch = await editor.branch(edit)
        async with open_branch(folder, state, branch, documents=PULLS) as client:
            client.open("a.txt")
            assert await client.pull("a.txt") == []
            if end == "discard":
                await editor.ask("understudy/branch/discard", {"branch": branch})
            else:
                done = Shell(folder, state)("branches", "accept", branch)
                assert done.code == 0, done.err
            said = await client.editor.recorder.wait_for(
                lambda m: m.get("method") == "window/showMessage"
            )
            assert f"the branch was {end}ed" in said["params"]["message"]
            error = await client.refusal("textDocument/hover", client.place("a.txt", "fine"))
            assert error["data"]["code"] == "unknown-branch"
            client.type("a.txt", "fine", "typed")
            document = {"textDocument": {"uri": client.editor.uri("a.txt")}}
            error = await client.refusal("textDocument/diagnostic", document)
            assert error["data"]["code"] == "unknown-branch"
    assert (folder / "a.txt").read_text() == "fine\n"


async def test_a_client_that_dies_leaves_what_it_has_told(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        branch = await editor.branch()
        async with connect(folder, state, "--branch", branch) as dying:
            client = Buffers(dying)
            await dying.initialize(abilities=APPLIES)
            client.open("a.txt")
            client.type("a.txt", "fine", "typed last")
            await client.pull("a.txt")
            client.type("a.txt", "typed last", "typed at last")
            stdin = dying.client.process.stdin
            assert stdin is not None
            await stdin.drain()
            stdin.close()
            assert await dying.client.finish() == 1  # it has not said goodbye
        assert "+typed at last" in await editor.diff(branch)


async def test_a_host_that_ends_is_told_and_the_next_start_goes_on(
    folder: Path, state: Path
) -> None:
    async with open_editor(folder, state, SLOW) as editor:
        branch = await editor.branch()
        async with connect(folder, state, "--branch", branch) as attached:
            client = Buffers(attached)
            await attached.initialize(abilities=APPLIES, documents=PULLS)
            client.open("a.txt")
            seen = len(editor.recorder.messages)
            client.type("a.txt", "fine", "typed")
            await editor.recorder.wait_for(
                lambda m: m.get("method") == "understudy/branchesChanged", seen=seen
            )
            document = {"textDocument": {"uri": attached.uri("a.txt")}}
            attached.send({"id": "q", "method": "textDocument/diagnostic", "params": document})
            assert await editor.shut_down() == 0
            answer = await attached.recorder.wait_for(lambda m: m.get("id") == "q")
            if "error" in answer:
                assert answer["error"]["data"]["code"] in ("host-ended", "cancelled")
            else:  # its server was ended before the question was
                (told,) = answer["result"]["items"]
                assert told["message"].startswith("unknown: toy: ")
            assert await attached.client.finish() == 1
    async with open_branch(folder, state, branch) as again:
        again.open("a.txt")
        await again.until("a.txt", "typed\n")


async def test_it_is_the_host_where_there_is_none(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        branch = await editor.branch({"kind": "write", "path": "a.txt", "text": "BAD a\n"})
    async with open_branch(folder, state, branch) as client, open_editor(folder, state) as second:
        client.open("a.txt")
        await client.until("a.txt", "BAD a\n")
        (listed,) = (await second.ask("understudy/branch/list"))["branches"]
        assert listed["branch"] == branch
        await second.edit(branch, {"kind": "write", "path": "a.txt", "text": "BAD again\n"})
        await client.until("a.txt", "BAD again\n")


async def test_ctrl_c_ends_it(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        branch = await editor.branch()
    async with connect(folder, state, "--branch", branch) as client:
        assert "result" in await client.initialize()
        client.client.process.send_signal(signal.SIGINT)
        assert await client.client.finish() == 130
        assert b"Traceback" not in client.client.stderr
    assert ended_in(folder)


def test_options_that_make_no_sense_are_refused(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    for arguments in (["--all"], ["--through", "ruff"], ["--root", "."]):
        done = shell("lsp", *arguments)
        assert (done.code, "--branch" in done.err) == (2, True), done.err
    done = shell("lsp", "--branch", "b1", "--all", "--through", "ruff")
    assert (done.code, "leave --through out" in done.err) == (2, True), done.err
