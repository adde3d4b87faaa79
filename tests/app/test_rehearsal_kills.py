"""A rehearsal is killed while the user's saves come onto its stage: none of them is an edit."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from tests.support import rehearsal_merge_kill_target as merge
from tests.support.live_stages import LIMIT_S, NEEDS_FENCE, Contents, contents, until_older
from tests.support.sessions import open_session
from understudy.app.rehearse.recovery import end_left
from understudy.stage.model import KindName
from understudy.workspace.rehearsals.place import place_of, places

LINES = [f"line {number}\n" for number in range(12)]
TEXT = "".join(LINES)
SAVED = f"SAVED\n{''.join(LINES[1:])}"
N = 40
"""More than are brought in, and written down, at once."""
NAMES = [f"f{number:02}.txt" for number in range(N)]
POINTS = [
    "Ledger.intend:after:1", "Ledger.intend:before:1",
    "Swap.begin:before:3", "Swap.begin:after:3", "Swap.begin:after:4", "Swap.begin:after:5",
    "Swap.finish:before:3", "Swap.finish:after:3", "Swap.finish:after:18",
    "Ledger.note:before:1", "Ledger.note:after:1", "Ledger.intend:after:2",
]  # fmt: skip
HOLD = """python3 -c 'import glob, tempfile, time
held = [open(name) for name in glob.glob("*.txt")]
open(tempfile.gettempdir() + "/held", "w").close()
time.sleep(1000)'"""
UNTIL_HELD = 'until [ -e "${TMPDIR:-/tmp}/held" ]; do :; done'
"""What is open is shown as it was, until we put the save there."""
KINDS = ["overlay", pytest.param("copy", marks=NEEDS_FENCE)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("point", POINTS)
async def test_no_save_is_an_edit(point: str, kind: KindName, tmp_path: Path) -> None:
    assert await left_by(point, kind, tmp_path, "") == {"agent.txt": (TEXT, f"{TEXT}more\n")}


@pytest.mark.parametrize("kind", KINDS)
async def test_an_edit_of_a_save_that_nobody_has_noted_is_no_edit_of_the_text_before(
    kind: KindName, tmp_path: Path
) -> None:
    """The text before is in no memory by then: the user is asked (on a snapshot it is there)."""
    line = "echo more >> f02.txt"
    assert await left_by("Swap.finish:after:3", kind, tmp_path, line) == {
        "agent.txt": (TEXT, f"{TEXT}more\n"), "f02.txt": (None, f"{SAVED}more\n"),
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "point", ["Swap.begin:before:3", "Swap.finish:after:3", "Ledger.note:after:1:f02.txt"]
)
async def test_where_it_could_be_of_either_nobody_guesses(
    point: str, kind: KindName, tmp_path: Path
) -> None:
    """It has the old text, and was made anew: before the save came in, or over it."""
    old = f"{TEXT}more\n".replace("\n", "\\n")
    line = f"printf '{old}' > new; mv new f02.txt"
    assert await left_by(point, kind, tmp_path, line) == {
        "agent.txt": (TEXT, f"{TEXT}more\n"), "f02.txt": (None, f"{TEXT}more\n")
    }  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
async def test_what_the_agent_wrote_over_a_merge_is_of_a_text_that_nobody_guesses(
    kind: KindName, tmp_path: Path
) -> None:
    """It goes on from its own text, without the user's line; the kill comes before a look."""
    async with open_session(tmp_path, {"a.txt": merge.TEXT}, {}) as session:
        folder = session.root.path
        await session.branches.create("an agent")
        until_older(folder)
        life = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.rehearsal_merge_kill_target"),
            *(folder, tmp_path / "state", kind),
        )
        assert await asyncio.wait_for(life.wait(), LIMIT_S) == -signal.SIGKILL
        await end_left(session, place_of(session.layout, "b1"))
        (found,) = (await session.branches.get("b1")).files.values()
        assert found.after is not None
        assert (found.base, found.after.unpack().content) == (None, merge.SECOND)
        assert (folder / "a.txt").read_text() == merge.SAVED


async def left_by(point: str, kind: KindName, top: Path, line: str) -> Contents:
    """The edits of the branch once the next command has seen to what a kill has left.

    Before the saves the agent has edited a file, and opened all; at the kill it does `line`.
    """
    line = f"echo more >> agent.txt; {HOLD} & {UNTIL_HELD};;{line}"
    names = dict.fromkeys([*NAMES, "agent.txt", "gone.txt"], TEXT)
    async with open_session(top, names, {}) as session:
        folder = session.root.path
        await session.branches.create("an agent")
        until_older(folder)
        life = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.support.rehearsal_kill_target"),
            *(folder, top / "state", kind, point, line),
            stdin=-1, stdout=-1,
        )  # fmt: skip
        assert life.stdin is not None
        assert life.stdout is not None
        assert await life.stdout.readline() == b"ready\n"
        saves(folder)
        life.stdin.write(b"\n")
        try:
            await asyncio.wait_for(life.wait(), LIMIT_S)
        finally:
            if life.returncode is None:
                life.kill()
        place = place_of(session.layout, "b1")
        await end_left(session, place)
        assert places(session.layout) == []
        found = (await session.branches.get("b1")).files
        assert (folder / "f02.txt").read_text() == SAVED
        return contents(found)


def saves(folder: Path) -> None:
    """Of every kind: by rename, in place, of what is no text, of new files, deletions."""
    for number, name in enumerate(NAMES):
        if number % 2:
            (folder / name).write_text(SAVED)
        else:
            (folder / f"{name}~").write_text(SAVED)
            (folder / f"{name}~").replace(folder / name)
    (folder / "f03.txt").unlink()
    (folder / "f04.txt").write_bytes(b"\0binary")
    (folder / "f05.new.txt").write_text("made\n")
    (folder / "gone.txt").unlink()
