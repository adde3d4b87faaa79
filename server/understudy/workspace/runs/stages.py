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
from understudy.values.errors import BadInput, Refused
from understudy.values.frozen import frozen
from understudy.values.paths import Root
from understudy.values.printable import first_few
from understudy.workspace.runs.changes import run_changes

PACKAGES = "(installed packages)"
"""Stands for them among paths that have changed."""


@frozen
class StageWish:
    """Which stage a run wants; `name` shares one with other runs of the same owner.

    With `merges` the run's changes become a patch or edits, for which no older snapshot will do.
    `keep` says to come back to the build products of the owner's last run. `owner` is a branch's
    id, or `base`.
    """

    owner: str
    plan: StagePlan
    kind: KindName | None = None
    name: str | None = None
    keep: bool = False
    unfenced: bool = False
    merges: bool = False


@frozen
class RunStage:
    """An open stage; `earlier` are digests of what former runs have left on it, by path.

    `stale` are files that have changed since the stage was opened: it has them as they were.
    """

    stage: Stage
    earlier: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    stale: frozenset[str] = frozenset()


@dataclass
class _Shared:
    plan: StagePlan
    opening: asyncio.Lock = field(default_factory=asyncio.Lock)
    stage: Stage | None = None
    n_users: int = 0
    texts: Mapping[str, bytes | None] = field(default_factory=dict[str, bytes | None])
    files: Mapping[str, Fingerprint] = field(default_factory=dict[str, Fingerprint])
    environment: str = ""
    """What it was opened with: our texts, the user's folder, and what is installed there."""


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

        A shared one shows the snapshot of the run that opened it, and lives until the last run on
        it has ended. Raises what `StageChooser.open` and `Stage.write` raise; BadInput
        `bad-stage-name`, Refused `stage-in-use`.
        """
        if wish.name is not None:
            async with self._sharing(wish, snapshot) as opened:
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
    async def _sharing(self, wish: StageWish, snapshot: Snapshot) -> AsyncGenerator[RunStage, None]:
        assert wish.name is not None
        if wish.keep or not wish.name.isprintable() or not 0 < len(wish.name) <= 100:
            text = "a shared stage has a short, printable name, and keeps no products"
            raise BadInput("bad-stage-name", text, wish.name)
        key = (wish.owner, wish.name)
        shared = self._shared.setdefault(key, _Shared(wish.plan))
        shared.n_users += 1
        try:
            async with shared.opening:
                stale: frozenset[str] = frozenset()
                if shared.stage is None:
                    shared.stage = await self._open(wish, snapshot)
                    shared.texts = texts_of(snapshot)
                    shared.files = snapshot.base.folder.files
                    shared.environment = snapshot.base.folder.environment
                elif (shared.plan.network, shared.plan.hosts) != (
                    wish.plan.network, wish.plan.hosts,
                ):  # fmt: skip
                    text = f"the stage is open with the network {shared.plan.network!r}"
                    raise Refused("stage-in-use", text, wish.name)
                else:
                    stale = await _unlike(shared, shared.stage, snapshot)
                if stale and wish.merges:
                    text = f"it was opened before these changed: {first_few(sorted(stale), 3)}; "
                    text += "end what runs on it, or take the changes on another stage"
                    raise Refused("stage-in-use", text, wish.name)
            yield RunStage(shared.stage, stale=stale)
        finally:
            shared.n_users -= 1
            if shared.n_users == 0:
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


async def _unlike(shared: _Shared, stage: Stage, snapshot: Snapshot) -> frozenset[str]:
    """What the stage has otherwise than the snapshot: it is as it was when it was opened.

    A text that a command has left there counts as had: it is what an adoption has taken.
    """
    before, now, folder = shared.texts, texts_of(snapshot), snapshot.base.folder
    unlike = set(before.keys() - now.keys())
    for path, text in now.items():
        is_known = path in before and before[path] == text
        if not is_known and await stage.read(path) != text:
            unlike.add(path)
    if folder.environment != shared.environment:
        unlike.add(PACKAGES)
    return folder.moved_since(shared.files) - now.keys() | unlike


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
