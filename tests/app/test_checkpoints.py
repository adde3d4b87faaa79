"""A checkpoint reads as the base did then, or says that it does not know."""

import asyncio
from pathlib import Path

import pytest

from tests.support.workspace import SELECTION, Workspace
from understudy.disk.folder.scan import scan
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.workspace.checkpoints import MAX_CHECKPOINTS, Checkpoints
from understudy.workspace.live_base import LiveBases
from understudy.workspace.pinned_base import Forgotten


def content(base, path: str) -> str | None:
    text = base.read(path)
    return None if text is None else text.content


async def test_it_keeps_what_was_there_then(tmp_path: Path):
    space = Workspace(tmp_path, {"a.py": "a", "b.py": "b", "gone.py": "g", "big.py": b"\0bin"})
    space.type("b.py", "typed")
    checkpoints = Checkpoints(SELECTION.covers)
    made = await checkpoints.create(space.base, "before the agent")
    space.write("a.py", "a2")
    space.write("new.py", "n")
    (space.folder / "gone.py").unlink()
    space.type("b.py", "typed more")
    space.look()
    then = checkpoints.get(made.id).base
    assert {path: content(then, path) for path in ("a.py", "b.py", "gone.py", "new.py")} == {
        "a.py": "a",
        "b.py": "typed",
        "gone.py": "g",
        "new.py": None,
    }
    assert not Snapshot(then).exists("new.py")
    assert content(space.base, "new.py") == "n"
    assert (made.n_pinned, made.n_unpinned) == (4, 0)


async def test_whoever_looks_at_the_disk_it_is_known_to_have_gone_on_since(tmp_path: Path):
    space = Workspace(tmp_path, {"a.py": "a"})
    bases = LiveBases(space.root, lambda: asyncio.to_thread(scan, space.root, SELECTION))
    made = await Checkpoints(SELECTION.covers).create(await bases.own.fresh())
    then = made.base.folder
    assert then.on_disk == then.files
    space.write("a.py", "other")
    now = (await bases.open().fresh()).folder
    assert then.files != then.on_disk == now.files == now.on_disk


async def test_beyond_the_limit_unchanged_files_read_and_changed_ones_are_unknown(tmp_path: Path):
    space = Workspace(tmp_path, {f"f{n}.py": "x" * 100 for n in range(10)})
    checkpoints = Checkpoints(SELECTION.covers, pinned_bytes=350)
    made = await checkpoints.create(space.base)
    assert (made.n_pinned, made.n_unpinned) == (3, 7)
    for number in (0, 9):
        space.write(f"f{number}.py", "changed")
    assert content(made.base, "f0.py") == "x" * 100
    assert content(made.base, "f8.py") == "x" * 100
    with pytest.raises(Forgotten) as caught:
        made.base.read("f9.py")
    assert caught.value.path == "f9.py"


async def test_a_file_that_no_scan_lists_is_unknown_unless_it_was_read_then(tmp_path: Path):
    space = Workspace(tmp_path, {"a.md": "then", "b.md": "then"})
    assert content(space.base, "a.md") == "then"
    made = await Checkpoints(SELECTION.covers).create(space.base)
    space.write("a.md", "now")
    assert content(made.base, "a.md") == "then"
    with pytest.raises(Forgotten):
        made.base.read("b.md")


async def test_pinning_leaves_the_base_alone(tmp_path: Path):
    space = Workspace(tmp_path, {"a.py": "a"})
    await Checkpoints(SELECTION.covers).create(space.base)
    assert not space.base.folder.pinned()


async def test_they_are_listed_dropped_and_bounded(tmp_path: Path):
    space = Workspace(tmp_path)
    checkpoints = Checkpoints(SELECTION.covers, clock=lambda: 5.0)
    for number in range(MAX_CHECKPOINTS):
        await checkpoints.create(space.base, f"title {number}")
    with pytest.raises(BadInput) as caught:
        await checkpoints.create(space.base)
    assert caught.value.code == "too-many-checkpoints"
    checkpoints.drop("c2")
    assert [made.id for made in checkpoints.all()][:3] == ["c1", "c3", "c4"]
    assert (await checkpoints.create(space.base)).id == f"c{MAX_CHECKPOINTS + 1}"
    with pytest.raises(BadInput) as caught:
        checkpoints.get("c2")
    assert (caught.value.code, caught.value.where) == ("unknown-checkpoint", "c2")


async def test_agents_that_begin_at_the_same_text_share_its_pin(tmp_path: Path):
    space = Workspace(tmp_path, {"a.py": "a"})
    checkpoints = Checkpoints(SELECTION.covers)
    first = await checkpoints.shared(space.base)
    assert await checkpoints.shared(space.base) is first
    space.type("a.py", "typed")
    second = await checkpoints.shared(space.base)
    assert (content(first.base, "a.py"), content(second.base, "a.py")) == ("a", "typed")
    assert checkpoints.all() == []
    checkpoints.release(first)
    assert await checkpoints.shared(space.base.with_buffer("a.py", None)) is first
    for _ in range(2):
        checkpoints.release(first)
    assert await checkpoints.shared(space.base.with_buffer("a.py", None)) is not first
