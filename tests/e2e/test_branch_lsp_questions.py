"""Every question that a client may ask of a branch, and what edits more than one buffer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.branch_client import APPLIES, Buffers, open_branch
from tests.e2e.lsp_client import Editor, Json, open_editor
from tests.support.workspace import state_of

LITERALS: Json = {
    "diagnostic": {},
    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
    "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
}
OPTIONS: Json = {"tabSize": 4, "insertSpaces": True}
EDITED: Json = {
    "kind": "replace",
    "path": "main.py",
    "old": "def main() -> None:\n",
    "new": "def first() -> int:\n    return 1\n\n\ndef main() -> None:\n    first()\n",
}
MISSING: Json = {
    "kind": "replace",
    "path": "main.py",
    "old": "from datetime import date\n\n",
    "new": "",
}

QUESTIONS = (
    ("hover", "first()\n", {}),
    ("definition", "first()\n", {}),
    ("declaration", "first()\n", {}),
    ("typeDefinition", "invoice = ", {}),
    ("implementation", "first()\n", {}),
    ("references", "first()\n", {"context": {"includeDeclaration": True}}),
    ("documentHighlight", "first()\n", {}),
    ("signatureHelp", ", 40, 315", {}),
    ("prepareRename", "first()\n", {}),
    ("documentSymbol", "first()\n", {}),
    ("formatting", "first()\n", {"options": OPTIONS}),
)
"""Each with the place that it is about, a place of the branch alone, and what else it takes."""


def plain(value: Any) -> Any:
    """An answer without what is not the server's: who is to be asked more of an item."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items() if key != "data"}
    return [plain(item) for item in value] if isinstance(value, list) else value


async def test_answers_are_those_of_the_server_that_sees_the_branch(
    demo: Path, state: Path
) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch(EDITED)
        async with open_branch(demo, state, branch, documents=LITERALS) as client:
            await shown(client)
            for name, piece, more in QUESTIONS:
                params = {**client.place("main.py", piece), **more}
                method = f"textDocument/{name}"
                answer = await client.result(method, params)
                wanted = await bare(editor, branch, method, params)
                assert plain(answer) == plain(wanted), name
            await complete(client)
            await walk_calls(client)
            symbols = await client.result("workspace/symbol", {"query": "first"})
            assert "first" in {symbol["name"] for symbol in symbols}


async def shown(client: Buffers) -> None:
    client.open("main.py")
    await client.until("main.py", client.texts["main.py"].replace(EDITED["old"], EDITED["new"]))


async def bare(editor: Editor, branch: str, method: str, params: Json) -> Any:
    """What the server says that knows such questions, asked without this face."""
    answers: list[Any] = []
    for server in ("basedpyright", "ruff"):
        asked = {"branch": branch, "method": method, "params": params, "server": server}
        response = await editor.answer("understudy/branch/request", asked)
        if "result" in response:
            answers.append(response["result"]["result"])
    return next((answer for answer in answers if answer), answers[0])


async def complete(client: Buffers) -> None:
    completions = await client.ask("completion", "main.py", "irst()\n")
    items = completions["items"] if isinstance(completions, dict) else completions
    (first,) = [item for item in items if item["label"] == "first"]
    resolved = await client.result("completionItem/resolve", first)
    assert "() -> int" in str(resolved), resolved


async def walk_calls(client: Buffers) -> None:
    (item,) = await client.ask("prepareCallHierarchy", "main.py", "irst()\n")
    (call,) = await client.result("callHierarchy/incomingCalls", {"item": item})
    assert call["from"]["name"] == "main"
    calls = await client.result("callHierarchy/outgoingCalls", {"item": call["from"]})
    assert "first" in {one["to"]["name"] for one in calls}


async def test_a_formatted_buffer_is_the_branchs(demo: Path, state: Path) -> None:
    before = state_of(demo)
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch()
        async with open_branch(demo, state, branch) as client:
            client.open("main.py")
            client.type("main.py", "def main() -> None:", "def main( )->None :")
            params = {"textDocument": {"uri": client.editor.uri("main.py")}, "options": OPTIONS}
            edits = await client.result("textDocument/formatting", params)
            client.edit("main.py", edits)
            await client.result("textDocument/formatting", params)
            assert await editor.diff(branch) == ""
    assert state_of(demo) == before


