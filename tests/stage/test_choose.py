"""Which kind of stage is chosen, and what is said where none works."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.e2e.folders import make_folder
from tests.support.workspace import state_of
from understudy.stage.choose import StageChooser
from understudy.stage.copy import landlock
from understudy.stage.memory import MemoryKind
from understudy.stage.model import Command, Stage, StagePlan
from understudy.values.errors import BadInput, OutsideFailure, Refused, UnderstudyError
from understudy.workspace.tasks import Tasks


@pytest.fixture
async def chooser(tmp_path: Path) -> AsyncIterator[StageChooser]:
    tasks = Tasks()
    made = StageChooser(tmp_path / "scratch", tmp_path / "stage.log", tasks.spawn)
    yield made
    await made.close()
    await tasks.close()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return Path(os.path.realpath(make_folder(tmp_path / "work", {"a.txt": "a\n"})))


def no_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a system without them: the overlay kind finds out by itself."""
    monkeypatch.setattr("sys.platform", "elsewhere")


def no_landlock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 0)


async def run(stage: Stage, *argv: str) -> str:
    output = bytearray()
    await stage.run(Command(argv), output.extend)
    return output.decode()


async def test_the_best_that_works(chooser: StageChooser, root: Path) -> None:
    reports = await chooser.probe()
    assert [report.kind for report in reports] == ["overlay", "copy", "memory"]
    best = next(report.kind for report in reports if report.ok)
    stage = await chooser.open(StagePlan(root))
    assert stage.kind == best
    assert await stage.read("a.txt") == b"a\n"


async def test_a_copy_where_there_are_no_namespaces(
    chooser: StageChooser, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_namespaces(monkeypatch)
    overlay, copy, _ = await chooser.probe()
    assert (overlay.ok, overlay.step, bool(overlay.fix)) == (False, "platform", True)
    assert copy.ok
    stage = await chooser.open(StagePlan(root))
    assert stage.kind == "copy"
    assert await run(stage, "cat", "a.txt") == "a\n"


async def test_nothing_runs_where_nothing_fences(
    chooser: StageChooser, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_namespaces(monkeypatch)
    no_landlock(monkeypatch)
    before = state_of(root)
    stage = await chooser.open(StagePlan(root))
    assert stage.kind == "memory"
    await stage.write({"a.txt": b"A\n"})
    assert await stage.read("a.txt") == b"A\n"
    with pytest.raises(Refused) as caught:
        await run(stage, "cat", "a.txt")
    assert caught.value.code == "cannot-run"
    for told in ("overlay", "platform", "copy", "landlock", "Linux kernel"):
        assert told in caught.value.text
    assert state_of(root) == before


async def test_unfenced_only_when_asked(
    chooser: StageChooser, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    no_namespaces(monkeypatch)
    no_landlock(monkeypatch)
    stage = await chooser.open(StagePlan(root), unfenced=True)
    assert (stage.kind, stage.isolation.files) == ("copy", False)
    assert await run(stage, "sh", "-c", "echo x > a.txt; cat a.txt") == "x\n"
    assert (root / "a.txt").read_text() == "a\n"


async def test_a_fence_is_not_given_up_where_there_is_one(
    chooser: StageChooser, root: Path
) -> None:
    stage = await chooser.open(StagePlan(root), unfenced=True)
    assert stage.isolation.files


async def test_a_wanted_kind_or_none(
    chooser: StageChooser, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (await chooser.open(StagePlan(root), wanted="memory")).kind == "memory"
    assert (await chooser.open(StagePlan(root), wanted="copy")).kind == "copy"
    no_namespaces(monkeypatch)
    with pytest.raises(OutsideFailure) as caught:
        await chooser.open(StagePlan(root), wanted="overlay")
    assert caught.value.code == "stage-unavailable"
    with pytest.raises(BadInput) as refused:
        await chooser.open(StagePlan(root), wanted="other")  # pyright: ignore[reportArgumentType]
    assert refused.value.code == "no-such-stage"


async def test_a_stage_in_memory(root: Path) -> None:
    stage = await MemoryKind().open(StagePlan(root))
    await stage.write({"a.txt": None, "new.txt": b"n"})
    assert [await stage.read(path) for path in ("a.txt", "new.txt", "no.txt")] == [None, b"n", None]
    assert (await stage.changes()).items == ()
    spawn = Tasks().spawn
    with pytest.raises(Refused):
        await stage.start(Command(("true",)), log=root / "log", spawn=spawn)
    await stage.close()
    with pytest.raises(UnderstudyError) as caught:
        await stage.read("a.txt")
    assert caught.value.code == "stage-lost"


async def test_closing_ends_all_stages(chooser: StageChooser, root: Path) -> None:
    stages = [
        await chooser.open(StagePlan(root)),
        await chooser.open(StagePlan(root), wanted="copy"),
    ]
    heard = asyncio.Event()
    runs = [
        asyncio.ensure_future(
            stage.run(Command(("sh", "-c", "echo up; sleep 1000")), lambda _: heard.set())
        )
        for stage in stages
    ]
    await asyncio.wait_for(heard.wait(), 60)
    await chooser.close()
    done, pending = await asyncio.wait(runs, timeout=60)
    assert not pending
    assert all(run.exception() is not None or run.result().status != 0 for run in done)
