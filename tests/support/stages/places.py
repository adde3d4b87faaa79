"""Folders that are hard to make a stage of: odd names, odd places, odd owners."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.support.stages.field import Field, fingerprints, put, python, refused, sh
from understudy.stage.model import StagePlan
from understudy.stage.overlay.kind import OverlayKind

ODD_NAMES = (
    "with space", "comma,and,more", "colon:colon", "back\\slash", "new\nline", "tab\tquote'\"",
    "ünï-コード", "lowerdir=x,upperdir=y", "-rf", "%s%n", "x" * 255, "undecodable-\udcff\udc80",
)  # fmt: skip


async def odd_names(field: Field) -> None:
    """Of the folder itself and of files in it, in every way a stage is used."""
    for name in ODD_NAMES:
        root = field.home / "odd" / name
        async with field.stage(root) as stage:
            await stage.write({f"{name}/{name}": b"written\n"})
            said = await sh(stage, 'cat "./$1/$1"; pwd; echo x > "new $1" || exit 3', name[:200])
            if len(name) < 200:
                assert said.text.startswith(f"written\n{root}\n"), said
                assert said.ended.status == 0, said
                assert [c.path for c in (await stage.changes()).items] == [f"new {name}"]
            assert await stage.read(f"{name}/{name}") == b"written\n"
        assert [path.name for path in root.iterdir()] == ["file"]


odd_names.prepare = lambda field: [  # type: ignore[attr-defined]
    put(field.home / "odd" / name, {"file": "x"}) for name in ODD_NAMES
]


async def a_long_path(field: Field) -> None:
    root = field.home / "/".join(["d" * 99] * 6)
    put(root, {"file": "deep\n"})
    async with field.stage(root) as stage:
        assert (await sh(stage, "cat file; echo x > y")).text == "deep\n"
        assert [change.path for change in (await stage.changes()).items] == ["y"]


async def below_tmp(field: Field) -> None:
    """A folder in /tmp is shown in the stage's own /tmp, and what is asked for beside it."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        root, tools = Path(name, "project"), Path(name, "tools")
        put(root, {"file": "in tmp\n"})
        put(tools, {"tool": "a tool\n"})
        (Path(name) / "other").touch()
        async with field.stage(root, visible=(tools,)) as stage:
            said = await sh(stage, "cat file; cat ../tools/tool; ls ..; echo x > new")
            assert said.text == "in tmp\na tool\nproject\ntools\n", said
            assert (await sh(stage, "echo x > ../tools/tool")).ended.status != 0
            assert [change.path for change in (await stage.changes()).items] == ["new"]
        assert sorted(path.name for path in root.iterdir()) == ["file"]


async def the_home_itself(field: Field) -> None:
    """The folder may hold the home (and so our own scratch folder): secrets stay hidden."""
    put(field.home, {".ssh/key": "hidden-secret\n"})
    async with field.stage(field.home, homes=()) as stage:
        said = await sh(stage, "cat project/README; cat .ssh/key; echo x > project/README")
        assert said.text.startswith("read me\n"), said
        assert "hidden" not in said.text, said
        assert stage.isolation.notes
        assert [c.path for c in (await stage.changes()).items] == ["project/README"]


async def no_folders(field: Field) -> None:
    for path in ("/", "/proc/self", "/dev", "/sys"):
        await refused(field.kind.open(StagePlan(Path(path))), "root-unusable")
    await refused(field.kind.open(StagePlan(field.home / "missing")), "no-such-root")
    await refused(field.kind.open(StagePlan(field.project / "README")), "no-such-root")
    (field.home / "link").symlink_to("project")
    await refused(field.kind.open(StagePlan(field.home / "link")), "no-such-root")


async def mounts_below(field: Field) -> None:
    """A file system mounted inside the folder is part of it: shown, writable, compared."""
    subprocess.run(["mount", "-t", "tmpfs", "x", field.project / "modules"], check=True)
    try:
        put(field.project / "modules", {"package/index": "installed\n", "gone": "x"})
        before = fingerprints(field.project)
        async with field.stage() as stage:
            await stage.write({"modules/ours": b"ours\n"})
            said = await sh(stage, "cat modules/package/index modules/ours; rm modules/gone")
            assert said.text == "installed\nours\n", said
            await sh(stage, "echo x >> modules/package/index; echo y > top")
            found = {change.path: change.kind for change in (await stage.changes()).items}
            assert found == {
                "modules/package/index": "modified", "modules/gone": "deleted", "top": "added",
            }  # fmt: skip
        assert fingerprints(field.project) == before
    finally:
        subprocess.run(["umount", field.project / "modules"], check=True)


