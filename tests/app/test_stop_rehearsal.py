"""The user's word ends the process that holds a rehearsal, and no other that a record names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from understudy.app.rehearse.stop import stop_rehearsal
from understudy.values.errors import BadInput, OutsideFailure
from understudy.workspace.passing_session import passing_session
from understudy.workspace.rehearsals.place import Record, place_of

HOLDING = """
import sys
from pathlib import Path
from understudy.workspace.rehearsals.place import RehearsalPlace
place = RehearsalPlace(Path(sys.argv[1]), Path(sys.argv[1]))
place.claim()
print("held", flush=True)
sys.stdin.read()
"""


def holding(folder: Path) -> subprocess.Popen[bytes]:
    """A process that holds a rehearsal, once it does."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    return holder


async def test_only_who_holds_the_lock_is_ended(tmp_path: Path):
    async with passing_session(tmp_path, trust=False) as session:
        branch = (await session.branches.create("x")).id
        place = place_of(session.layout, branch)
        with pytest.raises(BadInput, match="nothing lives"):
            await stop_rehearsal(session, branch)
        place.folder.mkdir(parents=True)
        with holding(place.folder) as holder:
            for pid in (os.getpid(), 1 << 22):  # another one; one that is no more
                place.write_record(Record(branch, ("x",), pid, str(tmp_path), 0))
                with pytest.raises(OutsideFailure) as caught:
                    await stop_rehearsal(session, branch)
                assert caught.value.code == "not-stopped"
                assert holder.poll() is None
            mine = Record(branch, ("x",), holder.pid, str(tmp_path), 0)
            place.write_record(replace(mine, has_fellows=True))
            assert not place.is_asked_to_end
            assert await stop_rehearsal(session, branch) == (branch,)
            assert (place.is_asked_to_end, holder.poll()) == (True, None)
            place.write_record(mine)
            assert await stop_rehearsal(session, branch) == (branch,)
            assert holder.wait(30) == -signal.SIGTERM
        place.claim()
        assert not place.is_asked_to_end, "it was another one that was asked"
        place.release()
        with pytest.raises(BadInput):
            await stop_rehearsal(session, branch)
