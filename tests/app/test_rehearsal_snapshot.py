"""A rehearsal in a folder that is a btrfs subvolume lies on a snapshot: real disks, of the test's.

Each scenario is a coroutine that a process of its own runs on such a disk, in private mounts.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.app import test_rehearsal_kills as kills
from tests.app import test_rehearsal_saves as saves
from tests.support.live_stages import LIMIT_S, Stage, contents, living
from tests.support.on_btrfs import TEXT, make_subvolume, refill, subvolumes
from tests.support.repositories import git
from tests.support.sessions import open_session
from understudy.app.doctor import doctor_beside
from understudy.app.rehearse.recovery import end_left
from understudy.stage.copy.folder import copy_folder
from understudy.stage.live import Frozen
from understudy.stage.model import StagePlan
from understudy.stage.overlay.frozen import freeze
from understudy.stage.scratch import RECORD, remove_at_once, remove_tree, sweep
from understudy.values.own_folders import STATE_VARIABLE
from understudy.workspace.rehearsals.place import place_of, places

ROOT = Path(__file__).resolve().parents[2]
SNAPSHOT = "rehearsals/b1/layer/frozen"
CAN_MOUNT = os.geteuid() == 0 and Path("/dev/loop-control").exists()
pytestmark = pytest.mark.skipif(
    not CAN_MOUNT, reason="only root can mount a disk, by a loop device"
)


def run_on_btrfs(scenario: str, tmp_path: Path, options: str = "rw") -> None:
    assert shutil.which("mkfs.btrfs"), "`make servers` as root installs it"
    done = subprocess.run(
        ["unshare", "--mount", "--propagation", "private", sys.executable, "-m",
         "tests.support.on_btrfs", tmp_path / "image", options, f"{__name__}:{scenario}"],
        cwd=ROOT, capture_output=True, text=True, timeout=4 * LIMIT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "scenario",
    ["all_is_as_over_the_folder", "every_base_is_the_text_of_the_snapshot",
     "the_user_switches_branches", "a_kill_leaves_no_snapshot",
     "a_start_that_was_killed_leaves_none", "no_link_leads_to_what_is_removed",
     "of_a_snapshot_that_somebody_removes_nothing_is_known",
     "a_kill_while_saves_come_in",
     "what_cannot_be_kept_is_over_the_folder",
     "what_hinders_a_stage_on_it_is_said", "doctor_tells",
     "a_copy_of_a_subvolume_is_one_that_can_be_written"],
)  # fmt: skip
def test_as_root(scenario: str, tmp_path: Path) -> None:
    run_on_btrfs(scenario, tmp_path)


@pytest.mark.parametrize("options", ["rw", "user_subvol_rm_allowed"])
def test_another_user(options: str, tmp_path: Path) -> None:
    may = options != "rw"
    run_on_btrfs("a_user_who_may_remove_it" if may else "a_user_who_may_not", tmp_path, options)


@asynccontextmanager
async def living_on_snapshot(*given: Any, **more: Any) -> AsyncIterator[Stage]:
    async with living(*given, **more) as stage:
        assert stage.rehearsal.record.on_snapshot
        yield stage


async def all_is_as_over_the_folder(folder: Path, top: Path) -> None:
    """The same tests as of an overlay over the user's folder, each with a state of its own."""
    saves.living = living_on_snapshot
    for test in (
        saves.test_saves_come_in_and_count_as_nobodys_edits,
        saves.test_what_no_branch_can_hold_is_told,
        saves.test_a_save_leaves_what_no_branch_holds,
        saves.test_both_sides_meet_on_the_stage_at_a_pause,
    ):
        refill(folder)
        own = top / test.__name__
        own.mkdir()
        await test(folder, own)


