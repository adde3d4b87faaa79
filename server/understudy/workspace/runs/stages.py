"""The stages of runs: a fresh one for each, one shared by name, or one with kept products."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path

from understudy.disk.atomic import write_private
from understudy.disk.layout import make_private_folder
from understudy.disk.room import needing_room
from understudy.shadow.folder import Fingerprint
from understudy.shadow.snapshot import Snapshot
from understudy.stage.choose import StageChooser
from understudy.stage.model import Changed, KindName, Stage, StagePlan
from understudy.values.errors import BadInput, OutsideFailure, Refused
from understudy.values.paths import Root
from understudy.workspace.runs.changes import run_changes


@dataclass(frozen=True)
class StageWish:
    """Which stage a run wants; `name` shares one with other runs of the same owner.

    `keep` says to come back to the build products of the owner's last run. `owner` is a branch's
    id, or `base`.
    """

    owner: str
    plan: StagePlan
    kind: KindName | None = None
    name: str | None = None
    keep: bool = False
    unfenced: bool = False


@dataclass(frozen=True)
class RunStage:
    """An open stage; `earlier` are digests of what former runs have left on it, by path.

    `stale` is what the stage has otherwise than this run is about: files that it cannot follow, and
    those that were put there for another run that has come meanwhile.
    """

    stage: Stage
    earlier: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    stale: set[str] = field(default_factory=set[str])


@dataclass
class _Shared:
    plan: StagePlan
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    stage: Stage | None = None
    users: list[RunStage] = field(default_factory=list["RunStage"])
    """Those whose runs are on it."""
    n_coming: int = 0
    """Runs that are on it, or come to it."""
    texts: Mapping[str, bytes | None] = field(default_factory=dict[str, bytes | None])
    """All that we have written there; of a file that was given back, what the disk has."""
    unsure: set[str] = field(default_factory=set[str])
    """Of these, what a writing that has failed may have left undone."""
    files: Mapping[str, Fingerprint] = field(default_factory=dict[str, Fingerprint])
    """The user's folder as the stage shows it."""


class RunStages:
    """Owns the shared stages of a host, and the folders that hold kept products."""

    def __init__(self, chooser: StageChooser, products: Path) -> None:
        self._chooser = chooser
        self._products = products
        self._shared: dict[tuple[str, str], _Shared] = {}
        self._kept: set[str] = set()

    @asynccontextmanager
    async def opened(
        self, wish: StageWish, root: Root, snapshot: Snapshot
    ) -> AsyncGenerator[RunStage, None]:
        """A stage that shows the snapshot while the body runs.

        A shared one shows the snapshot of the run that came last, and lives until the last run on
        it has ended. Raises what `StageChooser.open` and `Stage.write` raise; BadInput
        `bad-stage-name`, Refused `stage-in-use`.
        """
        if wish.name is not None:
            async with self._sharing(wish, root, snapshot) as opened:
                yield opened
            return
        if wish.keep:
            async with self._keeping(wish, root, snapshot) as opened:
                yield opened
            return
        stage = await self._open(wish, snapshot)
        try:
            yield RunStage(stage)
        finally:
            await stage.close()

    def forget(self, branches: Collection[str]) -> None:
        """Remove the products of branches that are not among these; those of no branch stay."""
        if self._products.is_dir():
            for folder in self._products.iterdir():
                is_branch = folder.name[1:].isdecimal()  # and not `base` or `patch`
                if is_branch and folder.name not in branches:
                    shutil.rmtree(folder, ignore_errors=True)

    async def close(self) -> None:
        """End the shared stages."""
        for shared in tuple(self._shared.values()):
            if shared.stage is not None:
                await shared.stage.close()
        self._shared.clear()

    @asynccontextmanager
    async def _sharing(
        self, wish: StageWish, root: Root, snapshot: Snapshot
    ) -> AsyncGenerator[RunStage, None]:
        assert wish.name is not None
        if wish.keep or not wish.name.isprintable() or not 0 < len(wish.name) <= 100:
            text = "a shared stage has a short, printable name, and keeps no products"
            raise BadInput("bad-stage-name", text, wish.name)
        key = (wish.owner, wish.name)
        shared = self._shared.setdefault(key, _Shared(wish.plan))
        shared.n_coming += 1
        try:
            async with shared.opening:
                stale = set[str]()
                if shared.stage is None:
                    shared.stage = await self._open(wish, snapshot)
                    shared.texts = texts_of(snapshot)
                    shared.files = snapshot.base.folder.files
                elif (shared.plan.network, shared.plan.hosts) != (
                    wish.plan.network, wish.plan.hosts,
                ):  # fmt: skip
                    text = f"the stage is open with the network {shared.plan.network!r}"
                    raise Refused("stage-in-use", text, wish.name)
                else:
                    stale = await _follow(shared, shared.stage, root, snapshot)
                opened = RunStage(shared.stage, stale=stale)
                shared.users.append(opened)
            try:
                yield opened
            finally:
                shared.users = [one for one in shared.users if one is not opened]
        finally:
            shared.n_coming -= 1
            if shared.n_coming == 0:
                self._shared.pop(key, None)
                if shared.stage is not None:
                    await shared.stage.close()

    async def _open(self, wish: StageWish, snapshot: Snapshot) -> Stage:
        stage = await self._chooser.open(wish.plan, wanted=wish.kind, unfenced=wish.unfenced)
        try:
            await stage.write(texts_of(snapshot))
        except BaseException:  # whatever it is: undone, and raised again
            await stage.close()
            raise
        return stage

    @asynccontextmanager
    async def _keeping(
        self, wish: StageWish, root: Root, snapshot: Snapshot
    ) -> AsyncGenerator[RunStage, None]:
        if wish.owner in self._kept:
            text = "its build products are in use by another run"
            raise Refused("stage-in-use", text, wish.owner)
        self._kept.add(wish.owner)
        try:
            opened = await self._open_kept(wish, root, snapshot)
            try:
                yield opened
            finally:
                await opened.stage.close()
        finally:
            self._kept.discard(wish.owner)

    async def _open_kept(self, wish: StageWish, root: Root, snapshot: Snapshot) -> RunStage:
        """A stage over the owner's kept layer, with everything but products as in the snapshot."""
        make_private_folder(self._products)
        folder = self._products / wish.owner
        make_private_folder(folder)
        plan = replace(wish.plan, keep=folder / "layer")
        stage = await self._chooser.open(plan, wanted=wish.kind, unfenced=wish.unfenced)
        try:
            await _put_right(stage, folder / "ours.json", root, snapshot)
            left = (await run_changes(stage, root)).items
            earlier = {change.path: await digest_of(stage, change.path) for change in left}
        except BaseException:  # whatever it is: undone, and raised again
            await stage.close()
            raise
        return RunStage(stage, earlier)