mounts_below.not_as = ("user",)  # type: ignore[attr-defined]
mounts_below.prepare = lambda field: (  # type: ignore[attr-defined]
    (field.project / "modules").mkdir()
)


async def mounts_that_cannot_be_overlaid(field: Field) -> None:
    """They are shown all the same, read-only, and the result says so."""
    deep = field.project / "deep"
    for number in (1, 2):  # the kernel stacks two overlays, no third
        for name in ("lower", "upper", "work"):
            (field.home / f"{name}{number}").mkdir(exist_ok=True)
    put(field.home, {"lower1/file": "deep down\n"})
    mounted = [field.home / "lower2", deep]
    for number, place in enumerate(mounted, 1):
        parts = (f"{name}dir={field.home}/{name}{number}" for name in ("lower", "upper", "work"))
        options = ",".join([*parts, "userxattr"])
        subprocess.run(["mount", "-t", "overlay", "-o", options, "x", place], check=True)
    try:
        async with field.stage(homes=()) as stage:
            said = await sh(stage, "cat deep/file; echo x > deep/new; echo y > beside")
            assert said.text.startswith("deep down\n"), said
            assert "Read-only" in said.text, said
            assert [change.path for change in (await stage.changes()).items] == ["beside"]
            assert stage.isolation.notes == (f"nothing can be written below {deep}",)
    finally:
        for place in reversed(mounted):
            subprocess.run(["umount", place], check=True)


mounts_that_cannot_be_overlaid.not_as = ("user",)  # type: ignore[attr-defined]
mounts_that_cannot_be_overlaid.prepare = lambda field: (  # type: ignore[attr-defined]
    (field.project / "deep").mkdir()
)


async def foreign_owners(field: Field) -> None:
    """Files of others (made before by root): told, written where possible, never feigned."""
    foreign = {"theirs.txt", "their-folder"} if (field.project / "theirs.txt").exists() else set()
    async with field.stage() as stage:
        told = set(await stage.foreign())
        if os.getuid() == 0 or not foreign:
            assert told == (set() if field.is_machine_root else foreign)
            return
        assert told == foreign
        said = await sh(stage, "echo x >> theirs.txt; echo x > their-folder/new; cat theirs.txt")
        assert said.text.count("cannot create") == 2, said
        assert said.text.endswith("theirs\n")
        await stage.write({"theirs.txt": b"replaced\n"})
        assert (await sh(stage, "cat theirs.txt")).text == "replaced\n"
        for data in (b"x", None):
            await refused(stage.write({"their-folder/inner": data}), "foreign-owner")
        assert await stage.read("their-folder/inner") == b"inner\n"


async def an_interpreter_elsewhere(field: Field) -> None:
    """Toolchains of the home folder run, and what they write there stays on the stage."""
    put(field.home, {".cache/pip/state": "warm\n"})
    program = "import pathlib; p = pathlib.Path.home() / '.cache/pip/state'; "
    program += "print(p.read_text(), end=''); p.write_text('used'); print(p.read_text())"
    async with field.stage() as stage:
        assert (await python(stage, program)).text == "warm\nused\n"
        assert (await stage.changes()).items == ()
    assert (field.home / ".cache/pip/state").read_text() == "warm\n"
    assert sys.executable


async def a_disk_that_holds_no_overlay(field: Field) -> None:
    """As in most containers, whose own disk is an overlay: what is written is in memory then."""
    async with field.stage(on_disk=True) as stage:
        assert await stage.outlive({})
    disk = field.home / "disk"
    parts = {name: field.home / f"disk-{name}" for name in ("lower", "upper", "work")}
    for path in (disk, *parts.values()):
        path.mkdir()
    options = ",".join(f"{name}dir={path}" for name, path in parts.items())
    subprocess.run(["mount", "-t", "overlay", "x", "-o", f"{options},userxattr", disk], check=True)
    kind = OverlayKind(disk, disk / "helper.log", field.spawn)
    try:
        stage = await kind.open(StagePlan(field.project, on_disk=True))
        assert (await sh(stage, "echo x >> README; cat README")).text == "read me\nx\n"
        assert [change.path for change in (await stage.changes()).items] == ["README"]
        assert not await stage.outlive({})
        assert not list(disk.rglob("stage-*"))
    finally:
        await kind.close()
        subprocess.run(["umount", disk], check=True)


a_disk_that_holds_no_overlay.not_as = ("user",)  # type: ignore[attr-defined]


SCENARIOS: tuple[Callable[[Field], Any], ...] = (
    odd_names,
    a_long_path,
    below_tmp,
    the_home_itself,
    no_folders,
    mounts_below,
    mounts_that_cannot_be_overlaid,
    foreign_owners,
    an_interpreter_elsewhere,
    a_disk_that_holds_no_overlay,
)
