"""Calls of other servers' tools: kept exactly, named errors, and no end that is not noticed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.langserver.toybox import ended_in
from tests.support.tool_servers import SECONDS, ToolFolder, tool_folder, toy
from understudy.values.errors import OutsideFailure, UnderstudyError
from understudy.workspace.tools import catalogue as mcp_catalogue


@pytest.fixture
async def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ToolFolder]:
    monkeypatch.setattr(mcp_catalogue, "LIST_SECONDS", SECONDS)
    async with tool_folder(tmp_path) as made:
        yield made
    assert ended_in(made.folder)


async def test_a_call_and_its_receipt(work: ToolFolder) -> None:
    work.define(good=toy("well_behaved"))
    await work.synced("good")
    short = await work.call("good/say", text="hello")
    assert short.path is not None
    assert short.text == f"good/say answered; 5 bytes, kept in {short.path}\nhello"
    assert work.place.store.get(short.path) == b"hello"
    long = await work.call("good/long")
    assert long.path is not None
    exact = "".join(f"line {n}\n" for n in range(1, 20_001)).encode()
    assert work.place.store.get(long.path) == exact
    assert long.text.startswith("good/long answered\n[understudy] 208894 bytes, 20000 lines; ")
    assert len(long.text) < 4096
    wrong = await work.call("good/fail")
    assert wrong.failed
    assert wrong.text.startswith("good/fail FAILED; ")
    image = (await work.call("good/image")).text
    path = image.partition("[image/png: 4 bytes, ")[2].partition("]")[0]
    assert work.place.store.get(path) == b"\x00\x01\x02\xff"
    assert (await work.call("good/a/b", text="x")).text.endswith("\nx")


@pytest.mark.parametrize(
    ("tool", "seconds", "code"),
    [
        ("good/sai", 60, "unknown-tool"),
        ("nobody/say", 60, "unknown-server"),
        ("say", 60, "bad-params"),
        ("/say", 60, "bad-params"),
        ("good/", 60, "bad-params"),
        ("good/say", 0, "bad-params"),
        ("good/say", float("nan"), "bad-params"),
    ],
)
async def test_wrong_calls_are_named(
    work: ToolFolder, tool: str, seconds: float, code: str
) -> None:
    work.define(good=toy("well_behaved"))
    await work.synced("good")
    with pytest.raises(UnderstudyError) as error:
        await work.call(tool, seconds)
    assert error.value.code == code


async def test_calls_end_with_their_time_or_their_server(work: ToolFolder, tmp_path: Path) -> None:
    work.define(good=toy("well_behaved"), mortal=toy("exits_in_a_call"))
    await work.allow("good", "mortal")
    await work.catalogue.sync()
    with pytest.raises(OutsideFailure) as late:
        await work.call("good/wait", 2, text=str(tmp_path / "waits"))
    assert late.value.code == "mcp-timeout"
    with pytest.raises(OutsideFailure) as ended:
        await work.call("mortal/say")
    assert ended.value.code == "mcp-failed"
    assert (await work.state("mortal")).status == "failed"
    assert (await work.catalogue.sync(["mortal"]))[0].status == "ready"


async def test_the_process_that_talks_may_die(work: ToolFolder, tmp_path: Path) -> None:
    work.define(good=toy("well_behaved"))
    await work.synced("good")
    for number in range(5):  # its end may be seen before its exit is known, and the other way round
        mark = tmp_path / f"waits{number}"
        call = asyncio.create_task(work.call("good/wait", text=str(mark)))
        await work.until(mark.exists)
        child = work.catalogue.link._child
        assert child is not None
        members = psutil.Process(child.pid).children(recursive=True)
        psutil.Process(child.pid).kill()
        with pytest.raises(OutsideFailure) as failure:
            await call
        assert failure.value.code == "mcp-failed"
        for member in members:  # it sleeps in its call, and would read its end only then
            with suppress(psutil.NoSuchProcess):
                member.kill()
        assert "again" in (await work.call("good/say", 60, text="again")).text
