"""The zoo: each toy misbehaves in one way, and none of them ever makes us say `clean` wrongly."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.langserver.worlds import World, open_pool, soon
from understudy.langserver.catalogue import Catalogue
from understudy.langserver.client import Hooks
from understudy.langserver.pool import Pool
from understudy.langserver.seat import Limits
from understudy.langserver.spec import ServerSpec
from understudy.values.verdicts import Answer

TOYS = Path(__file__).parent.parent / "toys"
FILES = {"a.txt": "fine\n", "b.txt": "fine\n"}
BAD = {"a.txt": "fine\nBAD one\n"}
SECONDS = 2.0
RIGHT = "right"


@dataclass
class Zoo:
    world: World
    pool: Pool

    def spec(self, toy: str, **overrides: Any) -> ServerSpec:
        record = {
            "group": "toy",
            "command": [sys.executable, "-S", str(TOYS / f"{toy}.py")],
            "files": {"*.txt": "plaintext"},
            "rule": "pull",
            "scope": "file",
            "install": "it is here",
            "canary": {"plaintext": "BAD {token}"},
            **overrides,
        }
        profile = Catalogue.load({toy: record}).named(toy)
        assert profile is not None
        return ServerSpec(profile, profile.command, self.world.root, settings=profile.settings)

    async def judge(
        self, spec: ServerSpec, edits: dict[str, str | None] | None = None, seconds: float = SECONDS
    ) -> Answer:
        async with self.pool.lease(spec, "test", soon(seconds)) as lease:
            answers = await lease.judge(self.world.snapshot(edits), ["a.txt"], soon(seconds))
        return answers["a.txt"]


@pytest.fixture
async def zoo(tmp_path: Path) -> AsyncIterator[Zoo]:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    world = World.make(tmp_path / "work", FILES)
    async with open_pool(tmp_path / "logs", Limits(start_s=3.0)) as pool:
        yield Zoo(world, pool)
    left = [p for p in psutil.Process().children(recursive=True) if p.pid not in before]
    assert left == [], "a server outlived its pool"


CASES = [
    # toy, rule, reasons or "right" for a text with an error and then for one without
    ("well_behaved", "pull", RIGHT),
    ("well_behaved", "version", RIGHT),
    ("well_behaved", "canary", RIGHT),
    ("exits_at_once", "pull", {"crashed"}),
    ("prints_garbage", "pull", {"crashed"}),
    ("invalid_json", "pull", {"crashed"}),
    ("no_length", "pull", {"crashed"}),
    ("oversized", "pull", {"crashed"}),
    ("never_initializes", "pull", {"starting", "timeout"}),
    ("never_answers", "pull", {"timeout"}),
    ("never_answers", "version", {"timeout"}),
    ("never_answers", "canary", {"timeout"}),
    ("never_registers", "pull", {"starting"}),
    ("registers_late", "pull", RIGHT),
    ("wrong_version", "version", {"timeout"}),
    ("unversioned", "version", {"timeout"}),
    ("unversioned", "canary", RIGHT),
    ("stale_push", "version", {"timeout"}),
    ("stale_first", "version", {"timeout"}),
    ("stale_first", "canary", RIGHT),
    ("empty_first", "version", RIGHT),
    ("empty_first", "canary", RIGHT),
    ("answers_null", "pull", {"unproven"}),
    ("answers_unchanged", "pull", {"unproven"}),
    ("answers_error", "pull", {"unproven"}),
    ("answers_error", "pull_command", {"timeout"}),
    ("malformed_items", "pull", {"unproven"}),
    ("cancels_forever", "pull", {"timeout"}),
    ("cancels_twice", "pull", RIGHT),
    ("duplicate_answers", "pull", RIGHT),
    ("wrong_id", "pull", {"timeout"}),
    ("floods_stderr", "pull", RIGHT),
    ("slow", "pull", RIGHT),
    ("stops_reading", "pull", {"timeout"}),
    ("asks_unknown", "pull", RIGHT),
    ("leaves_children", "pull", {"crashed"}),
]


@pytest.mark.parametrize(("toy", "rule", "expected"), CASES)
async def test_no_toy_makes_us_say_clean(zoo: Zoo, toy: str, rule: str, expected: Any) -> None:
    spec = zoo.spec(toy, rule=rule)
    loop = asyncio.get_running_loop()
    for edits, n_findings in ((BAD, 1), (None, 0)):
        began = loop.time()
        answer = await zoo.judge(spec, edits)
        assert loop.time() - began < SECONDS + 1.0
        if expected == RIGHT:
            assert answer.reason is None
            assert answer.findings is not None
            assert [finding.message for finding in answer.findings] == ["BAD one"][:n_findings]
        else:
            assert answer.findings is None
            assert answer.reason is not None
            assert answer.reason.code in expected


async def test_a_missing_program_is_not_installed(zoo: Zoo) -> None:
    spec = zoo.spec("well_behaved")
    missing = ServerSpec(spec.profile, (str(TOYS / "nothing-here"),), zoo.world.root)
    answer = await zoo.judge(missing)
    assert answer.reason is not None
    assert answer.reason.code == "not-installed"


async def test_the_reason_of_a_crash_has_the_last_words_and_the_log(zoo: Zoo) -> None:
    answer = await zoo.judge(zoo.spec("exits_at_once"))
    assert answer.reason is not None
    assert "no licence" in answer.reason.text
    assert "exit status 3" in answer.reason.text
    log = Path(answer.reason.text.rpartition("log: ")[2])
    assert log.read_text() == "no licence\n"
    assert log.stat().st_mode & 0o777 == 0o600


async def test_a_server_that_died_is_started_again(zoo: Zoo) -> None:
    spec = zoo.spec("dies_halfway")
    first = await zoo.judge(spec, BAD)
    assert first.reason is not None
    assert first.reason.code == "crashed"
    second = await zoo.judge(spec, BAD)
    assert second.findings is not None
    assert len(second.findings) == 1
    assert [status.generation for status in await zoo.pool.status()] == [2]


async def test_a_server_that_keeps_dying_is_left_alone_for_a_while(zoo: Zoo) -> None:
    spec = zoo.spec("exits_at_once")
    texts = [(await zoo.judge(spec)).reason for _ in range(3)]
    assert [reason.code for reason in texts if reason] == ["crashed"] * 3
    (status,) = await zoo.pool.status()
    assert status.generation == 2
    assert status.state == "failed"


async def test_a_slow_answer_after_the_deadline_is_not_taken_for_the_next(zoo: Zoo) -> None:
    spec = zoo.spec("slow")
    late = await zoo.judge(spec, BAD, seconds=0.3)
    assert late.reason is not None
    assert late.reason.code in {"timeout", "starting"}
    clean = await zoo.judge(spec, None, seconds=5.0)
    assert clean.findings == ()


async def test_a_hung_server_is_replaced(zoo: Zoo) -> None:
    spec = zoo.spec("never_answers")
    for _ in range(4):
        await zoo.judge(spec, BAD, seconds=0.4)
    assert [status.generation for status in await zoo.pool.status()] == [2]


async def test_an_end_that_the_server_refuses_is_forced(zoo: Zoo) -> None:
    spec = zoo.spec("ignores_the_end")
    assert (await zoo.judge(spec, BAD)).findings is not None
    began = asyncio.get_running_loop().time()
    await zoo.pool.close()
    assert asyncio.get_running_loop().time() - began < 6.0


async def test_settings_are_answered_item_by_item(zoo: Zoo) -> None:
    spec = zoo.spec("asks_settings", settings={"toy": {"strict": True}})
    assert (await zoo.judge(spec, BAD)).findings is not None


async def test_an_editors_own_settings_are_asked_per_resource(tmp_path: Path) -> None:
    asked: list[tuple[str | None, str | None]] = []

    def configure(_spec: ServerSpec, scope: str | None, section: str | None) -> Any:
        asked.append((scope, section))
        return {"strict": True} if section == "toy" else None

    world = World.make(tmp_path / "work", FILES)
    async with open_pool(tmp_path / "logs", hooks=Hooks(configure=configure)) as pool:
        zoo = Zoo(world, pool)
        assert (await zoo.judge(zoo.spec("asks_settings"), BAD)).findings is not None
    assert (world.root.uri("a.txt"), "toy") in asked


async def test_a_flood_on_stderr_stays_within_the_cap(zoo: Zoo, tmp_path: Path) -> None:
    await zoo.judge(zoo.spec("floods_stderr"), BAD)
    await zoo.pool.close()
    logs = sorted((tmp_path / "logs").iterdir())
    assert len(logs) == 2
    assert all(log.stat().st_size <= 1024 * 1024 for log in logs)
    assert b"bytes of older output dropped" in logs[0].read_bytes()[:100]
