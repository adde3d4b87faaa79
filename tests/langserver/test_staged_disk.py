"""A server on a stage: it sees each snapshot's files on its disk, and nobody else sees them."""

from __future__ import annotations

import asyncio
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.langserver.toybox import SECONDS, TOYS, Zoo, open_zoo
from tests.langserver.worlds import soon, write
from understudy.langserver import pool as pool_module
from understudy.langserver.client import Hooks
from understudy.langserver.folder_follower import MAX_CHANGED
from understudy.langserver.spec import ServerSpec
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Answer

KINDS = {1: "created", 2: "changed", 3: "deleted"}
FILES = {
    "a.py": "import b\nimport c\nimport pkg.deep\nsays b one\n",
    "b.py": "one",
    "pkg/mod.py": "",
}


@dataclass
class Staged:
    """A toy that looks at its disk, in a folder with `FILES`; a text's wrong lines by number."""

    zoo: Zoo
    told: list[str] = field(default_factory=list)

    def record(self, direction: str, message: Mapping[str, Any]) -> None:
        if direction == "sent" and message.get("method") == "workspace/didChangeWatchedFiles":
            root = self.zoo.world.root
            for event in message["params"]["changes"]:
                path = root.relative_of_uri(event["uri"])
                self.told.append(f"{KINDS[event['type']]} {path}")

    def spec(self, fixed: str = "", **overrides: Any) -> ServerSpec:
        options = {"files": {"*.py": "python"}, "scope": "project", "folder_events": "trusted"}
        options |= {"config_files": ["toy.toml"], **overrides}
        return self.zoo.spec("looks_at_disk", **options).on_stage(fixed)

    async def judge(
        self, snapshot: Snapshot, path: str = "a.py", spec: ServerSpec | None = None
    ) -> Answer:
        self.told.clear()
        async with self.zoo.pool.lease(spec or self.spec(), "test", soon(SECONDS)) as lease:
            return (await lease.judge(snapshot, [path], soon(SECONDS)))[path]

    async def wrong(
        self, snapshot: Snapshot, path: str = "a.py", spec: ServerSpec | None = None
    ) -> list[int]:
        answer = await self.judge(snapshot, path, spec)
        assert answer.findings is not None, answer.reason
        return [finding.range.start.line for finding in answer.findings]

    async def generations(self) -> list[int]:
        return [status.generation for status in await self.zoo.pool.status()]


@pytest.fixture
async def staged(tmp_path: Path) -> AsyncIterator[Staged]:
    made: list[Staged] = []
    hooks = Hooks(recorder=lambda direction, message: made[0].record(direction, message))
    async with open_zoo(tmp_path, hooks=hooks) as zoo:
        for path, text in FILES.items():
            write(zoo.world.root.path / path, text)
        zoo.world.rescan()
        made.append(Staged(zoo))
        yield made[0]


