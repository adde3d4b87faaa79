"""A program: at every step in which a log goes on in a new file, something happens to it.

`kill`: the writer ends at that step, as by `kill -9`; `kill-unlinked`: where files have no second
names; `-early`: of its first file, which holds a command that has ended.
`refuse`: the disk refuses that step, once.
`read`: the steps are those of a reader, and at one of them the log goes on in a new file.
`deny`: the disk lets nobody look for a while, neither at the folder nor at the log.
Prints what was found after each of the steps as lines of JSON.
"""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from understudy.app.terminals.listing import listed, read_in
from understudy.app.terminals.wait import WaitWish, wait
from understudy.disk.layout import workspace_layout
from understudy.terminal.log import folder as log_folder
from understudy.terminal.log import rotation as log_rotation
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import SIZE, Header
from understudy.values.errors import UnderstudyError
from understudy.values.paths import Root

KEPT_BYTES, FILE_BYTES = 20_000, 4000
STEPS = {
    "open", "os.rename", "os.link", "os.remove", "os.scandir", "os.listdir", "os.truncate",
    "fcntl.flock",
}  # fmt: skip


class Steps:
    """Counts the steps on the disk, by the interpreter's own events, and acts at one of them."""

    def __init__(self, act: Callable[[], None]) -> None:
        self.left = 0
        self._act = act
        sys.addaudithook(self._on_event)

    def _on_event(self, event: str, _args: tuple[object, ...]) -> None:
        if self.left and event in STEPS:
            self.left -= 1
            if self.left == 0:
                self._act()


class Writer:
    """A log with a record that is open since its first file; lines carry their numbers."""

    def __init__(self, folder: Path) -> None:
        header = Header(os.getpid(), "/p", "bash", "idle", None, None, None, "full")
        self.log = LogFile(
            folder, "1", header, max_file_bytes=FILE_BYTES, kept_bytes=KEPT_BYTES
        )  # fmt: skip
        self.n_lines = 0
        self.log.begin("before", "/p", "2026-11-26T08:00:00Z")
        self.log.end(End(0, 0.1, 0, 0))
        self.log.begin("serve", "/p", "2026-11-26T08:00:00Z")

    def write(self, n_lines: int) -> None:
        for number in range(self.n_lines, self.n_lines + n_lines, 5):
            text = "".join(f"{one} {'x' * 60}\n" for one in range(number, number + 5))
            self.log.write(text)
            self.log.show(["still changing"])
        self.n_lines += n_lines

    def go_on(self) -> None:
        """Write until a new file has come."""
        before = self.log.path.stat().st_ino
        while self.log.path.stat().st_ino == before:
            self.write(5)


def numbers_in(folder: Path) -> list[int]:
    """The numbers of the lines, in the order of the files."""
    return [
        int(line.split()[0])
        for path in log_rotation.files(folder / "1.txt")
        for line in path.read_bytes()[SIZE:].decode().splitlines()
        if line.endswith("x")
    ]


def ended(folder: Path, step: int, *, early: bool) -> dict[str, object] | None:
    """What is left of a writer that was killed at a step; None: it has fewer."""
    child = os.fork()
    if child == 0:
        writer = Writer(folder)
        if not early:
            writer.write(400)
            for _ in range(6):
                writer.go_on()
        (folder / "written").write_text(str(writer.n_lines))
        steps = Steps(lambda: os.kill(os.getpid(), signal.SIGKILL))
        steps.left = step
        writer.write(60)
        os._exit(int(steps.left == 0))
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        return None
    (terminal,) = listed(folder)
    found: dict[str, object] = {
        "numbers": numbers_in(folder),
        "written": int((folder / "written").read_text()),
        "status": terminal.status,
        "ids": [entry["id"] for _, entry in log_folder.log_of(folder, "1").ended],
        "first": read_in(folder, "1", None, 1).text.splitlines(),
        "read": read_in(folder, "1", None, 2).text.splitlines()[0],
    }
    header = Header(os.getpid(), "/p", "bash", "idle", None, None, None, "full")
    for _ in range(2):  # the next start works, and what is left can make room
        log_folder.create(
            folder, lambda name: LogFile(folder, name, header), log_folder.Room(1)
        ).close()  # fmt: skip
    found["left"] = sorted(path.name for path in folder.iterdir() if path.name != "written")
    return found


