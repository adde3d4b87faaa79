"""A review in a client of one branch: each change has commands, wherever the client shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.branch_client import Buffers, open_branch
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Json, open_editor
from tests.support.workspace import state_of

LINES = "".join(f"line {number}\n" for number in range(9))
EDITED = LINES.replace("line 1", "ONE").replace("line 4", "FOUR").replace("line 7", "SEVEN")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {"a.txt": LINES, "b.txt": "b\n"})


async def test_a_change_is_accepted_rejected_and_sent_back(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"trusted": True}) as editor:
        edits = [{"kind": "write", "path": "a.txt", "text": EDITED}]
        branch = await editor.branch(*edits, {"kind": "write", "path": "new.txt", "text": "new\n"})
        async with open_branch(folder, state, branch) as client:
            client.open("a.txt")
            client.open("b.txt")
            await client.until("a.txt", EDITED)
            lenses = await client.result("textDocument/codeLens", document(client, "a.txt"))
            titles = [lens["command"]["title"] for lens in lenses]
            assert titles[3:6] == [
                f"{verb}: {branch}: -1 +1 FOUR" for verb in ("Accept", "Reject", "Send back")
            ]
            assert [lens["range"]["start"]["line"] for lens in lenses][::3] == [1, 4, 7]
            assert await client.result("textDocument/codeLens", document(client, "b.txt")) is None

            accept, _, _ = await actions(client, "a.txt", 4)
            before = state_of(folder)
            editor.open("a.txt", LINES)  # the user has it open elsewhere: there they accept
            refused = await client.refusal("workspace/executeCommand", accept)
            assert refused["data"]["code"] == "unsaved-buffers"
            assert state_of(folder) == before
            editor.close("a.txt")
            await client.result("workspace/executeCommand", accept)
            assert (folder / "a.txt").read_text() == LINES.replace("line 4", "FOUR")
            gone = await client.refusal("workspace/executeCommand", accept)
            assert gone["data"]["code"] == "unknown-hunk"
            assert await actions(client, "a.txt", 4) == []

            _, reject, _ = await actions(client, "a.txt", 1)
            await client.result("workspace/executeCommand", reject)
            await client.until("a.txt", EDITED.replace("ONE", "line 1"))

            _, _, back = await actions(client, "a.txt", 7)
            told = {**back["arguments"][0], "text": "in words"}
            await client.result("workspace/executeCommand", {**back, "arguments": [told]})
            (ask,) = (await editor.ask("understudy/branch/asks", {"branch": branch}))["asks"]
            assert (ask["path"], ask["start"], ask["text"]) == ("a.txt", 7, "in words")

            client.open("new.txt", "new\n")
            accept, _, _ = await actions(client, "new.txt", 0)
            assert accept["title"] == f"Accept: {branch}: new.txt (added)"
            await client.result("workspace/executeCommand", accept)
            assert (folder / "new.txt").read_text() == "new\n"
            other = {**accept, "arguments": [{"branch": "b99", "path": "a.txt"}]}
            wrong = await client.refusal("workspace/executeCommand", other)
            assert wrong["data"]["code"] == "bad-params"
        (file,) = (await editor.ask("understudy/branch/files", {"branch": branch}))["files"]
        assert [hunk["lines"] for hunk in file["hunks"]] == [["-line 7", "+SEVEN"]]


async def test_a_client_that_an_agent_has_started_decides_nothing(
    folder: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_editor(folder, state, {"trusted": True}) as editor:
        branch = await editor.branch({"kind": "write", "path": "a.txt", "text": EDITED})
        before = state_of(folder)
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(folder))
        async with open_branch(folder, state, branch) as client:
            client.open("a.txt")
            await client.until("a.txt", EDITED)
            assert await client.result("textDocument/codeLens", document(client, "a.txt")) is None
            assert await actions(client, "a.txt", 4) == []
            for command in ("understudy.accept", "understudy.reject", "understudy.sendBack"):
                named = {"command": command, "arguments": [{"branch": branch, "path": "a.txt"}]}
                refused = await client.refusal("workspace/executeCommand", named)
                assert refused["data"]["code"] == "not-for-agents"
                assert "CLAUDE_PROJECT_DIR is set" in refused["message"]
        asks = await editor.ask("understudy/branch/asks", {"branch": branch})
        assert asks["asks"] == []
        (file,) = (await editor.ask("understudy/branch/files", {"branch": branch}))["files"]
        assert len(file["hunks"]) == 3
    assert state_of(folder) == before


def document(client: Buffers, path: str) -> Json:
    return {"textDocument": {"uri": client.editor.uri(path)}}


async def actions(client: Buffers, path: str, line: int) -> list[Json]:
    """The commands on the change in a line."""
    place = {"line": line, "character": 0}
    params = {
        **document(client, path),
        "range": {"start": place, "end": place},
        "context": {"diagnostics": []},
    }
    return [
        one
        for one in await client.result("textDocument/codeAction", params) or []
        if str(one["command"]).startswith("understudy.")
    ]
