"""Asking one real server about snapshots, and what its answers must be."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.langserver.worlds import World, open_pool, real_spec, soon
from tests.support.kit import Kit
from understudy.langserver import methods
from understudy.langserver.client import Hooks
from understudy.langserver.pool import Pool
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Finding, counts
from understudy.values.paths import Root
from understudy.values.verdicts import Answer

SECONDS = 60.0
ASKED = {methods.DIAGNOSTIC, methods.EXECUTE_COMMAND, methods.DID_CHANGE}


@dataclass
class Bench:
    """A kit's server with its folder; `sent` is set when the server was asked something.

    `messages` are all in the order of their arrival or sending.
    """

    kit: Kit
    world: World
    pool: Pool
    spec: ServerSpec
    sent: asyncio.Event = field(default_factory=asyncio.Event)
    messages: list[tuple[str, Mapping[str, Any]]] = field(default_factory=lambda: [])

    async def judge(
        self,
        snapshot: Snapshot,
        path: str | None = None,
        owner: str = "one",
        seconds: float = SECONDS,
    ) -> Answer:
        path = path or self.kit.path
        async with self.pool.lease(self.spec, owner, soon(seconds)) as lease:
            return (await lease.judge(snapshot, [path], soon(seconds)))[path]

    async def abandon(self, snapshot: Snapshot) -> None:
        """Begin to judge a snapshot, and cancel as soon as the server has been asked."""
        self.sent.clear()
        judging = asyncio.ensure_future(self.judge(snapshot, owner="abandoned"))
        asked = asyncio.ensure_future(self.sent.wait())
        await asyncio.wait([judging, asked], return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        judging.cancel()
        await asyncio.gather(judging, asked, return_exceptions=True)


def installed(kit: Kit, root: Root) -> ServerSpec:
    """The kit's server as the search path has it."""
    return real_spec(kit.name, root, {kit.name: kit.overrides})


@asynccontextmanager
async def bench_of(
    kit: Kit, tmp_path: Path, spec_of: Callable[[Kit, Root], ServerSpec] = installed
) -> AsyncIterator[Bench]:
    world = World.make(tmp_path / "work", kit.files)
    bench: list[Bench] = []

    asked = ASKED | ({methods.DID_OPEN} if kit.name == "clangd" else set())

    def record(direction: str, message: Mapping[str, Any]) -> None:
        bench[0].messages.append((direction, message))
        if direction == "sent" and message.get("method") in asked:
            bench[0].sent.set()

    async with open_pool(tmp_path / "logs", hooks=Hooks(recorder=record)) as pool:
        bench.append(Bench(kit, world, pool, spec_of(kit, world.root)))
        yield bench[0]


def by_id(kit: Kit) -> str:
    return kit.id


def serious(answer: Answer) -> list[Finding]:
    assert answer.reason is None, answer.reason
    assert answer.findings is not None
    return [finding for finding in answer.findings if counts(finding.severity, "warning")]


def assert_marked(answer: Answer, kit: Kit, marker: str | None) -> None:
    """The answer has the marker's finding, at its place, and no other."""
    findings = serious(answer)
    if marker is None:
        assert findings == []
        return
    lines = kit.marked(marker).split("\r\n" if "\r\n" in kit.marked(marker) else "\n")
    (finding,) = [finding for finding in findings if marker in finding.message]
    start, end = finding.range.start, finding.range.end
    assert start.line == end.line
    # A type checker may add that the type of the undefined name is unknown.
    assert all(other.range.start.line == start.line for other in findings)
    assert not any("undefined_" in other.message for other in findings if other is not finding)
    # Some servers mark the quotes or the dollar sign along with the name.
    assert lines[start.line][start.column : end.column].strip('"$') == marker


async def branches_stay_apart(bench: Bench) -> None:
    """Ask about branches in turn and at once, some of them given up: each answer is its own."""
    kit = bench.kit
    chance = random.Random(kit.id)
    markers = [None if i % 3 == 2 else f"undefined_{i}_of_it" for i in range(6)]
    snapshots = [
        bench.world.snapshot({} if marker is None else {kit.path: kit.marked(marker)})
        for marker in markers
    ]
    asks = [bench.judge(snapshot, owner=f"{i}") for i, snapshot in enumerate(snapshots)]
    for marker, answer in zip(markers, await asyncio.gather(*asks), strict=True):
        assert_marked(answer, kit, marker)
    for turn in range(12):
        if turn % 2:
            await bench.abandon(chance.choice(snapshots))
        branch = chance.randrange(len(snapshots))
        assert_marked(await bench.judge(snapshots[branch]), kit, markers[branch])


async def dependencies_count(bench: Bench) -> None:
    """A dependency that is changed in memory alone decides about its untouched importer."""
    cross = bench.kit.cross
    assert cross is not None
    assert serious(await bench.judge(bench.world.snapshot(), cross.importer)) == []
    for i in range(4):
        bad = bench.world.snapshot({cross.dependency: cross.bad(i)})
        good = bench.world.snapshot({cross.dependency: cross.good(i)})
        assert len(serious(await bench.judge(bad, cross.importer))) == 1
        await bench.abandon(bad)
        assert serious(await bench.judge(good, cross.importer)) == []
        assert len(serious(await bench.judge(bad, cross.importer))) == 1
        assert serious(await bench.judge(bench.world.snapshot(), cross.importer)) == []