async def _follow(shared: _Shared, stage: Stage, root: Root, snapshot: Snapshot) -> set[str]:
    """Have a stage show this snapshot beside what commands have made of it; what it cannot show.

    A file is written where it differs from what we have written last, or where a command and the
    user have both changed it; other changes of commands stay.
    """
    moved = snapshot.base.folder.moved_since(shared.files)
    stale: frozenset[str] = frozenset()
    if moved and not await _refreshed(stage):
        stale = moved
    elif moved:
        shared.files = snapshot.base.folder.files
    touched = {change.path for change in (await stage.changes()).items} if moved else set[str]()
    known, wanted = shared.texts, texts_of(snapshot)
    given_back = (known.keys() | (moved & touched)) - wanted.keys()
    wanted |= await asyncio.to_thread(lambda: {path: _on_disk(root, path) for path in given_back})
    differ = {path for path, data in wanted.items() if path not in known or known[path] != data}
    shared.unsure |= differ
    shared.texts = wanted
    for other in shared.users:
        other.stale.update(shared.unsure)
    await stage.write({path: wanted[path] for path in shared.unsure})
    shared.unsure = set()
    unread = {path for path in given_back if wanted[path] is None and root.absolute(path).exists()}
    return unread.union(stale - wanted.keys())


async def _refreshed(stage: Stage) -> bool:
    """Whether commands that start from now on see the user's folder as it is now."""
    try:
        await stage.refresh()
    except OutsideFailure as error:
        if error.code != "stage-stale":
            raise
        return False
    return True


def texts_of(snapshot: Snapshot) -> dict[str, bytes | None]:
    """The bytes of each file that is not as on disk; None for one that is not there."""
    texts: dict[str, bytes | None] = {}
    for path in sorted(snapshot.unlike_disk):
        text = snapshot.overlay[path]
        texts[path] = None if text is None else text.unpack().encode()
    return texts


async def digest_of(stage: Changed, path: str) -> bytes:
    """SHA-256 of what the stage has at a path; empty for what cannot be read as a file."""
    data = await stage.read(path)
    return b"" if data is None else sha256(data).digest()


async def _put_right(stage: Stage, record: Path, root: Root, snapshot: Snapshot) -> None:
    """Let a kept layer hold products alone, and the snapshot's texts.

    What the last run changed in files of the base is put back: a layer hides what the user has
    written since. What we have written then, and is no longer in the snapshot, goes. Texts that
    are right already keep their times, so that a build does no more than it must.
    """
    ours = _recorded(record)
    texts = texts_of(snapshot)
    wanted: dict[str, bytes | None] = dict(texts)
    for change in (await run_changes(stage, root)).items:
        if change.kind != "added" or change.path in ours:
            wanted.setdefault(change.path, _on_disk(root, change.path))
    for path in ours:
        wanted.setdefault(path, _on_disk(root, path))
    with needing_room(record):
        write_private(record, json.dumps(sorted({*ours, *wanted})).encode())
    await stage.write(
        {path: data for path, data in wanted.items() if await stage.read(path) != data}
    )


def _recorded(record: Path) -> frozenset[str]:
    try:
        return frozenset(json.loads(record.read_bytes()))
    except (OSError, ValueError):  # the first run, or an unfinished one
        return frozenset()


def _on_disk(root: Root, path: str) -> bytes | None:
    try:
        return root.absolute(path).read_bytes()
    except OSError:
        return None
