"""Leases, generations and limits of the pool, on a toy that behaves."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.langserver.toybox import BAD, SECONDS, Zoo, open_zoo
from tests.langserver.worlds import soon, write
from understudy.langserver import methods
from understudy.langserver.client import Hooks, Progress
from understudy.langserver.seat import ServerLimits


async def test_nothing_starts_before_the_first_judgement(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        async with zoo.pool.lease(zoo.spec("well_behaved"), "one", soon(SECONDS)):
            pass
        assert [status.pid for status in await zoo.pool.status()] == [None]


async def test_many_branches_at_once_get_their_own_answers(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved")
        texts = [f"BAD {i}" if i % 3 else "fine" for i in range(64)]
        asks = [zoo.judge(spec, {"a.txt": f"{text}\n"}, owner=text) for text in texts]
        for text, answer in zip(texts, await asyncio.gather(*asks), strict=True):
            assert answer.findings is not None
            assert [finding.message for finding in answer.findings] == [text][: "BAD" in text]
        (status,) = await zoo.pool.status()
        assert (status.generation, status.n_waiting, status.state) == (1, 0, "idle")


async def test_a_server_that_is_started_ahead_is_the_one_that_answers(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved")
        zoo.pool.start(spec, zoo.world.base.folder)
        zoo.pool.start(spec, zoo.world.base.folder)
        await state_becomes(zoo, "idle")
        assert (await zoo.judge(spec, BAD)).findings is not None
        assert (await zoo.pool.status())[0].generation == 1


async def test_a_server_that_is_started_ahead_and_never_used_is_ended(tmp_path: Path) -> None:
    async with open_zoo(tmp_path, ServerLimits(idle_s=0.05)) as zoo:
        zoo.pool.start(zoo.spec("well_behaved"), zoo.world.base.folder)
        await state_becomes(zoo, "stopped")
        assert (await zoo.pool.status())[0].generation == 1


async def test_a_server_that_is_started_ahead_has_read_the_disk_of_then(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved", config_files=["b.txt"])
        zoo.pool.start(spec, zoo.world.base.folder)
        await state_becomes(zoo, "idle")
        write(zoo.world.root.path / "b.txt", "another configuration\n")
        zoo.world.rescan()
        assert (await zoo.judge(spec, BAD)).findings is not None
        assert (await zoo.pool.status())[0].generation == 2


async def test_a_start_ahead_that_fails_is_told_at_the_first_use(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("exits_at_once")
        zoo.pool.start(spec, zoo.world.base.folder)
        await state_becomes(zoo, "failed")
        answer = await zoo.judge(spec, BAD)
        assert answer.reason is not None
        assert answer.reason.code == "crashed"


async def test_a_busy_server_is_waited_for_no_longer_than_the_deadline(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved")
        async with zoo.pool.lease(spec, "one", soon(SECONDS)):
            answer = await zoo.judge(spec, BAD, seconds=0.1, owner="two")
        assert answer.reason is not None
        assert answer.reason.code == "timeout"
        assert (await zoo.judge(spec, BAD)).findings is not None


async def test_an_unused_server_is_ended(tmp_path: Path) -> None:
    async with open_zoo(tmp_path, ServerLimits(idle_s=0.05)) as zoo:
        spec = zoo.spec("well_behaved")
        assert (await zoo.judge(spec, BAD)).findings is not None
        await state_becomes(zoo, "stopped")
        assert (await zoo.judge(spec, BAD)).findings is not None
        assert (await zoo.pool.status())[0].generation == 2


async def test_a_server_over_its_memory_is_replaced(tmp_path: Path) -> None:
    async with open_zoo(tmp_path, ServerLimits(memory_bytes=1024, memory_look_s=0.0)) as zoo:
        spec = zoo.spec("well_behaved")
        assert (await zoo.judge(spec, BAD)).findings is not None
        await state_becomes(zoo, "stopped")
        assert (await zoo.judge(spec, BAD)).findings is not None
        assert (await zoo.pool.status())[0].generation == 2


async def test_retired_servers_end_and_others_stay(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        old, new = zoo.spec("well_behaved"), zoo.spec("well_behaved", settings={"x": 1})
        assert old != new
        for spec in (old, new):
            assert (await zoo.judge(spec, BAD)).findings is not None
        zoo.pool.retire(lambda spec: spec == old)
        (status,) = await zoo.pool.status()
        assert status.state == "idle"


async def test_a_closed_pool_gives_a_reason(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        await zoo.pool.close()
        answer = await zoo.judge(zoo.spec("well_behaved"), BAD)
        assert answer.reason is not None
        assert answer.reason.code == "cancelled"


async def test_closing_ends_a_judgement_and_starts_nothing(tmp_path: Path) -> None:
    asked = asyncio.Event()

    def record(direction: str, message: Mapping[str, Any]) -> None:
        if direction == "sent" and message.get("method") == methods.DIAGNOSTIC:
            asked.set()

    async with open_zoo(tmp_path, hooks=Hooks(recorder=record)) as zoo:
        spec = zoo.spec("never_answers")
        judging = asyncio.ensure_future(zoo.judge(spec, BAD, seconds=SECONDS))
        waiting = asyncio.ensure_future(zoo.judge(spec, BAD, seconds=SECONDS, owner="next"))
        await asked.wait()
        await zoo.pool.close()
        for answer in (await judging, await waiting):
            assert answer.reason is not None
            assert answer.reason.code == "cancelled"
        assert [status.generation for status in await zoo.pool.status()] == [1]


async def test_who_waits_for_a_retired_server_is_still_served(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved")
        async with zoo.pool.lease(spec, "holder", soon(SECONDS)):
            asks = [asyncio.ensure_future(zoo.judge(spec, BAD, owner=owner)) for owner in "abab"]
            await asyncio.sleep(0)
            zoo.pool.retire(lambda _spec: True)
        for answer in await asyncio.gather(*asks):
            assert answer.findings is not None


async def test_closing_while_a_server_starts_leaves_nothing(tmp_path: Path) -> None:
    async with open_zoo(tmp_path, ServerLimits(start_s=SECONDS)) as zoo:
        answer = await zoo.judge(zoo.spec("never_initializes"), BAD, seconds=0.3)
        assert answer.reason is not None
        assert answer.reason.code == "starting"
        await zoo.pool.close()


async def test_every_path_gets_its_own_answer(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        write(zoo.world.root.path / "binary.txt", b"a\0b")
        write(zoo.world.root.path / "large.txt", b"a" * (20 * 1024 * 1024 + 1))
        zoo.world.rescan()
        paths = ["binary.txt", "a.txt", "large.txt", "missing.txt", "a.py"]
        async with zoo.pool.lease(zoo.spec("well_behaved"), "one", soon(SECONDS)) as lease:
            answers = await lease.judge(zoo.world.snapshot(BAD), paths, soon(SECONDS))
        assert list(answers) == paths
        codes = [None if a.reason is None else a.reason.code for a in answers.values()]
        assert codes == ["unsupported", None, "too-large", "unsupported", "unsupported"]


async def test_progress_is_passed_on(tmp_path: Path) -> None:
    seen: list[Progress] = []
    async with open_zoo(tmp_path, hooks=Hooks(progress=seen.append)) as zoo:
        await zoo.judge(zoo.spec("reports_progress"), BAD)
    assert [(step.kind, step.text, step.percentage) for step in seen] == [
        ("begin", "indexing", 0),
        ("report", "indexing half", 50),
        ("end", "indexing", None),
    ]


async def test_unchanged_text_is_not_sent_again(tmp_path: Path) -> None:
    sent: list[str] = []

    def record(direction: str, message: Mapping[str, Any]) -> None:
        if direction == "sent" and message.get("method", "").startswith("textDocument/did"):
            sent.append(message["method"])

    async with open_zoo(tmp_path, hooks=Hooks(recorder=record)) as zoo:
        spec = zoo.spec("well_behaved")
        for edits in (None, None, BAD, BAD, None):
            await zoo.judge(spec, edits)
    assert sent == [methods.DID_OPEN, methods.DID_CHANGE, methods.DID_CHANGE]


async def test_a_version_that_was_proven_is_not_asked_again(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved", rule="version")
        for edits, n_findings in ((BAD, 1), (None, 0), (BAD, 1), (None, 0)):
            answer = await zoo.judge(spec, edits)
            assert answer.findings is not None
            assert len(answer.findings) == n_findings


async def state_becomes(zoo: Zoo, state: str) -> None:
    async def poll() -> None:
        (status,) = await zoo.pool.status()
        while status.state != state:
            (status,) = await zoo.pool.status()

    await asyncio.wait_for(poll(), SECONDS)


async def test_several_processes_take_turns_and_go_when_they_are_not_wanted(tmp_path: Path) -> None:
    async with open_zoo(tmp_path) as zoo:
        spec = zoo.spec("well_behaved")
        with zoo.pool.several(2):
            async with (
                zoo.pool.lease(spec, "one", soon(SECONDS)) as one,
                zoo.pool.lease(spec, "two", soon(SECONDS)) as two,
            ):
                assert one is not two
                assert len(await zoo.pool.status()) == 2
                late = await zoo.judge(spec, BAD, seconds=0.1, owner="three")
                assert late.reason is not None
                assert late.reason.code == "timeout"
            texts = [f"BAD {number}" for number in range(32)]
            asks = [zoo.judge(spec, {"a.txt": f"{text}\n"}, owner=text) for text in texts]
            for text, answer in zip(texts, await asyncio.gather(*asks), strict=True):
                assert answer.findings is not None
                assert [finding.message for finding in answer.findings] == [text]
            pids = {status.pid for status in await zoo.pool.status()}
            assert len(pids) == 2
            assert None not in pids
        assert len(await zoo.pool.status()) == 1
        assert (await zoo.judge(spec, BAD)).findings is not None
