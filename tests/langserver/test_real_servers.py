"""The eight real servers: every answer is about the snapshot that was asked, or is no answer."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.langserver.kits import CROSS_KITS, KITS, Kit
from tests.langserver.worlds import World, open_pool, real_spec, soon, write
from understudy.langserver import methods
from understudy.langserver.client import Hooks
from understudy.langserver.pool import Pool
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.findings import Finding, counts
from understudy.values.verdicts import Answer

pytestmark = pytest.mark.real

SECONDS = 60.0
ASKED = {methods.DIAGNOSTIC, methods.EXECUTE_COMMAND, methods.DID_CHANGE}


@dataclass
class Bench:
    """A kit's server with its folder; `sent` is set when the server was asked something."""

    kit: Kit
    world: World
    pool: Pool
    spec: ServerSpec
    sent: asyncio.Event = field(default_factory=asyncio.Event)

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


@asynccontextmanager
async def bench_of(kit: Kit, tmp_path: Path) -> AsyncIterator[Bench]:
    world = World.make(tmp_path / "work", kit.files)
    bench: list[Bench] = []

    def record(direction: str, message: Mapping[str, Any]) -> None:
        if direction == "sent" and message.get("method") in ASKED:
            bench[0].sent.set()

    overrides = {kit.name: kit.overrides}
    async with open_pool(tmp_path / "logs", hooks=Hooks(recorder=record)) as pool:
        bench.append(Bench(kit, world, pool, real_spec(kit.name, world.root, overrides)))
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


@pytest.mark.parametrize("kit", KITS, ids=by_id)
async def test_branches_never_see_each_other(kit: Kit, tmp_path: Path) -> None:
    chance = random.Random(kit.id)
    async with bench_of(kit, tmp_path) as bench:
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


@pytest.mark.parametrize("kit", KITS, ids=by_id)
async def test_broken_syntax_and_back(kit: Kit, tmp_path: Path) -> None:
    async with bench_of(kit, tmp_path) as bench:
        clean = bench.world.snapshot()
        assert_marked(await bench.judge(clean), kit, None)
        broken = bench.world.snapshot({kit.path: kit.broken})
        if kit.overrides.get("rule") == "canary":
            # Whether the canary is seen depends on what is broken; silence is never clean.
            answer = await bench.judge(broken, seconds=2)
            assert answer.reason is not None or serious(answer)
        else:
            assert serious(await bench.judge(broken))
        assert_marked(await bench.judge(clean), kit, None)
        shifted = bench.world.snapshot({kit.path: kit.files[kit.path] + "\n"})
        assert_marked(await bench.judge(shifted), kit, None)


@pytest.mark.parametrize("kit", CROSS_KITS, ids=by_id)
async def test_a_dependency_changed_only_in_memory(kit: Kit, tmp_path: Path) -> None:
    cross = kit.cross
    assert cross is not None
    async with bench_of(kit, tmp_path) as bench:
        assert serious(await bench.judge(bench.world.snapshot(), cross.importer)) == []
        for i in range(4):
            bad = bench.world.snapshot({cross.dependency: cross.bad(i)})
            good = bench.world.snapshot({cross.dependency: cross.good(i)})
            assert len(serious(await bench.judge(bad, cross.importer))) == 1
            await bench.abandon(bad)
            assert serious(await bench.judge(good, cross.importer)) == []
            assert len(serious(await bench.judge(bad, cross.importer))) == 1
            assert serious(await bench.judge(bench.world.snapshot(), cross.importer)) == []


@pytest.mark.parametrize("kit", CROSS_KITS, ids=by_id)
async def test_files_that_change_come_and_go_on_disk(kit: Kit, tmp_path: Path) -> None:
    cross = kit.cross
    assert cross is not None
    async with bench_of(kit, tmp_path) as bench:
        folder, world = bench.world.root.path, bench.world
        assert serious(await bench.judge(world.snapshot(), cross.importer)) == []
        for i in range(3):
            for text, n_findings in ((cross.bad(i), 1), (cross.good(i + 100), 0)):
                write(folder / cross.dependency, text)
                world.rescan()
                answer = await bench.judge(world.snapshot(), cross.importer)
                assert len(serious(answer)) == n_findings
            if not cross.created:
                continue
            for exists in (True, False):
                created = folder / cross.created
                write(created, _created(cross.created, i)) if exists else created.unlink()
                world.rescan()
                answer = await bench.judge(world.snapshot(), cross.missing)
                assert bool(serious(answer)) is not exists


