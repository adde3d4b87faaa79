"""What a server is shown: which messages a switch of snapshots takes, and when it is restarted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.langserver.toybox import SECONDS, Zoo, open_zoo
from tests.langserver.worlds import DiskReader, soon, write
from understudy.langserver import documents
from understudy.langserver.client import Hooks
from understudy.langserver.spec import ServerSpec
from understudy.shadow.base import Base
from understudy.shadow.folder import Fingerprint, FolderView, Moved
from understudy.shadow.snapshot import Snapshot
from understudy.values.verdicts import Answer

KINDS = {1: "created", 2: "changed", 3: "deleted"}


@dataclass
class Watched:
    """A zoo, and what its servers were told, in short: `open a.txt`."""

    zoo: Zoo
    told: list[str] = field(default_factory=list)

    def record(self, direction: str, message: Mapping[str, Any]) -> None:
        params = message.get("params")
        method = message.get("method", "")
        if direction != "sent" or not isinstance(params, dict):
            return
        if method.startswith("textDocument/did"):
            name = params["textDocument"]["uri"].rpartition("/")[2]
            self.told.append(f"{method.removeprefix('textDocument/did').lower()} {name}")
        elif method == "workspace/didChangeWatchedFiles":
            for event in params["changes"]:
                name = event["uri"].rpartition("/")[2]
                self.told.append(f"{KINDS[event['type']]} {name}")

    async def judge(
        self, spec: ServerSpec, snapshot: Snapshot, *paths: str
    ) -> tuple[list[str], dict[str, Answer]]:
        """What was told for it, and the answers."""
        self.told.clear()
        async with self.zoo.pool.lease(spec, "test", soon(SECONDS)) as lease:
            answers = await lease.judge(snapshot, paths or ["a.txt"], soon(SECONDS))
        return list(self.told), answers

    async def generation(self) -> int:
        return (await self.zoo.pool.status())[0].generation


@pytest.fixture
async def watched(tmp_path: Path) -> AsyncIterator[Watched]:
    made: list[Watched] = []
    hooks = Hooks(recorder=lambda direction, message: made[0].record(direction, message))
    async with open_zoo(tmp_path, hooks=hooks) as zoo:
        made.append(Watched(zoo))
        yield made[0]


def findings(answers: Mapping[str, Answer], path: str = "a.txt") -> int:
    found = answers[path].findings
    assert found is not None, answers[path].reason
    return len(found)


def reason(answers: Mapping[str, Answer], path: str = "a.txt") -> str | None:
    why = answers[path].reason
    return None if why is None else why.code


async def test_a_switch_tells_only_what_differs(watched: Watched) -> None:
    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved")
    one = world.snapshot({"a.txt": "BAD\n", "b.txt": "b\n", "new.txt": "n\n", "x.py": "x\n"})
    two = world.snapshot({"a.txt": "BAD\nBAD\n", "b.txt": "b\n"})
    steps = [
        (world.snapshot(), ["open a.txt"], 0),
        (one, ["change a.txt", "open b.txt", "open new.txt"], 1),
        (one, [], 1),
        (two, ["close new.txt", "change a.txt"], 2),
        (world.snapshot(), ["change a.txt", "change b.txt"], 0),
        (world.snapshot(), [], 0),
    ]
    for snapshot, expected, n_findings in steps:
        told, answers = await watched.judge(spec, snapshot)
        assert told == expected
        assert findings(answers) == n_findings


async def test_a_quirk_asks_for_a_change_after_the_open(watched: Watched) -> None:
    spec = watched.zoo.spec("well_behaved", change_after_open=True)
    told, _ = await watched.judge(spec, watched.zoo.world.snapshot({"b.txt": "b\n"}))
    assert told == ["open b.txt", "change b.txt", "open a.txt"]


async def test_a_deleted_file_is_shown_as_the_base_has_it(watched: Watched) -> None:
    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved")
    await watched.judge(spec, world.snapshot({"a.txt": "BAD\n", "new.txt": "n\n"}))
    told, answers = await watched.judge(spec, world.snapshot({"a.txt": None, "new.txt": None}))
    assert (told, reason(answers)) == ([], "unsupported")
    told, _ = await watched.judge(
        spec, world.snapshot({"a.txt": None, "new.txt": None}), "a.txt", "b.txt"
    )
    assert told == ["close new.txt", "change a.txt", "open b.txt"]


async def test_what_was_read_as_missing_is_missing_whatever_the_disk_has_become(
    watched: Watched,
) -> None:
    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved")
    snapshot = world.snapshot()
    assert snapshot.read("c.txt") is None  # git was about to write it anew
    write(world.root.path / "c.txt", "BAD\n")
    _, answers = await watched.judge(spec, snapshot, "c.txt")
    assert reason(answers, "c.txt") == "unsupported"
    world.rescan()
    _, answers = await watched.judge(spec, world.snapshot(), "c.txt")
    assert findings(answers, "c.txt") == 1


async def test_a_file_that_goes_before_it_is_read_has_moved(watched: Watched) -> None:
    class Goes(DiskReader):
        def fingerprint(self, path: str) -> Fingerprint | None:
            found = super().fingerprint(path)
            if path == "c.txt" and found is not None:
                (self.root / path).unlink()
            return found

    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved")
    folder = FolderView(Goes(world.root.path), world.base.folder.files)
    write(world.root.path / "c.txt", "fine\n")
    with pytest.raises(Moved, match=r"c\.txt"):
        await watched.judge(spec, Snapshot(Base(folder)), "c.txt")


async def test_the_oldest_documents_that_equal_the_disk_are_closed(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MAX_OPEN", 2)
    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved")
    for name in ("c.txt", "d.txt"):
        write(world.root.path / name, "fine\n")
    world.rescan()
    edited = world.snapshot({"b.txt": "edited\n"})
    await watched.judge(spec, edited, "a.txt")
    told, _ = await watched.judge(spec, edited, "c.txt")
    assert told == ["open c.txt", "close a.txt"]
    told, _ = await watched.judge(spec, edited, "a.txt", "c.txt", "d.txt")
    assert told == ["open a.txt", "open d.txt"]


async def test_a_trusted_server_is_told_of_the_disk(watched: Watched) -> None:
    world = watched.zoo.world
    spec = watched.zoo.spec("well_behaved", scope="project", folder_events="trusted")
    await watched.judge(spec, world.snapshot())
    write(world.root.path / "a.txt", "BAD on disk\n")
    write(world.root.path / "c.txt", "new\n")
    (world.root.path / "b.txt").unlink()
    world.rescan()
    told, answers = await watched.judge(spec, world.snapshot())
    assert told == ["changed a.txt", "deleted b.txt", "created c.txt", "change a.txt"]
    assert findings(answers) == 1
    assert await watched.generation() == 1


@pytest.mark.parametrize(
    ("change", "generation", "told"),
    [
        ("create", 2, ["open a.txt"]),
        ("delete", 2, ["open a.txt"]),
        ("config", 2, ["open a.txt"]),
        ("environment", 2, ["open a.txt"]),
        ("change", 1, ["changed b.txt", "open b.txt"]),
        ("other", 1, []),
    ],
)
async def test_another_server_is_restarted(
    watched: Watched, change: str, generation: int, told: list[str]
) -> None:
    world = watched.zoo.world
    write(world.root.path / "toy.toml", "x = 1\n")
    world.rescan()
    spec = watched.zoo.spec(
        "well_behaved", scope="project", config_files=["toy.toml"], environment="python"
    )
    await watched.judge(spec, world.snapshot())
    change_disk(world.root.path, change)
    world.rescan("other packages" if change == "environment" else "")
    assert (await watched.judge(spec, world.snapshot()))[0] == told
    assert await watched.generation() == generation


def change_disk(folder: Path, change: str) -> None:
    if change == "create":
        write(folder / "c.txt", "new\n")
    elif change == "delete":
        (folder / "b.txt").unlink()
    elif change == "config":
        write(folder / "toy.toml", "x = 22\n")
    elif change == "change":
        write(folder / "b.txt", "another\n")
    elif change == "other":
        write(folder / "README.md", "words\n")


@pytest.mark.parametrize("change", ["create", "delete", "config"])
async def test_a_folder_that_cannot_be_shown_is_unknown(watched: Watched, change: str) -> None:
    world = watched.zoo.world
    write(world.root.path / "toy.toml", "x = 1\n")
    world.rescan()
    before = world.snapshot()
    assert before.read("b.txt") is not None
    spec = watched.zoo.spec(
        "well_behaved", scope="project", folder_events="trusted", config_files=["toy.toml"]
    )
    change_disk(world.root.path, change)
    world.rescan()
    after = world.snapshot()
    assert reason((await watched.judge(spec, after))[1]) is None
    assert reason((await watched.judge(spec, before))[1]) == "base-unknown"
    assert reason((await watched.judge(spec, after))[1]) is None


async def test_a_disk_that_went_on_is_raised_and_harms_nothing(watched: Watched) -> None:
    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved")
    await watched.judge(spec, world.snapshot())
    write(world.root.path / "b.txt", "BAD and moved\n")
    with pytest.raises(Moved):
        await watched.judge(spec, world.snapshot(), "b.txt")
    world.rescan()
    assert findings((await watched.judge(spec, world.snapshot(), "b.txt"))[1], "b.txt") == 1


async def test_where_a_uri_has_two_spellings_what_was_derived_goes_with_the_process(
    watched: Watched,
) -> None:
    world, spec = watched.zoo.world, watched.zoo.spec("well_behaved", tell_changes=True)
    await watched.judge(spec, world.snapshot({"a.txt": "x\n"}))
    _, answers = await watched.judge(spec, world.snapshot({"a b.txt": "BAD\n"}), "a b.txt")
    assert (await watched.generation(), findings(answers, "a b.txt")) == (2, 1)
    await watched.judge(spec, world.snapshot({"a b.txt": "BAD\n", "a.txt": "y\n"}), "a b.txt")
    assert await watched.generation() == 2
