"""A client of a branch that shares: files without edits of the branch stay the user's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.e2e.branch_client import Buffers, open_branch
from tests.e2e.lsp_client import Editor, Json, connect, open_editor
from tests.support.workspace import state_of

BROKEN = {"kind": "replace", "path": "main.py", "old": "late_fee(", "new": "later_fee("}
LITERALS: Json = {
    "diagnostic": {},
    "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix"]}}},
}
OWN = "invoices/reminders.py"


@asynccontextmanager
async def sharing(
    folder: Path, state: Path, *arguments: str
) -> AsyncIterator[tuple[Editor, Buffers, str]]:
    """A client that shows a branch which has edited main.py; no byte of the folder changes."""
    before = state_of(folder)
    async with open_editor(folder, state, {"trusted": True}) as editor:
        branch = await editor.branch(BROKEN)
        async with open_branch(folder, state, branch, *arguments, documents=LITERALS) as client:
            client.open("main.py")
            client.open(OWN)
            await client.until(
                "main.py", client.texts["main.py"].replace("late_fee(", "later_fee(")
            )
            yield editor, client, branch
    assert state_of(folder) == before


def sources(found: list[Json]) -> set[str]:
    return {one["source"] for one in found}


async def side(client: Buffers, path: str) -> str | None:
    document = {"textDocument": {"uri": client.editor.uri(path)}}
    return (await client.result("understudy/side", document))["branch"]


async def test_what_is_typed_in_a_users_file_is_not_the_branchs(demo: Path, state: Path) -> None:
    async with sharing(demo, state, "--all") as (editor, client, branch):
        assert (await side(client, "main.py"), await side(client, OWN)) == (branch, None)
        before = await editor.diff(branch)
        client.type(OWN, "def late_fee(", "late: int = nothing\n\n\ndef late_fee(")
        found = await client.pull(OWN)
        assert sources(found) == {"basedpyright", "Ruff"}
        assert all("nothing" in one["message"] for one in found)
        assert await editor.diff(branch) == before
        hover = await client.ask(
            "hover", OWN, "def late_fee", position=client.place(OWN, "late_fee(")["position"]
        )
        assert "late_fee" in hover["contents"]["value"]


async def test_the_branch_is_over_the_users_own_buffers(demo: Path, state: Path) -> None:
    async with sharing(demo, state, "--all") as (_, client, _):
        client.type(OWN, "def late_fee(", "def latest_fee(")
        found = await client.pull("main.py")
        assert any("late_fee" in one["message"] and "import" in one["message"] for one in found)


async def test_one_server_alone_answers_about_the_users_files(demo: Path, state: Path) -> None:
    async with sharing(demo, state, "--through", "ruff") as (_, client, _):
        client.type(OWN, "def late_fee(", "late: int = nothing\n\n\ndef late_fee(")
        assert sources(await client.pull(OWN)) == {"Ruff"}
        assert sources(await client.pull("main.py")) == {"basedpyright", "Ruff"}


async def test_a_server_that_nobody_knows_is_refused(demo: Path, state: Path) -> None:
    async with open_editor(demo, state) as editor:
        branch = await editor.branch()
        async with connect(demo, state, "--branch", branch, "--through", "nobody") as client:
            error = (await client.initialize())["error"]
            assert error["data"]["code"] == "unknown-server"
            assert await client.shut_down() == 0


async def test_edits_of_users_files_are_the_clients_to_make(demo: Path, state: Path) -> None:
    async with sharing(demo, state, "--all") as (editor, client, branch):
        before = await editor.diff(branch)
        inside = await client.ask("rename", OWN, "invoice: Invoice", newName="bill")
        assert OWN in str(inside)
        assert await editor.diff(branch) == before
        across = {**client.place(OWN, "late_fee("), "newName": "fee"}
        error = await client.refusal("textDocument/rename", across)
        assert error["data"]["code"] == "of-the-branch"
        assert error["data"]["where"] == "main.py"

        client.type(OWN, "def late_fee(", "import os\n\n\ndef late_fee(")
        place = client.place(OWN, "import os")
        at = {"start": place["position"], "end": place["position"]}
        asked: Json = {"context": {"diagnostics": [], "only": ["source.fixAll"]}, "range": at}
        actions = await client.result("textDocument/codeAction", {**place, **asked})
        (chosen,) = [one for one in actions if one["kind"] == "source.fixAll.ruff"]
        await client.result("workspace/executeCommand", chosen["command"])
        assert "import os" not in client.texts[OWN]
        assert await editor.diff(branch) == before


async def test_a_file_that_an_agent_begins_to_edit_stays_the_users_until_closed(
    demo: Path, state: Path
) -> None:
    async with sharing(demo, state, "--all") as (editor, client, branch):
        text = client.texts[OWN]
        edit = {"kind": "replace", "path": OWN, "old": "def late_fee(", "new": "def latest_fee("}
        await editor.edit(branch, edit)
        assert await client.pull(OWN) == []
        assert (await side(client, OWN), client.texts[OWN]) == (None, text)
        client.editor.close(OWN)
        client.open(OWN)
        await client.until(OWN, text.replace("def late_fee(", "def latest_fee("))
        assert await side(client, OWN) == branch
