"""Watching over an agent: what edits since a checkpoint introduce, told as they come."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.e2e.contract import assert_check
from tests.e2e.folders import make_folder, toy_profile
from tests.e2e.lsp_client import SECONDS, Editor, Json, address_of, connect, open_editor
from tests.langserver.toybox import ended_in
from understudy.app.check import watch as verb

WATCHED = "understudy/watched"
TOY: dict[str, Any] = {"servers": {"toy": toy_profile("well_behaved")}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "work", {"a.txt": "fine\n", "b.txt": "fine\n"})


def said(editor: Editor) -> list[Json]:
    """What was told of the watch so far."""
    return [m["params"] for m in editor.recorder.unasked() if m["method"] == WATCHED]


async def told(editor: Editor, seen: int, **wanted: object) -> Json:
    """The first word of the watch, after `seen` of them, that says this and is final."""
    passed = 0

    def fits(message: Json) -> bool:
        nonlocal passed
        if message.get("method") != WATCHED:
            return False
        passed += 1
        now = message["params"]
        return passed > seen and not now.get("checking") and wanted.items() <= now.items()

    return (await editor.recorder.wait_for(fits))["params"]


async def watch(editor: Editor, action: str = "look", **params: object) -> Json:
    return await editor.ask("understudy/watch", {"action": action, **params})


def changed_on_disk(editor: Editor, path: str, text: str) -> None:
    """An agent writes a file that is not open, and the editor tells of it."""
    (editor.root / path).write_text(text)
    changes = [{"uri": editor.uri(path), "type": 2}]
    method = "workspace/didChangeWatchedFiles"
    editor.send({"method": method, "params": {"changes": changes}})


async def test_nothing_before_the_first_use(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"settings": TOY}) as editor:
        editor.open("a.txt", "BAD\n", "plaintext")
        changed_on_disk(editor, "b.txt", "BAD\n")
        assert await watch(editor) == {"watching": False}
        assert await watch(editor, "stop") == {"watching": False}
        assert editor.recorder.unasked() == []
        assert ended_in(folder)


async def test_edits_on_disk_and_in_documents(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"settings": TOY}) as editor:
        editor.open("a.txt", "BAD before\n", "plaintext")
        begun = await watch(editor, "start")
        assert (begun["watching"], begun["checkpoint"]) == (True, None)
        clean = await told(editor, 0, verdict="clean")
        assert (clean["introduced"], clean["files"]) == (0, 0)
        changed_on_disk(editor, "b.txt", "BAD on disk\n")
        found = await told(editor, 0, verdict="findings")
        assert (found["introduced"], found["unknown"]) == (1, 0)
        editor.change("a.txt", {"text": "BAD before\nBAD typed\n"})
        found = await told(editor, 0, introduced=2)
        report = (await watch(editor))["report"]
        assert_check(report)
        assert [f["message"] for f in report["introduced"]] == ["BAD typed", "BAD on disk"]
        seen = len(said(editor))
        editor.change("a.txt", {"text": "BAD before\n"}, version=3)
        changed_on_disk(editor, "b.txt", "better\n")
        assert (await told(editor, seen, verdict="clean"))["files"] == 1
        assert await watch(editor, "start") == await watch(editor)
        seen = len(said(editor))
        assert (await watch(editor, "stop")) == {"watching": False}
        assert said(editor)[seen:] == [{"watching": False}]


async def test_a_watch_since_a_checkpoint_and_since_now(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"settings": TOY}) as editor:
        checkpoint = (await editor.ask("understudy/checkpoint", {"title": "t"}))["checkpoint"]
        (folder / "b.txt").write_text("BAD\n")
        begun = await watch(editor, "start", checkpoint=checkpoint)
        assert (begun["checkpoint"], begun["title"]) == (checkpoint, "t")
        await told(editor, 0, introduced=1)
        seen = len(said(editor))
        assert (await watch(editor, "restart"))["checkpoint"] is None
        await told(editor, seen, verdict="clean")
        error = await editor.refusal("understudy/watch", {"action": "restart", "checkpoint": "c9"})
        assert error["data"]["code"] == "unknown-checkpoint"
        assert (await watch(editor))["watching"]


async def test_unknown_is_told_as_unknown(folder: Path, state: Path) -> None:
    settings = {"timeout_s": 1, "servers": {"toy": toy_profile("never_answers")}}
    async with open_editor(folder, state, {"settings": settings}) as editor:
        await watch(editor, "start")
        changed_on_disk(editor, "b.txt", "BAD\n")
        unknown = await told(editor, 0, verdict="unknown")
        assert (unknown["introduced"], unknown["unknown"]) == (0, 1)


async def test_the_folder_is_looked_at_where_nobody_tells(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {"settings": TOY}) as editor:
        await watch(editor, "start")
        await told(editor, 0, verdict="clean")
        (folder / "b.txt").write_text("BAD\n")
        assert verb.LOOK_SECONDS < SECONDS
        await told(editor, 0, verdict="findings")


@pytest.mark.parametrize("wanted", [True, False])
async def test_an_agent_that_comes_is_watched(folder: Path, state: Path, wanted: bool) -> None:
    settings = TOY if wanted else {**TOY, "watch": False}
    async with open_editor(folder, state, {"settings": settings}) as editor:
        editor.open("a.txt", "fine\n", "plaintext")
        address = address_of(state)
        reader, writer = await asyncio.open_unix_connection(address["socket"])
        hello = {"token": address["token"], "version": address["version"], "face": "agent"}
        writer.write(json.dumps(hello).encode() + b"\n")
        assert json.loads(await asyncio.wait_for(reader.readline(), SECONDS)) == {"ok": True}
        call = json.dumps({"id": 1, "call": "lint", "params": {}}).encode()
        writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(call), call))
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SECONDS)
        if wanted:
            await told(editor, 0, verdict="clean")
            editor.change("a.txt", {"text": "BAD\n"})
            await told(editor, 0, introduced=1)
        assert (await watch(editor))["watching"] is wanted
        assert bool(said(editor)) is wanted
        writer.close()


async def test_the_setting_ends_a_watch_and_hinders_none_that_is_asked_for(
    folder: Path, state: Path
) -> None:
    async with open_editor(folder, state, {"settings": TOY}, {"understudy": {}}) as editor:
        await watch(editor, "start")
        await told(editor, 0, verdict="clean")
        editor.client.set_configuration({"understudy": {"watch": False}})
        editor.send({"method": "workspace/didChangeConfiguration", "params": {"settings": None}})
        await told(editor, 0, watching=False)
        assert (await watch(editor, "start"))["watching"] is True


async def test_an_editor_that_can_tell_of_files_is_asked_to(folder: Path, state: Path) -> None:
    able = {"didChangeWatchedFiles": {"dynamicRegistration": True}}
    async with connect(folder, state) as editor:
        registered: list[lsp.RegistrationParams] = []

        @editor.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)
        def register(params: lsp.RegistrationParams) -> None:
            registered.append(params)

        await editor.initialize(abilities=able)
        await watch(editor)
        assert registered == []
        await watch(editor, "start")
        await watch(editor, "restart")
        ((registration,),) = [params.registrations for params in registered]
        assert registration.method == "workspace/didChangeWatchedFiles"
        assert await editor.shut_down() == 0