async def every_base_is_the_text_of_the_snapshot(folder: Path, top: Path) -> None:
    """Also where the user has saved before, by either way, and nobody says what was copied."""
    (folder / "large.txt").write_text("x" * 17_000_000 + "\n")  # more than is ever read ahead
    async with living(folder, top / "state") as stage:
        assert (stage.rehearsal.record.on_snapshot, stage.rehearsal.record.warnings) == (True, ())
        async with stage.rehearsal.truth.sweeper.turn:  # no save is brought in before
            await stage.do("cat a.txt b.txt >/dev/null")
            for name in ("a.txt", "large.txt", "sub/d.txt"):
                stage.save(name, f"saved\n{TEXT}")
            stage.save("b.txt", f"saved\n{TEXT}", in_place=True)
            (folder / "c.txt").unlink()
            await stage.do("echo more >> a.txt; sed -i 's/line 1$/agent/' b.txt")
            await stage.do("echo more >> c.txt; echo new > large.txt; rm sub/d.txt")
        edited = TEXT.replace("line 1\n", "agent\n")
        for path, after in (
            ("a.txt", f"{TEXT}more\n"),
            ("b.txt", edited),
            ("c.txt", f"{TEXT}more\n"),
        ):
            edit = await stage.has(path, after)
            assert (edit.base, edit.base_known) == (TEXT.encode(), True), path
        edit = await stage.has("large.txt", "new\n")
        assert (len(edit.base or b""), edit.base_known) == (17_000_001, True)
        edit = await stage.has("sub/d.txt", None)
        assert (edit.base, edit.base_known) == (TEXT.encode(), True)
        assert (folder / "a.txt").read_text() == f"saved\n{TEXT}"


