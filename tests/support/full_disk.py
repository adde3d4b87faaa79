"""Fills a real disk, small and our own, under a session's log; prints what came of it as JSON.

    unshare --user --map-root-user --mount python -m tests.support.full_disk FOLDER

The disk is a tmpfs that nobody else sees. It is filled to the last byte, then one page is given
back, then all.
"""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from tests.e2e.folders import UNDERSTUDY, child_environment
from tests.support.histories import entries_of, history_of
from understudy.app.context.pack import PackedPrompt, pack_log
from understudy.app.context.put import put_output
from understudy.app.context.record import record
from understudy.context.policy import Policy
from understudy.values.errors import OutsideFailure
from understudy.workspace.context_place import ContextPlace

SIZE = 4 * 1024 * 1024
PAGE = os.sysconf("SC_PAGE_SIZE")
EVENTS = 400
LONG = "an output that has to stay\n" * 160
"""Longer than what stays in a prompt, and a little longer than a page."""
KEEP_ALL = Policy(ingest=10**9)
BATCH = Policy(rule="batch")


class Disk:
    """A tmpfs at a folder, and the file that takes what is left of it."""

    def __init__(self, folder: Path, size: int = SIZE) -> None:
        folder.mkdir()
        options = f"size={size}"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True)
        self._folder, self._filler = folder, folder / "filler"

    def fill(self) -> None:
        """Write until the kernel says that the disk is full."""
        with self._filler.open("ab", buffering=0) as stream:
            while True:
                try:
                    stream.write(b"x" * PAGE)
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise
                    return

    def turn(self, how: str) -> None:
        """Make it take nothing (`ro`), or all again (`rw`)."""
        subprocess.run(["mount", "-o", f"remount,{how}", self._folder], check=True)

    def give_back(self, size: int) -> None:
        """Free so many bytes."""
        os.truncate(self._filler, self._filler.stat().st_size - size)

    def empty(self) -> None:
        """Free all."""
        self._filler.unlink()


class Session:
    """A log whose old outputs should leave, read anew from the disk at each question."""

    def __init__(self, folder: Path) -> None:
        self._folders = (folder / "context", folder / "user")
        self.log = self.place.log("s").file
        self.given = entries_of(history_of(3, 40).events[:EVENTS])

    @property
    def place(self) -> ContextPlace:
        return ContextPlace(*self._folders)

    def files(self) -> list[str]:
        """Every file of the store, temporary ones included."""
        return sorted(str(file) for file in self._folders[0].rglob("*") if file.is_file())

    def packed(self) -> PackedPrompt:
        return pack_log(self.place, "s", BATCH, 0)

    def shown(self) -> list[str]:
        """The texts of the outputs in the prompt, without the line that says how they ended."""
        texts = [m.text for m in self.packed().pack.messages if m.kind == "result"]
        return [re.sub(r"\n\[exit status \d+\]$", "", text) for text in texts]

    def pad(self) -> None:
        """Let the log end where another page and nothing more takes a `LONG` event."""
        while not 600 < -self.log.stat().st_size % PAGE < PAGE - 600:
            record(self.place, "s", [{"kind": "topic"}], KEEP_ALL)


def main(folder: Path) -> dict[str, object]:
    """The facts, in the order in which they came about."""
    disk = Disk(folder)
    session = Session(folder)
    record(session.place, "s", session.given, KEEP_ALL)
    put_output(session.place, b"so that the folders are there", "cat")
    session.pad()
    outputs = [entry["text"] for entry in session.given if entry["kind"] == "result"]
    result = {"kind": "result", "tool": "cat", "call": "last", "text": LONG}
    told: dict[str, object] = {"outputs": len(outputs)}

    disk.fill()
    before, log = session.files(), session.log.read_bytes()
    packed = session.packed()
    told["wished to leave"] = len(packed.plan.items)
    told["full: failures"] = [failure.code for failure in packed.failures]
    told["full: outputs shown"] = session.shown() == outputs
    told["full: put"] = _put(session)
    told["full: log"] = _recorded(session, result)
    told["full: nothing changed"] = (session.files(), session.log.read_bytes()) == (before, log)
    told["full: command"] = _command(folder)

    disk.give_back(PAGE)
    told["one page: log"] = _recorded(session, result)
    told["one page: outputs shown"] = session.shown() == [*outputs, LONG]

    disk.empty()
    after = session.packed()
    told["room: left"] = len(after.plan.items) + len(after.failures)
    told["room: restored"] = _restored(session) == [*outputs, LONG]
    return told


def _put(session: Session) -> list[object]:
    done = put_output(session.place, LONG.encode(), "cat")
    return [done.receipt, done.failure.code if done.failure else None]


def _recorded(session: Session, entry: dict[str, str]) -> list[object]:
    """The text that the log now has, or why it has none; and why there is no receipt."""
    try:
        made = record(session.place, "s", [entry], BATCH)
    except OutsideFailure as failure:
        return [None, failure.code]
    (event,) = made.events
    return [event.text == LONG and not event.ref, *(failure.code for failure in made.failures)]


def _command(folder: Path) -> list[object]:
    """What a shell sees: the output itself, and exit code 4."""
    work = folder.parent / "work"
    work.mkdir()
    environ = child_environment(folder.parent / "state")
    done = subprocess.run(
        [*UNDERSTUDY, "context", "put", "--label", "cat"], input=LONG.encode(), cwd=work,
        env={**environ, "UNDERSTUDY_STATE_DIR": str(folder / "state")},
        capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    says_which = f"the disk mounted at {folder} is full".encode() in done.stderr
    return [done.returncode, done.stdout == LONG.encode(), says_which]


def _restored(session: Session) -> list[str]:
    """Every output, from the file that took it or from the log."""
    place = session.place
    events = place.log("s").read().events
    left = {item.seq: item for event in events for item in event.items}
    return [
        place.store.get(left[event.seq].ref, left[event.seq].sha256).decode()
        if event.seq in left
        else event.text
        for event in events
        if event.kind == "result"
    ]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Path(sys.argv[1]))) + "\n")
