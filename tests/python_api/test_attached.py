"""Beside an editor, another program and the command line: a folder has one host."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import understudy as u
from tests.e2e.command_line import Shell
from tests.e2e.folders import toy_profile
from tests.e2e.lsp_client import open_editor

TOY = {"settings": {"servers": {"toy": toy_profile("well_behaved")}}}
BAD = {"kind": "write", "path": "a.txt", "text": "BAD one\n"}
PATCH = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-fine\n+BAD patch\n"


async def test_beside_an_editor_its_unsaved_text_is_seen(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {**TOY, "trusted": True}) as editor:
        editor.open("a.txt", "unsaved\n", "plaintext")
        made = await editor.branch({"kind": "write", "path": "b.txt", "text": "of the editor\n"})
        async with u.AsyncWorkspace(folder, trust=True) as ws, ws.branch("mine") as b:
            await b.edit([{"kind": "replace", "path": "a.txt", "old": "unsaved", "new": "BAD"}])
            assert isinstance(await b.check(), u.Findings)
            assert "-unsaved\n+BAD" in await b.diff()
            assert "+of the editor" in await (await ws.open(made)).diff()
            assert (await ws.status()).trusted
            assert (await b.run(["cat", "a.txt"])).output.head == "BAD\n"
        listed = (await editor.ask("understudy/branch/list"))["branches"]
        assert [branch["title"] for branch in listed] == ["", "mine"]


async def test_an_editor_that_does_not_trust_the_folder(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, {**TOY, "trusted": False}):
        with pytest.raises(u.Refused) as refused:
            async with u.AsyncWorkspace(folder, trust=True):
                pass
        assert refused.value.code == "host-untrusted"
        async with u.AsyncWorkspace(folder) as ws:
            assert isinstance(await ws.check([BAD]), u.Findings)


async def test_events_of_others(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor, u.AsyncWorkspace(folder) as ws:
        events = ws.events()
        first = asyncio.ensure_future(anext(events))
        while not first.done():
            await editor.branch(BAD)
        assert await first == u.BranchesChanged()
        await events.aclose()


async def test_the_host_that_ends_is_told_and_followed(folder: Path, state: Path) -> None:
    async with u.AsyncWorkspace(folder) as ws:
        async with open_editor(folder, state, TOY) as editor:
            # Whoever comes first is the host: the editor has attached.
            await editor.branch(BAD)
            (branch,) = await ws.branches()
        assert (await ws.branches())[0].id == branch.id


async def test_a_program_whose_host_ends_becomes_it(folder: Path, state: Path) -> None:
    async with open_editor(folder, state, TOY) as editor:
        ws = u.AsyncWorkspace(folder)
        b = await ws.branch("mine")
        await b.edit([BAD])
        assert await editor.shut_down() == 0
    codes: list[str] = []
    while not (codes and codes[-1] == "findings"):  # it may not have seen yet that its host ended
        try:
            codes.append((await b.check()).word)
        except u.OutsideFailure as error:
            codes.append(error.code)
    assert set(codes) <= {"host-ended", "findings"}
    await ws.close()


def test_two_objects_of_one_folder(folder: Path) -> None:
    with u.Workspace(folder) as first, u.Workspace(folder) as second:
        b = first.branch("shared")
        b.edit([BAD])
        assert isinstance(second.open(b.id).check(), u.Findings)
        assert isinstance(b.check(), u.Findings)


def test_trust_is_for_its_object_alone(folder: Path, state: Path) -> None:
    shell = Shell(folder, state)
    with u.Workspace(folder, trust=True) as ws:
        b = ws.branch("trusted")
        b.edit([BAD])
        assert ws.status().trusted
        with pytest.raises(u.Refused) as refused:
            u.Workspace(folder).__enter__()
        assert refused.value.code == "other-terms"
        done = shell("branches", "list")
        assert (done.code, "other-terms" in done.err) == (2, True)
        assert shell("check", "-", stdin=PATCH).code == 1
        with u.Workspace(folder, trust=True) as same:
            assert same.status().trusted
            assert isinstance(same.open(b.id).check(), u.Findings)
    with u.Workspace(folder) as ws:
        assert ws.status().trusted is False
        assert [info.title for info in ws.branches()] == ["trusted"]
    assert "trusted" in shell("branches", "list").out