def refused(folder: Path, step: int) -> dict[str, object] | None:
    """What a log is like that goes on after a step was refused; None: it has fewer."""
    writer = Writer(folder)

    def refuse() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    steps = Steps(refuse)
    writer.write(400)
    steps.left = step
    writer.write(60)
    if steps.left:
        return None
    running = listed(folder)[0].status
    n_files = log_folder.log_of(folder, "1").number
    for _ in range(6):
        writer.write(60)
    size = sum(path.stat().st_size for path in log_rotation.files(folder / "1.txt"))
    more = log_folder.log_of(folder, "1").number - n_files
    writer.log.end(End(0, 1.0, 0, 1))
    return {
        "numbers": numbers_in(folder), "written": writer.n_lines, "status": running, "size": size,
        "more": more, "failure": writer.log.failure,
        "ids": [entry["id"] for _, entry in log_folder.log_of(folder, "1").ended],
        "strays": [path.name for path in folder.glob("*next*")],
        "missed": re.findall("bytes (?:missed|not kept)", read_in(folder, "1", None, 2).text),
    }  # fmt: skip


def looked(folder: Path, root: Path) -> list[dict[str, object]]:
    """What a reader finds, of each of its steps, if a log goes on in a new file there."""
    writer = Writer(folder)
    writer.write(100)
    steps = Steps(writer.go_on)
    readers: dict[str, Callable[[], object]] = {
        "list": lambda: [(found.status, found.command) for found in listed(folder)],
        "read": lambda: _jumps(read_in(folder, "1", None, 2).text.splitlines()),
        "wait": lambda: wait(root, "1", WaitWish("^no such line$", seconds=0)).ended,
    }
    found: list[dict[str, object]] = []
    for name, read in readers.items():
        step = 0
        while not steps.left:
            steps.left = step = step + 1
            found.append({"reader": name, "step": step, "found": read()})
        steps.left = 0
    return found


def _jumps(lines: list[str]) -> list[tuple[int, int]]:
    """Where the numbers of lines do not follow each other, but for what has made room.

    That lies behind the file in which the command begins, and nowhere else.
    """
    numbers = [int(line.split()[0]) for line in lines if line.endswith("x")]
    places = [at for at, line in enumerate(lines) if line.startswith("#|   left out here: ")]
    jumps = [(a, b) for a, b in pairwise(numbers) if b != a + 1]
    before = [
        [int(line.split()[0]) for line in lines[:at] if line.endswith("x")][-1:] for at in places
    ]
    dropped = [(a, b) for a, b in jumps if [a] in before and a < b]
    assert len(dropped) == len(places) <= 1, (jumps, before)
    return [jump for jump in jumps if jump not in dropped]


def denied(folder: Path) -> dict[str, object]:
    """What is said while the disk lets nobody look, and of the record that goes on meanwhile."""
    writer, user = Writer(folder), os.geteuid()
    os.chdir(folder)  # from here the folder can be read, whoever owns those above it
    folder.chmod(0)
    _become(65534 if user == 0 else user)
    found: dict[str, object] = {"gone": writer.log.is_gone()}
    try:
        log_folder.log_of(folder, "1")
    except UnderstudyError as error:
        found["code"] = error.code
    writer.write(5)
    _become(user)
    folder.chmod(0o755)
    writer.log.path.chmod(0)
    _become(65534 if user == 0 else user)
    found["listed"] = [(one.id, one.status, one.capture) for one in listed(Path())]
    _become(user)
    writer.log.path.chmod(0o600)
    writer.log.end(End(0, 1.0, 0, 1))
    entry = log_folder.log_of(folder, "1").ended[-1][1]
    writer.log.path.unlink()
    return {**found, "complete": entry["complete"], "gone later": writer.log.is_gone()}


def _become(user: int) -> None:
    if user != os.geteuid():
        os.seteuid(user)


def after_each_step(mode: str, folder: Path) -> list[dict[str, Any]]:
    """What this program prints, run in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", __name__, mode, str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def _no_links(event: str, _args: tuple[object, ...]) -> None:
    if event == "os.link":
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))


def main(mode: str, folder: Path) -> None:
    """Go through all steps of a mode."""
    if mode.startswith("kill-unlinked"):
        sys.addaudithook(_no_links)
    if mode == "deny":
        print(json.dumps(denied(folder)))
        return
    if mode == "read":
        os.environ["UNDERSTUDY_STATE_DIR"] = str(folder / "state")
        root = folder / "work"
        root.mkdir()
        logs = workspace_layout(Root.open(root)).terminals
        logs.mkdir(parents=True)
        for one in looked(logs, root):
            print(json.dumps(one))
        return
    step = 0
    while True:
        step += 1
        place = folder / str(step)
        place.mkdir()
        if mode == "refuse":
            found = refused(place, step)
        else:
            found = ended(place, step, early=mode.endswith("early"))
        if found is None:
            return
        print(json.dumps({"step": step, **found}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
