"""An ordinary language server over one branch: what a client sees, and where its typing goes."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.e2e.branch_client import APPLIES, Buffers, open_branch
from tests.e2e.folders import make_folder
from tests.e2e.lsp_client import Editor, Json, open_editor
from tests.support.workspace import state_of

PULLS: Json = {"diagnostic": {}}
BROKEN = {"kind": "replace", "path": "main.py", "old": "late_fee(", "new": "later_fee("}


@asynccontextmanager
async def shown(
    folder: Path, state: Path, *edits: Json, documents: Json | None = PULLS
) -> AsyncIterator[tuple[Editor, Buffers, str]]:
    """A user's editor with a branch of these edits, and a client that shows it.

    No byte in the folder changes.
    """
    before = state_of(folder)
    async with open_editor(folder, state, {"trusted": True}) as editor:
        branch = await editor.branch(*edits)
        async with open_branch(folder, state, branch, documents=documents) as client:
            yield editor, client, branch
    assert state_of(folder) == before


def messages(diagnostics: list[Json], server: str) -> list[str]:
    return [one["message"] for one in diagnostics if one["source"] == server]


async def test_a_buffer_becomes_the_branchs_text(demo: Path, state: Path) -> None:
    text = (demo / "main.py").read_text()
    async with shown(demo, state, BROKEN) as (_, client, _):
        client.open("main.py")
        await client.until("main.py", text.replace("late_fee(", "later_fee("))
        found = await client.pull("main.py")
        assert '"later_fee" is not defined' in messages(found, "basedpyright")
        assert "Undefined name `later_fee`" in messages(found, "Ruff")
        hover = await client.ask("hover", "main.py", "invoice_text(")
        assert "The whole invoice" in hover["contents"]["value"]
        (target,) = await client.ask("definition", "main.py", "invoice_text(")
        assert target["uri"] == client.editor.uri("invoices/printing.py")


async def test_what_is_typed_is_the_branchs(demo: Path, state: Path) -> None:
    async with shown(demo, state) as (editor, client, branch):
        client.open("main.py")
        assert await client.pull("main.py") == []
        client.type(
            "main.py", "print(invoice_text(invoice))", 'print("\U0001f980", invoice_txt(1))'
        )
        found = await client.pull("main.py")
        (crab,) = [one for one in found if "not defined" in one["message"]]
        assert crab["range"]["start"] == {"line": 14, "character": 16}  # in UTF-16
        client.type("main.py", "invoice_txt(1)", "invoice_text(invoice)")
        assert await client.pull("main.py") == []
        assert '+    print("\U0001f980", invoice_text(invoice))' in await editor.diff(branch)


async def test_agent_and_person_edit_at_the_same_time(demo: Path, state: Path) -> None:
    async with shown(demo, state) as (editor, client, branch):
        client.open("main.py")
        client.type("main.py", '"""Prints one sample invoice."""', '"""Typed."""')
        await editor.edit(branch, BROKEN)
        both = client.texts["main.py"].replace("late_fee(", "later_fee(")
        await client.until("main.py", both)
        client.type("main.py", "def main() -> None:", "def main() -> int:")
        await client.pull("main.py")
        diff = await editor.diff(branch)
        for line in (
            '+"""Typed."""',
            "+def main() -> int:",
            '+    print("fee when late:", later_fee(',
        ):
            assert line in diff


async def test_both_on_one_line_is_told_and_loses_nothing(demo: Path, state: Path) -> None:
    async with shown(demo, state) as (editor, client, branch):
        client.open("main.py")
        await client.pull("main.py")
        client.takes_edits = False  # its user types faster than it is told
        await editor.edit(branch, BROKEN)
        await client.editor.recorder.wait_for(lambda m: m.get("method") == "workspace/applyEdit")
        client.type("main.py", "late_fee(invoice", "early_fee(invoice")
        warned = await client.editor.recorder.wait_for(
            lambda m: "very lines" in json.dumps(m.get("params"))
        )
        assert warned["method"] == "window/showMessage"
        (only,) = await client.pull("main.py")
        assert (only["severity"], only["source"]) == (3, "understudy")
        assert "unknown:" in only["message"]
        error = await client.refusal("textDocument/hover", client.place("main.py", "early_fee"))
        assert error["data"]["code"] == "out-of-step"
        assert "later_fee(" in await editor.diff(branch)
        assert "early_fee" not in await editor.diff(branch)
        client.takes_edits = True
        client.type("main.py", "early_fee(invoice", "late_fee(invoice")  # undone
        await client.until("main.py", client.texts["main.py"].replace("late_fee(", "later_fee("))
        assert await client.ask("hover", "main.py", "invoice_text(") is not None


async def test_a_client_that_applies_no_edits_is_told(demo: Path, state: Path) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch(BROKEN)
        async with open_branch(demo, state, branch, documents=PULLS, abilities={}) as client:
            client.open("main.py")
            (only,) = await client.pull("main.py")
            assert "cannot apply edits" in only["message"]
            client.type("main.py", '"""Prints one sample invoice."""', '"""Typed."""')
            await client.pull("main.py")
            diff = await editor.diff(branch)
            assert '+"""Typed."""' in diff
            assert "later_fee(" in diff
            client.open("invoices/reminders.py")  # the branch has no edit here
            assert await client.ask("hover", "invoices/reminders.py", "late_fee") is not None


async def test_diagnostics_are_published_to_who_does_not_ask(demo: Path, state: Path) -> None:
    async with shown(demo, state, documents=None) as (editor, client, branch):

        async def published(version: int, seen: int = 0, word: str = "") -> list[Json]:
            found = await client.editor.recorder.wait_for(
                lambda m: (
                    m.get("method") == "textDocument/publishDiagnostics"
                    and m["params"]["uri"] == client.editor.uri("main.py")
                    and m["params"].get("version") == version
                    and word in json.dumps(m["params"]["diagnostics"])
                ),
                seen=seen,
            )
            return found["params"]["diagnostics"]

        client.open("main.py")
        assert await published(1) == []
        client.type("main.py", "late_fee(invoice", "later_fee(invoice")
        assert messages(await published(2), "basedpyright")
        seen = len(client.editor.recorder.messages)
        other = {
            "kind": "replace",
            "path": "invoices/printing.py",
            "old": "def invoice_text",
            "new": "def x",
        }
        await editor.edit(branch, other)
        found = await published(2, seen, "invoice_text")  # what was asked before may come first
        assert any("invoice_text" in one for one in messages(found, "basedpyright"))


async def test_what_is_unknown_is_told_in_the_document(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.odd": "x\n", "b.rs": "fn main() {}\n"})
    async with shown(folder, state) as (_, client, _):
        client.open("a.odd")
        (told,) = await client.pull("a.odd")
        assert told["code"] == "no-server"
        assert told["message"].startswith("unknown: ")


async def test_bytes_that_are_no_utf_8_stay_as_they_are(tmp_path: Path, state: Path) -> None:
    folder = make_folder(tmp_path / "work", {"a.py": b"# caf\xe9 \r\nx = 1\r\ny = 2\r\n"})
    async with shown(folder, state) as (editor, client, branch):
        text = "# caf\ufffd \r\nx = 1\r\ny = 2\r\n"
        client.open("a.py", text)
        client.type("a.py", "x = 1", "x = 10")
        client.type("a.py", " \r\n", " !\r\n")
        await client.pull("a.py")
        answer = await editor.ask("understudy/branch/diff", {"branch": branch})
        assert "base64" in answer  # the byte is in there, and no replacement for it
        assert "+x = 10" in answer["diff"]
        await client.refusal("textDocument/nothing", {})


async def test_a_new_file_lives_in_the_branch_alone(demo: Path, state: Path) -> None:
    new = {"kind": "write", "path": "new.py", "text": "value: int = 1\n"}
    async with shown(demo, state, new) as (editor, client, branch):
        client.open("new.py", "")
        await client.until("new.py", "value: int = 1\n")
        client.open("newer.py", "")
        client.type("newer.py", "", "other = 2\n")
        await client.pull("newer.py")
        diff = await editor.diff(branch)
        assert "+other = 2" in diff
        assert "+value: int = 1" in diff
        assert not (demo / "new.py").exists()


async def test_two_clients_of_one_branch_see_each_other(demo: Path, state: Path) -> None:
    async with (
        shown(demo, state) as (_, client, branch),
        open_branch(demo, state, branch, documents=PULLS) as other,
    ):
        client.open("main.py")
        other.open("main.py")
        client.type("main.py", '"""Prints one sample invoice."""', '"""Typed."""')
        await other.until("main.py", client.texts["main.py"])


@pytest.mark.parametrize("abilities", [APPLIES, {"applyEdit": True}], ids=["versions", "plain"])
async def test_a_rename_is_done_in_the_branch(demo: Path, state: Path, abilities: Json) -> None:
    async with open_editor(demo, state, {"trusted": True}) as editor:
        branch = await editor.branch()
        async with open_branch(demo, state, branch, abilities=abilities) as client:
            client.open("main.py")
            text = client.texts["main.py"]
            answer = await client.ask("rename", "main.py", "invoice_text(", newName="text_of")
            assert answer == {"changes": {}}
            await client.until("main.py", text.replace("invoice_text", "text_of"))
            assert "+def text_of(" in await editor.diff(branch)
            assert await client.ask("rename", "main.py", "def main", newName="x") is None


async def test_a_buffer_follows_what_the_user_types_elsewhere(demo: Path, state: Path) -> None:
    async with shown(demo, state, BROKEN) as (editor, client, _):
        client.open("main.py")
        text = client.texts["main.py"]
        await client.until("main.py", text.replace("late_fee(", "later_fee("))
        editor.open("main.py", f"# mine\n{text}")
        await client.until("main.py", f"# mine\n{text.replace('late_fee(', 'later_fee(')}")


async def test_a_client_that_writes_the_users_file_is_told_of(demo: Path, state: Path) -> None:
    async with open_editor(demo, state) as editor:
        branch = await editor.branch(BROKEN)
        async with open_branch(demo, state, branch) as client:
            client.open("main.py")
            document = {"textDocument": {"uri": client.editor.uri("main.py")}}
            text = client.texts["main.py"].replace("late_fee(", "later_fee(")
            await client.until("main.py", text)
            client.editor.send({"method": "textDocument/didSave", "params": document})
            await client.result("textDocument/documentSymbol", document)
            assert not [m for m in client.editor.recorder.unasked() if "showMessage" in m["method"]]
            (demo / "main.py").write_text(text)
            client.editor.send({"method": "textDocument/didSave", "params": document})
            said = await client.editor.recorder.wait_for(
                lambda m: m.get("method") == "window/showMessage"
            )
            assert "has written main.py into your folder" in said["params"]["message"]
