"""What commands changed: by content, whatever way overlayfs notes it."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tests.support.stages.field import Field, put, python, refused, sh
from understudy.stage.model import StageChange, StagePlan
from understudy.stage.overlay.stage import OverlayStage


async def _changed(stage: OverlayStage) -> dict[str, str]:
    return {change.path: change.kind for change in (await stage.changes()).items}


async def all_kinds(field: Field) -> None:
    script = """
        echo more >> README; echo new > new.txt; rm gone.txt; touch same.txt; chmod 644 same.txt
        cp same.txt tmp; mv tmp same.txt; chmod +x run.sh; mv folder moved; rm -r replaced
        mkdir replaced replaced/deep; echo x > replaced/deep/x; echo k > replaced/kept
        rm file; mkdir file; echo in > file/in; rm -r dir; echo now > dir; ln -s README link
        ln hard.txt harder.txt; mkdir empty; rm link-old; echo not > link-old
    """
    async with field.stage() as stage:
        await sh(stage, script)
        found = await stage.changes()
    assert {change.path: change.kind for change in found.items} == {
        "README": "modified", "new.txt": "added", "gone.txt": "deleted", "run.sh": "modified",
        "folder/inner.txt": "deleted", "moved/inner.txt": "added", "replaced/old": "deleted",
        "replaced/deep/x": "added", "replaced/kept": "modified", "file": "deleted",
        "file/in": "added", "dir/a": "deleted", "dir/b/c": "deleted", "dir": "added",
        "link": "added", "harder.txt": "added", "link-old": "modified",
    }  # fmt: skip
    by_path = {change.path: change for change in found.items}
    assert by_path["run.sh"] == StageChange("run.sh", "modified", "file", 5, True, False)
    assert by_path["link"].type == "symlink"


MARKS = """
import contextlib, os
for name in ("user.overlay.opaque", "trusted.overlay.opaque", "user.overlay.whiteout"):
    with contextlib.suppress(OSError):
        os.setxattr("replaced", name, b"y")
        os.setxattr("hard.txt", name, b"y")
with contextlib.suppress(OSError):
    os.mknod("file", 0o020000)
"""


async def marks_that_are_not_the_overlays(field: Field) -> None:
    """A command cannot make it look as if files were gone that it still sees."""
    async with field.stage() as stage:
        said = await python(stage, MARKS)
        assert said.ended.status == 0, said
        assert (await sh(stage, "ls replaced")).text.split() == ["kept", "old"]
        assert await _changed(stage) == {}


def _many(field: Field) -> None:
    files = {"gone.txt": "g", "same.txt": "s", "replaced/old": "o", "replaced/kept": "kept"}
    put(field.project, {**files, "file": "f", "dir/a": "a", "dir/b/c": "c", "hard.txt": "h"})
    (field.project / "link-old").symlink_to("README")


all_kinds.prepare = _many  # type: ignore[attr-defined]
marks_that_are_not_the_overlays.prepare = _many  # type: ignore[attr-defined]


async def our_own_edits_are_no_changes(field: Field) -> None:
    """The branch's edits are where the comparison starts from."""
    async with field.stage() as stage:
        edits = {"README": b"edited\n", "a/new.txt": b"new\n", "folder/inner.txt": None}
        await stage.write(
            {**edits, "run.sh": None, "b/later.txt": b"later"}, {"README": 1_700_000_000}
        )
        assert await _changed(stage) == {}
        said = await sh(stage, "cat README a/new.txt; stat -c %Y README; ls folder run.sh")
        assert said.text.startswith("edited\nnew\n1700000000\n"), said
        assert "No such file" in said.text
        assert (await sh(stage, "test -e folder")).ended.status != 0
        await sh(stage, "echo x >> README; rm a/new.txt; echo back > run.sh; touch b/later.txt")
        assert await _changed(stage) == {
            "README": "modified", "a/new.txt": "deleted", "run.sh": "added",
        }  # fmt: skip
        assert await stage.read("README") == b"edited\nx\n"
        await stage.write({"README": b"edited\nx\n"})
        assert "README" not in await _changed(stage)