async def the_user_switches_branches(folder: Path, top: Path) -> None:
    git(folder, "init", "-q", "-b", "one")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(folder, "switch", "-qc", "two")
    (folder / "a.txt").write_text("of two\n")
    (folder / "b.txt").unlink()
    (folder / "sub/e.txt").write_text("of two\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "two")
    git(folder, "switch", "-q", "one")
    async with living(folder, top / "state") as stage:
        await stage.do("exec 7<a.txt; cat b.txt sub/e.txt; echo more >> c.txt")
        git(folder, "switch", "-q", "two")
        await stage.shows("a.txt", "of two\n")
        await stage.shows("b.txt", None)
        await stage.shows("sub/e.txt", "of two\n")
        assert await stage.do("git log --format=%s") == "one\n"
        git(folder, "switch", "-q", "one")
        await stage.shows("a.txt", TEXT)
        await stage.shows("b.txt", TEXT)
        await stage.shows("sub/e.txt", None)
        await stage.do("echo more >> a.txt")
        edit = await stage.has("a.txt", f"{TEXT}more\n")
        assert (edit.base, edit.base_known) == (TEXT.encode(), True)
        edits = {path for path, one in stage.edits().items() if one.after != one.base}
        assert edits == {"a.txt", "c.txt"}


_LIFE = """
import asyncio, sys
from pathlib import Path
from tests.support.live_stages import living
async def live():
    async with living(Path(sys.argv[1]), Path(sys.argv[2]), waits=True) as stage:
        print("ready", flush=True)
        sys.stdin.readline()
        await stage.do("echo more >> a.txt; echo new > new.txt; rm c.txt")
        print("written", flush=True)
        await asyncio.Event().wait()
asyncio.run(live())
"""


async def a_kill_leaves_no_snapshot(folder: Path, top: Path) -> None:
    """Of what was written nothing was looked at before, and the user has saved meanwhile."""
    async with open_session(top, {}, {}) as session:
        await session.branches.create("an agent")
        command = [sys.executable, "-c", _LIFE, folder, top / "state"]
        life = await asyncio.create_subprocess_exec(*command, stdin=-1, stdout=-1)
        assert life.stdin is not None
        assert life.stdout is not None
        assert await life.stdout.readline() == b"ready\n"
        for name in ("a.txt", "c.txt"):
            beside = folder / f"{name}~"
            beside.write_text(f"saved\n{TEXT}")
            beside.replace(folder / name)
        life.stdin.write(b"\n")
        assert await life.stdout.readline() == b"written\n"
        life.send_signal(signal.SIGKILL)
        await life.wait()
        place = place_of(session.layout, "b1")
        assert subvolumes(top) == {"project", f"state/{SNAPSHOT}"}
        # A host of before there were snapshots would compare with the folder: it must refuse.
        assert json.loads((place.layer / RECORD).read_bytes())["schema"] == 2
        assert await end_left(session, place) == "b1"
        found = (await session.branches.get("b1")).files
        assert contents(found) == {
            "a.txt": (TEXT, f"{TEXT}more\n"), "new.txt": (None, "new\n"), "c.txt": (TEXT, None),
        }  # fmt: skip
        assert (subvolumes(top), places(session.layout)) == ({"project"}, [])


async def a_start_that_was_killed_leaves_none(folder: Path, top: Path) -> None:
    """Before there is a record, and in the middle of its removal."""
    async with open_session(top, {}, {}) as session:
        place = place_of(session.layout, "b1")
        plan = StagePlan(folder, keep=place.layer, live=True)
        place.claim()
        place.layer.mkdir()
        assert freeze(plan).folder == place.layer / "frozen"
        place.release()
        assert places(session.layout) != []
        assert await end_left(session, place) is None
        assert subvolumes(top) == {"project"}
        place.layer.mkdir(parents=True)
        assert freeze(plan).folder is not None
        (session.layout.stages).mkdir(exist_ok=True)
        half_removed = session.layout.stages / "stage-half"
        place.folder.rename(half_removed)
        (half_removed / "owner.lock").touch()
        assert sweep(session.layout.stages) == 1
        assert (subvolumes(top), half_removed.exists()) == ({"project"}, False)


async def of_a_snapshot_that_somebody_removes_nothing_is_known(folder: Path, top: Path) -> None:
    async with living(folder, top / "state") as stage:
        await stage.do("echo more >> a.txt")
        await stage.has("a.txt", f"{TEXT}more\n")
        await ran("btrfs", "-q", "subvolume", "delete", top / "state" / SNAPSHOT)
        stage.save("b.txt", "saved\n")
        await stage.shows("b.txt", "saved\n")
        await stage.do("echo anew > c.txt")
        edit = await stage.has("c.txt", "anew\n")
        assert (edit.base, edit.base_known) == (None, False)
    edits = {path for path, one in stage.edits().items() if one.after != one.base}
    assert edits == {"a.txt", "c.txt"}, "nothing is taken for deleted"
    assert (folder / "c.txt").read_text() == TEXT


async def no_link_leads_to_what_is_removed(folder: Path, top: Path) -> None:
    stages = top / "stages"
    for half, link in (("one", "layer"), ("two", "layer/frozen")):
        mine = top / half
        (mine / "frozen").parent.mkdir()
        make_subvolume(mine / "frozen")
        (mine / "frozen/f.txt").write_text("mine\n")
        gone = stages / f"stage-{half}"
        (gone / link).parent.mkdir(parents=True)
        (gone / "owner.lock").touch()
        (gone / link).symlink_to(mine if link == "layer" else mine / "frozen")
    (stages / "stage-three").symlink_to(top / "whole")
    (top / "whole/layer").mkdir(parents=True)
    make_subvolume(top / "whole/layer/frozen")
    os.utime(top / "whole", (0, 0))
    assert sweep(stages) == 2
    assert [one.name for one in stages.iterdir()] == ["stage-three"]
    assert subvolumes(top) == {"project", "one/frozen", "two/frozen", "whole/layer/frozen"}
    assert (top / "one/frozen/f.txt").read_text() == "mine\n"
    assert [one.name for one in (top / "whole").iterdir()] == ["layer"]


async def a_kill_while_saves_come_in(folder: Path, top: Path) -> None:
    """None of them is an edit, wherever it is; on a snapshot each has to be put there."""
    old, agent = f"{TEXT}more\n", {"agent.txt": (TEXT, f"{TEXT}more\n")}
    anew = "printf '{}' > new; mv new f02.txt".format(old.replace("\n", "\\n"))
    more, saved_more = "echo more >> f02.txt", f"{kills.SAVED}more\n"
    for number, (point, line, edits) in enumerate((
        ("Swap.begin:after:3", "", agent),
        ("Swap.finish:after:33", "", agent),
        ("Swap.finish:after:3", more, agent | {"f02.txt": (kills.SAVED, saved_more)}),
        ("Swap.finish:after:3", anew, agent | {"f02.txt": (None, old)}),
        ("Ledger.note:after:1:f02.txt", more, agent | {"f02.txt": (None, saved_more)}),
        ("Ledger.note:after:1:f02.txt", anew, agent | {"f02.txt": (None, old)}),
    )):  # fmt: skip
        own = top / f"own{number}"
        own.mkdir()
        make_subvolume(own / "project")
        found = await kills.left_by(point, "overlay", own, line)
        assert found == edits, (point, line, found)
        assert subvolumes(own) == {"project"}


async def ran(*command: str | Path) -> None:
    process = await asyncio.create_subprocess_exec(*command)
    assert await process.wait() == 0


async def what_cannot_be_kept_is_over_the_folder(folder: Path, top: Path) -> None:
    """Each is said, once, and all goes on as over any other folder."""
    elsewhere = Path(sys.argv[1]).with_name("elsewhere")
    make_subvolume(folder / "nested")
    (folder / "nested/f.txt").write_text("nested\n")
    told = "the folder is a subvolume, and yet it lies on no snapshot: "
    why = "it holds other subvolumes, which a snapshot leaves out"
    async with living(folder, top / "state") as stage:
        assert stage.rehearsal.record.warnings == (told + why,)
        assert not stage.rehearsal.record.on_snapshot
        assert await stage.do("cat nested/f.txt; echo more >> a.txt") == "nested\n"
        await stage.has("a.txt", f"{TEXT}more\n")
        assert subvolumes(top) == {"project"}
    (folder / "nested/f.txt").unlink()
    (folder / "nested").rmdir()
    async with living(folder, elsewhere) as stage:
        why = "Understudy's state lies on another file system"
        assert stage.rehearsal.record.warnings == (told + why,)
    (folder / "tmp").mkdir()
    await ran("mount", "-t", "tmpfs", "tmpfs", folder / "tmp")
    async with living(folder, top / "mounted") as stage:
        why = "something is mounted in it, which a snapshot leaves out"
        assert stage.rehearsal.record.warnings == (told + why,)
    await ran("umount", folder / "tmp")
    plain = top / "plain"
    plain.mkdir()
    (plain / "a.txt").write_text(TEXT)
    async with living(plain, top / "other") as stage:
        record = stage.rehearsal.record
        assert (record.on_snapshot, record.warnings) == (False, ()), "nobody expects one"


async def what_hinders_a_stage_on_it_is_said(folder: Path, top: Path) -> None:
    def freeze_away(plan: StagePlan) -> Frozen:
        found = freeze(plan)
        return found if found.folder is None else Frozen(found.folder / "gone")

    pytest.MonkeyPatch().setattr("understudy.stage.overlay.kind.freeze", freeze_away)
    async with living(folder, top / "state") as stage:
        (warning,) = stage.rehearsal.record.warnings
        assert "it lies on no snapshot: no stage can be set up on it: " in warning
        await stage.do("echo more >> a.txt")
        await stage.has("a.txt", f"{TEXT}more\n")
        assert subvolumes(top) == {"project"}


async def doctor_tells(folder: Path, top: Path) -> None:
    os.environ[STATE_VARIABLE] = str(top / "state")

    async def told() -> list[tuple[str, str]]:
        found = await doctor_beside(session)
        return [(one.state, one.text) for one in found if one.subject == "stage snapshot"]

    async with open_session(top, {}, {}) as session:
        text = "rehearsals lie on a snapshot of the folder, which is a btrfs subvolume"
        assert await told() == [("ok", text)]
        make_subvolume(folder / "nested")
        text = "rehearsals lie over the folder itself, though it is a subvolume: it holds other "
        assert await told() == [("unused", f"{text}subvolumes, which a snapshot leaves out")]
        assert subvolumes(top) == {"project"}


async def a_copy_of_a_subvolume_is_one_that_can_be_written(folder: Path, top: Path) -> None:
    copied = copy_folder(folder, top / "copy", link_dependencies=True)
    assert (copied.method, subvolumes(top)) == ("snapshot", {"project", "copy"})
    (top / "copy/a.txt").write_text("new\n")
    assert (folder / "a.txt").read_text() == TEXT
    remove_tree(top / "copy")
    assert subvolumes(top) == {"project"}


def _as_nobody(folder: Path, top: Path) -> StagePlan:
    keep = top / "state"
    keep.mkdir(mode=0o700)
    for place in (folder, keep):
        os.chown(place, 65534, 65534)
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
    return StagePlan(folder, keep=keep, live=True)


async def a_user_who_may_not(folder: Path, top: Path) -> None:
    other = top / "other"
    make_subvolume(other)
    plan = _as_nobody(folder, top)
    found = freeze(plan)
    assert (found.folder, "user_subvol_rm_allowed" in found.why_not) == (None, True)
    found = freeze(StagePlan(other, keep=plan.keep, live=True))
    assert (found.folder, found.why_not) == (None, "this user may not make one of it")
    assert subvolumes(top) == {"project", "other"}
    assert plan.keep is not None
    assert list(plan.keep.iterdir()) == []


async def a_user_who_may_remove_it(folder: Path, top: Path) -> None:
    plan = _as_nobody(folder, top)
    assert plan.keep is not None
    layer = plan.keep / "b1/layer"
    layer.mkdir(parents=True)
    found = freeze(StagePlan(folder, keep=layer, live=True)).folder
    assert found is not None
    assert (found / "a.txt").read_text() == TEXT
    with pytest.raises(OSError, match="Read-only"):
        (found / "a.txt").open("w")
    remove_at_once(plan.keep / "b1", plan.keep / "stages")
    assert subvolumes(top) == {"project"}
    assert list((plan.keep / "stages").iterdir()) == []