@pytest.mark.parametrize("documents", [LITERALS, {}], ids=["actions", "commands"])
async def test_a_code_action_is_done_in_the_branch(
    demo: Path, state: Path, documents: Json
) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch(MISSING)
        async with open_branch(demo, state, branch, documents=documents) as client:
            client.open("main.py")
            text = client.texts["main.py"]
            await client.until("main.py", text.replace(MISSING["old"], ""))
            place = client.place("main.py", "date(2026, 1")
            at = {"start": place["position"], "end": place["position"]}
            params = {
                "textDocument": place["textDocument"],
                "range": at,
                "context": {"diagnostics": await diagnostics(client)},
            }
            actions = await client.result("textDocument/codeAction", params)
            (chosen,) = [one for one in actions if one["title"] == "from datetime import date"]
            command = chosen if isinstance(chosen["command"], str) else chosen["command"]
            assert "edit" not in chosen
            sent = {key: command[key] for key in ("command", "arguments")}
            assert await client.result("workspace/executeCommand", sent) is None
            await client.until("main.py", text)
            error = await client.refusal("workspace/executeCommand", sent)
            assert error["data"]["code"] == "text-moved"
        assert await editor.diff(branch) == ""


async def test_an_action_that_is_worked_out_late_is_done_in_the_branch(
    demo: Path, state: Path
) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch()
        async with open_branch(demo, state, branch, documents=LITERALS) as client:
            client.open("main.py")
            text = client.texts["main.py"]
            client.type("main.py", "from datetime", "import os\nfrom datetime")
            place = client.place("main.py", "import os")
            at = {"start": place["position"], "end": place["position"]}
            context: Json = {"diagnostics": [], "only": ["source.fixAll"]}
            params = {"textDocument": place["textDocument"], "range": at, "context": context}
            actions = await client.result("textDocument/codeAction", params)
            (chosen,) = [one for one in actions if one["kind"] == "source.fixAll.ruff"]
            await client.result("workspace/executeCommand", chosen["command"])
            await client.until("main.py", text)
        assert await editor.diff(branch) == ""


async def test_a_fix_that_needs_the_servers_own_data_is_offered(demo: Path, state: Path) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch()
        async with open_branch(demo, state, branch, documents=LITERALS) as client:
            client.open("main.py")
            text = client.texts["main.py"]
            client.type("main.py", "from datetime", "import os\nfrom datetime")
            found = [one for one in await diagnostics(client) if one["source"] == "Ruff"]
            params = {
                "textDocument": {"uri": client.editor.uri("main.py")},
                "range": found[0]["range"],
                "context": {"diagnostics": found},
            }
            actions = await client.result("textDocument/codeAction", params)
            (chosen,) = [one for one in actions if "Remove unused import" in one["title"]]
            await client.result("workspace/executeCommand", chosen["command"])
            await client.until("main.py", text)


async def diagnostics(client: Buffers) -> list[Json]:
    """What the client would show: it asks, or hears of them."""
    params = {"textDocument": {"uri": client.editor.uri("main.py")}}
    return (await client.result("textDocument/diagnostic", params))["items"]


async def test_what_no_server_knows_is_null(demo: Path, state: Path) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch()
        async with open_branch(demo, state, branch) as client:
            client.open("main.py")
            for method in ("foldingRange", "selectionRange"):
                assert await client.ask(method, "main.py", "def main") is None
            said = [m for m in client.editor.recorder.unasked() if "logMessage" in m["method"]]
            assert {"basedpyright", "ruff"} <= {m["params"]["message"].split(":")[0] for m in said}


async def test_an_older_client_reads_its_own_shapes(demo: Path, state: Path) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch(EDITED)
        async with open_branch(demo, state, branch, abilities=APPLIES) as client:
            await shown(client)
            symbols = await client.ask("documentSymbol", "main.py", "first()\n")
            assert {"first", "main"} <= {symbol["name"] for symbol in symbols}
            assert all("location" in symbol for symbol in symbols)
            (target,) = await client.ask("definition", "main.py", "first()\n")
            assert target["uri"] == client.editor.uri("main.py")