async def files_and_folders_change_places(field: Field) -> None:
    async with field.stage() as stage:
        await stage.write({"folder/inner.txt": None, "folder": b"a file now\n"})
        await stage.write({"README": None, "README/inside.txt": b"a folder now\n"})
        said = await sh(stage, "cat folder README/inside.txt")
        assert said.text == "a file now\na folder now\n", said
        assert await _changed(stage) == {}
        await refused(stage.write({"README": b"x"}), "bad-path")
        await refused(stage.write({"run.sh/below": b"x"}), "bad-path")
        for path in ("n" * 300, "run.sh\0", "\ud800", "a/" * 3000 + "b"):
            await refused(stage.write({path: b"x"}), "bad-path")
            await refused(stage.write({path: None}), "bad-path")
        assert await stage.read("run.sh") == b"true\n"


async def more_than_a_patch_holds(field: Field) -> None:
    """What cannot be listed is counted with its reason, and nothing of it stops the listing."""
    script = """
        i=0; while [ $i -lt 400 ]; do mkdir deeper && cd deeper && echo x > f; i=$((i+1)); done
        cd "$1"; mkfifo pipe; echo x > unreadable; chmod 000 unreadable; echo x > last
    """
    async with field.stage(on_disk=True) as stage:
        await sh(stage, script, str(field.project))
        found = await stage.changes()
    paths = {change.path for change in found.items}
    assert {"deeper/f", "deeper/deeper/f", "last", "unreadable"} <= paths
    skipped = dict(found.skipped)
    assert skipped.pop("pipe") == "neither a file nor a link"
    assert ["nested" in reason for reason in skipped.values()] == [True], skipped


async def two_at_once(field: Field) -> None:
    """Two stages of one folder, and two commands of one stage, do not see each other's files."""
    async with field.stage() as one, field.stage() as two:
        await one.write({"README": b"one\n"})
        await two.write({"README": b"two\n"})
        await sh(one, "echo 1 > only-one; echo 1 > /tmp/shared")
        said = await sh(two, "cat README; ls only-one /tmp/shared")
        assert said.text.startswith("two\n"), said
        assert said.text.count("No such file") == 2, said
        assert await _changed(two) == {}
        assert await _changed(one) == {"only-one": "added"}


async def the_folder_changes_meanwhile(field: Field) -> None:
    """After a refresh, names that were looked up before show what the user has now."""
    async with field.stage() as stage:
        watched = field.home / "watched"
        async with field.stage(watched) as live:
            await sh(live, "cat replaced removed dir/old; ls absent dir/new")
            _replace(watched)
            await live.refresh()
            said = await sh(live, "cat replaced absent dir/new; ls removed dir/old")
            assert said.text.startswith("new\nnow here\nin it\n"), said
            assert said.text.count("No such file") == 2, said
        assert (await sh(stage, "cat README")).text == "read me\n"


def _replace(folder: Any) -> None:
    put(folder, {"tmp": "new\n", "absent": "now here\n", "dir2/new": "in it\n"})
    os.replace(folder / "tmp", folder / "replaced")
    (folder / "removed").unlink()
    (folder / "dir/old").unlink()
    (folder / "dir").rmdir()
    (folder / "dir2").rename(folder / "dir")


the_folder_changes_meanwhile.prepare = lambda field: put(  # type: ignore[attr-defined]
    field.home / "watched", {"replaced": "old\n", "removed": "x", "dir/old": "x"}
)


async def kept_products(field: Field) -> None:
    """What is kept on disk is there again on the next stage, for one stage at a time."""
    keep = field.home / "kept"
    async with field.stage(keep=keep) as stage:
        await sh(stage, "mkdir target; echo built > target/object; echo x > /tmp/gone")
        error = await refused(field.kind.open(_plan(field, keep)), "stage-in-use")
        assert str(keep) in str(error)
    async with field.stage(keep=keep) as stage:
        assert (await sh(stage, "cat target/object")).text == "built\n"
        assert await _changed(stage) == {"target/object": "added"}
    assert keep.stat().st_mode & 0o777 == 0o700
    await refused(field.kind.open(_plan(field, field.project / "kept")), "state-inside-root")


def _plan(field: Field, keep: Any) -> Any:
    return StagePlan(field.project, keep=keep)


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    all_kinds,
    marks_that_are_not_the_overlays,
    our_own_edits_are_no_changes,
    files_and_folders_change_places,
    more_than_a_patch_holds,
    two_at_once,
    the_folder_changes_meanwhile,
    kept_products,
)