@pytest.mark.parametrize("kit", KITS, ids=by_id)
async def test_a_killed_server_is_replaced(kit: Kit, tmp_path: Path) -> None:
    async with bench_of(kit, tmp_path) as bench:
        marked = bench.world.snapshot({kit.path: kit.marked("undefined_name")})
        assert_marked(await bench.judge(bench.world.snapshot()), kit, None)
        (status,) = await bench.pool.status()
        assert status.pid is not None
        bench.sent.clear()
        judging = asyncio.ensure_future(bench.judge(marked))
        await bench.sent.wait()
        # Some are started by a script, whose death alone leaves the server itself at work.
        started = psutil.Process(status.pid)
        for process in (started, *started.children(recursive=True)):
            process.kill()
        # Right by a second process, or because the answer was quicker than the signal.
        assert_marked(await judging, kit, "undefined_name")
        assert_marked(await bench.judge(marked), kit, "undefined_name")
        (status,) = await bench.pool.status()
        assert status.generation == 2


@pytest.mark.parametrize("kit", CROSS_KITS, ids=by_id)
async def test_an_older_view_of_the_folder_is_judged_as_it_was(kit: Kit, tmp_path: Path) -> None:
    cross = kit.cross
    assert cross is not None
    async with bench_of(kit, tmp_path) as bench:
        world = bench.world
        before = world.snapshot()
        assert before.read(cross.dependency) is not None  # pinned, as a checkpoint does
        write(world.root.path / cross.dependency, cross.bad(1))
        world.rescan()
        after = world.snapshot()
        for _ in range(2):
            assert serious(await bench.judge(before, cross.importer)) == []
            assert len(serious(await bench.judge(after, cross.importer))) == 1


def _created(path: str, i: int) -> str:
    return f"export const number = {i};\n" if path.endswith(".ts") else f"number = {i}\n"


REQUESTS = [
    ("typescript7", "app.ts", 'const s = "😀"; function name() {}; name();\n'),
    ("typescript-language-server", "app.ts", 'const s = "😀"; function name() {}; name();\n'),
    ("basedpyright", "app.py", 's = "😀"; name = 1; print(name)\n'),
    ("ty", "app.py", 's = "😀"; name = 1; print(name)\n'),
]


@pytest.mark.parametrize(("server", "path", "text"), REQUESTS)
async def test_requests_speak_utf16_both_ways(
    server: str, path: str, text: str, tmp_path: Path
) -> None:
    kit = next(kit for kit in KITS if kit.name == server)
    async with bench_of(kit, tmp_path) as bench:
        line = text.strip()
        definition, use = line.index("name"), line.rindex("name")
        params = {
            "textDocument": {"uri": bench.world.root.uri(path)},
            "position": {"line": 0, "character": use + 1},  # the emoji counts twice
        }
        async with bench.pool.lease(bench.spec, "one", soon(SECONDS)) as lease:
            result = await lease.request(
                bench.world.snapshot({path: text}),
                path,
                "textDocument/definition",
                params,
                soon(SECONDS),
            )
        place = result[0] if isinstance(result, list) else result
        target = place.get("targetSelectionRange") or place["range"]
        assert target["start"] == {"line": 0, "character": definition + 1}


async def test_a_schema_of_the_network_is_not_fetched_and_said_so(tmp_path: Path) -> None:
    kit = next(kit for kit in KITS if kit.name == "vscode-json")
    async with bench_of(kit, tmp_path) as bench:
        text = '{"$schema": "https://schema.invalid/x.json", "n": 1}\n'
        (finding,) = serious(await bench.judge(bench.world.snapshot({kit.path: text})))
        assert finding.severity == "warning"
        assert "not available offline" in finding.message


async def test_a_broken_shellcheck_is_never_clean(tmp_path: Path) -> None:
    kit = next(kit for kit in KITS if kit.name == "bash-language-server")
    broken = tmp_path / "bin" / "shellcheck"
    write(broken, "#!/bin/sh\necho 'no JSON'\n")
    broken.chmod(0o755)
    async with bench_of(kit, tmp_path) as bench:
        path = f"{broken.parent}:{bench.spec.env['PATH']}"
        bench.spec = replace(bench.spec, env={"PATH": path})
        answer = await bench.judge(bench.world.snapshot())
        assert answer.reason is not None
        assert answer.reason.code == "unproven"
        assert "Error while linting" in answer.reason.text