def state_of(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file's bytes and time."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


CASES = {
    "the base": ({}, [1, 2]),
    "a new file": ({"c.py": ""}, [2]),
    "a new file in a folder that is there": ({"pkg/deep.py": ""}, [1]),
    "a deleted file": ({"b.py": None}, [0, 1, 2, 3]),
    "new and deleted": ({"b.py": None, "c.py": "", "pkg/deep.py": ""}, [0, 3]),
    "a renamed file": ({"b.py": None, "c.py": "one"}, [0, 2, 3]),
    "a new file where another branch deleted": ({"b.py": None, "pkg/mod.py": None}, [0, 1, 2, 3]),
}


async def test_branches_take_turns_and_the_folder_stays_as_it_is(staged: Staged) -> None:
    world = staged.zoo.world
    before = state_of(world.root.path)
    snapshots = {name: (world.snapshot(edits), lines) for name, (edits, lines) in CASES.items()}
    for _ in range(2):
        for one in snapshots:
            for other in snapshots:
                for name in (one, other):
                    snapshot, lines = snapshots[name]
                    assert await staged.wrong(snapshot) == lines, name
    assert state_of(world.root.path) == before
    assert await staged.generations() == [1]


async def test_what_is_told(staged: Staged) -> None:
    world = staged.zoo.world
    steps = [
        ({"c.py": ""}, []),  # it starts with the file
        ({}, ["deleted c.py"]),
        ({"new/deep/x.py": "", "b.py": None},
         ["deleted b.py", "created new", "created new/deep", "created new/deep/x.py"]),
        ({"new/deep/x.py": "", "new/y.py": ""}, ["created b.py", "created new/y.py"]),
        ({}, ["deleted new", "deleted new/deep", "deleted new/deep/x.py", "deleted new/y.py"]),
        ({"pkg/mod.py": None}, ["deleted pkg", "deleted pkg/mod.py"]),
        ({"b.py": "two"}, ["changed b.py", "created pkg", "created pkg/mod.py"]),
        ({"b.py": "two"}, []),
    ]  # fmt: skip
    for edits, told in steps:
        await staged.judge(world.snapshot(edits))
        assert staged.told == told


@pytest.mark.parametrize("path", ["b.py", "c.py"])
async def test_a_switch_may_be_abandoned_at_any_point(staged: Staged, path: str) -> None:
    world = staged.zoo.world
    one = world.snapshot({path: None if path == "b.py" else ""})
    other = world.snapshot({"b.py": None, "c.py": "", "pkg/deep.py": ""})
    shown = {
        "one": (one, [0, 1, 2, 3] if path == "b.py" else [2]),
        "base": (world.snapshot(), [1, 2]),
        "other": (other, [0, 3]),
    }
    turns = (("one", "base"), ("other", "one"), ("base", "other"), ("one", "one"))
    for n_turns in range(40):
        for given_up, then in turns:
            judging = asyncio.ensure_future(staged.judge(shown[given_up][0]))
            for _ in range(n_turns):
                await asyncio.sleep(0)
            judging.cancel()
            await asyncio.wait([judging])
            assert await staged.wrong(shown[then][0]) == shown[then][1], n_turns
    assert await staged.generations() == [1]


def replaced(folder: Path) -> None:
    """As editors save: another file takes the name."""
    write(folder / "b.tmp", "two")
    (folder / "b.tmp").replace(folder / "b.py")


def folder_made_anew(folder: Path) -> None:
    shutil.rmtree(folder / "pkg")
    write(folder / "pkg/deep.py", "")


USERS = {
    "in place": (lambda folder: write(folder / "b.py", "other"), [1, 2, 3]),
    "replaced": (replaced, [1, 2, 3]),
    "deleted": (lambda folder: (folder / "b.py").unlink(), [0, 1, 2, 3]),
    "renamed": (lambda folder: (folder / "b.py").rename(folder / "c.py"), [0, 2, 3]),
    "created": (lambda folder: write(folder / "c.py", ""), [2]),
    "a folder made anew": (folder_made_anew, [1]),
}


@pytest.mark.parametrize("change", USERS)
@pytest.mark.parametrize("touched", [False, True], ids=["untouched", "touched by a branch"])
async def test_what_the_user_does_meanwhile(staged: Staged, change: str, touched: bool) -> None:
    world = staged.zoo.world
    do, lines = USERS[change]
    edits: dict[str, str | None] = {"b.py": None, "c.py": "x", "pkg/deep.py": "", "z.py": ""}
    await staged.wrong(world.snapshot())
    if touched:
        await staged.wrong(world.snapshot(edits))
    do(world.root.path)
    world.rescan()
    for _ in range(2):
        assert await staged.wrong(world.snapshot()) == lines
        assert await staged.wrong(world.snapshot(edits)) == [0, 3]
    assert await staged.generations() == [1]


@pytest.mark.parametrize("change", [name for name in USERS if name != "a folder made anew"])
@pytest.mark.parametrize("shown", [False, True], ids=["not shown", "shown before"])
async def test_an_older_view_of_the_folder_is_judged_as_it_was(
    staged: Staged, change: str, shown: bool
) -> None:
    command = [sys.executable, "-S", str(TOYS / "looks_at_disk.py"), *(["anew"] * shown)]
    world, spec = staged.zoo.world, staged.spec(command=command)
    before = world.snapshot()
    assert before.read("b.py") is not None  # pinned, as a checkpoint does
    if shown:
        assert await staged.wrong(before, spec=spec) == [1, 2]
    USERS[change][0](world.root.path)
    world.rescan()
    after = world.snapshot()
    if shown:
        assert await staged.wrong(before, spec=spec) == [1, 2]
    for _ in range(2):
        assert await staged.wrong(after, spec=spec) == USERS[change][1]
        assert await staged.wrong(before, spec=spec) == [1, 2]


@pytest.mark.parametrize("change", ["in place", "replaced", "deleted"])
async def test_a_stage_may_be_opened_for_an_older_view(staged: Staged, change: str) -> None:
    world = staged.zoo.world
    before = world.snapshot()
    assert before.read("b.py") is not None
    USERS[change][0](world.root.path)
    assert await staged.wrong(before) == [1, 2]


async def test_many_changes_of_the_user_mean_a_new_stage(staged: Staged) -> None:
    world = staged.zoo.world
    await staged.wrong(world.snapshot())
    for number in range(MAX_CHANGED + 1):
        write(world.root.path / f"m{number}.py", "")
    world.rescan()
    assert await staged.wrong(world.snapshot({"c.py": ""})) == [2]
    assert await staged.generations() == [2]


@pytest.mark.parametrize("change", ["environment", "configuration"])
async def test_what_a_server_reads_at_its_start_means_a_new_one(
    staged: Staged, change: str
) -> None:
    world = staged.zoo.world
    await staged.wrong(world.snapshot())
    if change == "configuration":
        write(world.root.path / "toy.toml", "fine")
    world.rescan("other packages" if change == "environment" else "")
    spec = staged.spec(environment="python")
    assert (await staged.judge(world.snapshot(), spec=spec)).findings is not None
    write(world.root.path / "a.py", "this is fine\n")
    world.rescan("more packages" if change == "environment" else "")
    expected = [0] if change == "configuration" else []
    assert await staged.wrong(world.snapshot()) == expected


async def test_each_configuration_has_a_process_of_its_own_and_few_are_kept(
    staged: Staged, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = staged.zoo.world
    text = "one\ntwo\nthree\n"
    for word, line in (("one", 0), ("two", 1), ("one", 0), ("three", 2), ("two", 1)):
        snapshot = world.snapshot({"toy.toml": word, "a.py": text})
        answer = await staged.judge(snapshot, spec=staged.spec(word))
        assert answer.findings is not None
        assert [finding.range.start.line for finding in answer.findings] == [line], word
        assert len(await staged.generations()) <= pool_module.MAX_CONFIGURED
    assert await staged.wrong(world.snapshot({"a.py": text})) == []


async def test_a_server_that_does_not_follow_events_is_started_anew(staged: Staged) -> None:
    world, spec = staged.zoo.world, staged.spec(folder_events="restart")
    for edits, n_wrong in (({"c.py": ""}, 1), ({}, 2), ({"b.py": None}, 4)):
        answer = await staged.judge(world.snapshot(edits), spec=spec)
        assert answer.findings is not None
        assert len(answer.findings) == n_wrong
    assert await staged.generations() == [3]


async def test_a_killed_server_gets_another_stage(staged: Staged) -> None:
    world = staged.zoo.world
    new = world.snapshot({"c.py": ""})
    assert await staged.wrong(world.snapshot({"b.py": None})) == [0, 1, 2, 3]
    (status,) = await staged.zoo.pool.status()
    assert status.pid is not None
    psutil.Process(status.pid).kill()
    assert await staged.wrong(new) == [2]
    assert await staged.generations() == [2]


async def test_links_are_not_written_through(staged: Staged, tmp_path: Path) -> None:
    world = staged.zoo.world
    outside = tmp_path / "outside"
    outside.mkdir()
    (world.root.path / "link").symlink_to(outside)
    answer = await staged.judge(world.snapshot({"link/c.py": ""}))
    assert answer.reason is not None
    assert (answer.reason.code, "link" in answer.reason.text) == ("unsupported", True)
    assert [*outside.iterdir()] == []
    assert await staged.wrong(world.snapshot()) == [1, 2]


async def test_a_snapshot_that_cannot_be_staged_harms_no_other(staged: Staged) -> None:
    world = staged.zoo.world
    impossible = world.snapshot({f"{'x' * 300}.py": "", "c.py": ""})
    for _ in range(5):
        answer = await staged.judge(impossible)
        assert answer.reason is not None
        assert answer.reason.code == "unsupported"
    assert await staged.wrong(world.snapshot({"pkg/deep.py": ""})) == [1]
    assert (await staged.judge(impossible)).reason is not None
    assert await staged.wrong(world.snapshot()) == [1, 2]


async def test_a_server_that_is_installed_where_stages_have_their_own_folder(
    staged: Staged, tmp_path: Path
) -> None:
    """Under /tmp, as tests have it: what belongs to the server is shown there."""
    tools = tmp_path / "tools"
    shutil.copytree(TOYS, tools)
    command = [sys.executable, "-S", str(tools / "looks_at_disk.py")]
    world, spec = staged.zoo.world, staged.spec(command=command)
    answer = await staged.judge(world.snapshot({"c.py": ""}), spec=spec)
    assert answer.findings is not None, answer.reason
    assert len(answer.findings) == 1


async def test_paths_of_all_kinds(staged: Staged) -> None:
    world = staged.zoo.world
    odd = {f"{name}/c.py": "" for name in ("a b", "ä", "x,y=z", "semi;colon", "back\\slash")}
    snapshot = world.snapshot({**odd, "c.py": ""})
    before = state_of(world.root.path)
    assert await staged.wrong(snapshot) == [2]
    assert await staged.wrong(world.snapshot()) == [1, 2]
    assert sorted(staged.told)[:1] == ["deleted a b"]
    assert state_of(world.root.path) == before
