"""The zoo: each toy misbehaves in one way, and none of them ever makes us say `clean` wrongly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.langserver.toybox import BAD, SECONDS, TOYS, Zoo, open_zoo
from understudy.langserver.client import Hooks
from understudy.langserver.spec import ServerSpec

LATE = {"timeout", "starting"}
LATE_SECONDS = 0.5
RIGHT = "right"


@pytest.fixture
async def zoo(tmp_path: Path) -> AsyncIterator[Zoo]:
    async with open_zoo(tmp_path) as opened:
        yield opened


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
    ("never_initializes", "pull", LATE),
    ("never_answers", "pull", LATE),
    ("never_answers", "version", LATE),
    ("never_answers", "canary", LATE),
    ("never_registers", "pull", LATE),
    ("registers_late", "pull", RIGHT),
    ("wrong_version", "version", LATE),
    ("unversioned", "version", LATE),
    ("unversioned", "canary", RIGHT),
    ("stale_push", "version", LATE),
    ("stale_first", "version", LATE),
    ("stale_first", "canary", RIGHT),
    ("empty_first", "version", RIGHT),
    ("empty_first", "canary", RIGHT),
    ("answers_null", "pull", {"unproven"}),
    ("answers_unchanged", "pull", {"unproven"}),
    ("answers_error", "pull", {"unproven"}),
    ("answers_error", "pull_command", LATE),
    ("malformed_items", "pull", {"unproven"}),
    ("cancels_forever", "pull", LATE),
    ("cancels_twice", "pull", RIGHT),
    ("duplicate_answers", "pull", RIGHT),
    ("wrong_id", "pull", LATE),
    ("floods_stderr", "pull", RIGHT),
    ("slow", "pull", RIGHT),
    ("stops_reading", "pull", LATE),
    ("asks_unknown", "pull", RIGHT),
    ("leaves_children", "pull", {"crashed"}),
]


@pytest.mark.parametrize(("toy", "rule", "expected"), CASES)
async def test_no_toy_makes_us_say_clean(zoo: Zoo, toy: str, rule: str, expected: Any) -> None:
    spec = zoo.spec(toy, rule=rule)
    seconds = LATE_SECONDS if expected is LATE else SECONDS
    for edits, n_findings in ((BAD, 1), (None, 0)):
        answer = await asyncio.wait_for(zoo.judge(spec, edits, seconds), seconds + 1.0)
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
    assert_private_log(Path(answer.reason.text.rpartition("log: ")[2]), "no licence\n")


def assert_private_log(log: Path, text: str) -> None:
    assert log.read_text() == text
    assert log.stat().st_mode & 0o777 == 0o600


async def test_a_server_that_died_is_started_again(zoo: Zoo) -> None:
    spec = zoo.spec("dies_halfway")
    answer = await zoo.judge(spec, BAD)
    assert answer.findings is not None
    assert len(answer.findings) == 1
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
    assert late.reason.code in LATE
    clean = await zoo.judge(spec, None, seconds=SECONDS)
    assert clean.findings == ()


async def test_a_hung_server_is_replaced(zoo: Zoo) -> None:
    spec = zoo.spec("never_answers")
    for _ in range(4):
        await zoo.judge(spec, BAD, seconds=0.4)
    for _ in range(60):  # on a busy machine the time is over before the server was asked
        if [status.generation for status in await zoo.pool.status()] != [1]:
            break
        await zoo.judge(spec, BAD, seconds=0.4)
    assert [status.generation for status in await zoo.pool.status()] == [2]


async def test_an_end_that_the_server_refuses_is_forced(zoo: Zoo) -> None:
    spec = zoo.spec("ignores_the_end")
    assert (await zoo.judge(spec, BAD)).findings is not None
    await asyncio.wait_for(zoo.pool.close(), 6.0)  # it would go on for ever


async def test_what_is_said_before_the_probe_is_found_does_not_count(zoo: Zoo) -> None:
    spec = zoo.spec("loads_late", rule="version", probe={"probe.txt": "BAD probe\n"})
    answer = await zoo.judge(spec, BAD)
    assert answer.findings is not None
    assert [finding.message for finding in answer.findings] == ["BAD one"]
    assert (await zoo.judge(spec)).findings == ()


async def test_a_server_that_finds_nothing_in_the_probe_judges_nothing(zoo: Zoo) -> None:
    spec = zoo.spec("well_behaved", rule="version", probe={"probe.txt": "fine\n"})
    answer = await zoo.judge(spec, BAD, seconds=3.0)
    assert answer.reason is not None
    assert answer.reason.code in LATE


async def test_settings_are_answered_item_by_item(zoo: Zoo) -> None:
    spec = zoo.spec("asks_settings", settings={"toy": {"strict": True}})
    assert (await zoo.judge(spec, BAD)).findings is not None


async def test_an_editors_own_settings_are_asked_per_resource(tmp_path: Path) -> None:
    asked: list[tuple[str | None, str | None]] = []

    def configure(_spec: ServerSpec, scope: str | None, section: str | None) -> Any:
        asked.append((scope, section))
        return {"strict": True} if section == "toy" else None

    async with open_zoo(tmp_path, hooks=Hooks(configure=configure)) as zoo:
        assert (await zoo.judge(zoo.spec("asks_settings"), BAD)).findings is not None
        assert (zoo.world.root.uri("a.txt"), "toy") in asked


async def test_a_flood_on_stderr_stays_within_the_cap(zoo: Zoo, tmp_path: Path) -> None:
    await zoo.judge(zoo.spec("floods_stderr"), BAD)
    await zoo.pool.close()
    assert_capped(sorted((tmp_path / "logs").iterdir()))


def assert_capped(logs: list[Path]) -> None:
    assert len(logs) == 2
    assert all(log.stat().st_size <= 1024 * 1024 for log in logs)
    assert b"bytes of older output dropped" in logs[0].read_bytes()[:100]
