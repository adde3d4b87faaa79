"""Hostile output in a recorded shell: it goes on, its log counts every byte, its memory is bounded.

Each stream is printed by a program in bash, in a recorder and in script(1). The program switches
the terminal's own rewriting of line ends off, so that it is known to the byte what came through.
"""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.report import Figure, Setup
from tests.support.recorded_shells import RecordedShell, RecordedTerminal
from tests.support.terminals import NeverEndedError, OnPty
from understudy.terminal.ring import CAPACITY

MEGABYTE = 1_000_000
EXIT_CODE = 9
MAX_MEMORY = CAPACITY + 128 * 1024 * 1024
"""Bytes of recorder and scribe together: the spool, and as much again for two Python programs."""
LOOK_S = 0.05
_LINE = 12
_BACK = b"came-back"
_PROMPT = b"-ready> "
"""Behind the last exit code, so that a line that is drawn anew is not taken for the next one."""
_PROGRAM = """
import os, sys, termios
kind, size = sys.argv[1], int(sys.argv[2])
modes = termios.tcgetattr(1)
termios.tcsetattr(1, termios.TCSANOW, [modes[0], modes[1] & ~termios.OPOST, *modes[2:]])
def put(data):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view):]
if kind == "lines":
    for start in range(0, size // 12, 5000):
        put(b"".join(b"%010d\\r\\n" % n for n in range(start, min(start + 5000, size // 12))))
elif kind == "random":
    for at in range(0, size, 65536):
        put(os.urandom(min(65536, size - at)))
else:
    start, byte = {"control": (b"\\x1b]0;", b"a"), "line": (b"", b"y"), "nul": (b"", b"\\0")}[kind]
    put(start)
    for at in range(len(start), size, 65536):
        put(byte * min(65536, size - at))
termios.tcsetattr(1, termios.TCSANOW, modes)
sys.exit(9)
"""


@dataclass(frozen=True)
class Stream:
    """What is printed: its kind for the program, its size, whether the window changes meanwhile."""

    name: str
    kind: str
    size: int
    is_resized: bool = False


STREAMS = (
    Stream("unterminated OSC of 100 MB", "control", 100 * MEGABYTE),
    Stream("one line of 1 GB", "line", 1000 * MEGABYTE),
    Stream("200 MB of /dev/urandom", "random", 200 * MEGABYTE),
    Stream("100 MB of NULs", "nul", 100 * MEGABYTE),
    Stream("12 MB of lines, a resize every 4 KB", "lines", 12 * MEGABYTE, is_resized=True),
)


@dataclass
class Seen:
    """What one session came to."""

    seconds: float = 0.0
    is_back: bool = False
    n_bytes: int = 0
    n_resizes: int = 0


async def run(setup: Setup) -> list[Figure]:
    """Each stream in a recorder, beside script(1)."""
    program = setup.folder / "hostile.py"
    program.write_text(_PROGRAM)
    figures: list[Figure] = []
    for number, stream in enumerate(STREAMS):
        folder = setup.folder / str(number)
        folder.mkdir()
        command = f"{sys.executable} {program} {stream.kind} {stream.size}"
        figures.append(await asyncio.to_thread(_figure, folder, stream, command))
    return figures


def _figure(folder: Path, stream: Stream, command: str) -> Figure:
    session = RecordedShell(folder, "bash")
    (session.home / ".bashrc").write_text(f"PS1='$?{_PROMPT.decode()}'\n")
    recorder = RecordedTerminal(["--yes"], session.root, session.environment)
    with _Memory(recorder.pid) as memory:
        ours = _drive(recorder, stream, command, recorder.wait_for_log)
    record, text = _record(session)
    typescript = folder / "typescript"
    script = OnPty(["script", "-qfc", "bash", typescript], session.root, session.environment)
    theirs = _drive(script, stream, command, lambda: None)
    typescript.unlink()
    faults = [*_faults(stream, ours, record, text)]
    if memory.peak > MAX_MEMORY:
        faults.append(f"memory above {MAX_MEMORY / 2**20:.0f} MB")
    kept = "complete" if record["complete"] else f"incomplete, missed {record['missed']}"
    said = f"{ours.seconds:.1f} s, back, exit {record['exit_code']}, {kept}"
    return Figure(
        "terminal_hostile", stream.name,
        f"{said}, {memory.peak / 2**20:.0f} MB" + "".join(f"; {fault}" for fault in faults),
        f"script {theirs.seconds:.1f} s", ours.seconds / theirs.seconds,
        f"usable, exact, <= {MAX_MEMORY / 2**20:.0f} MB", not faults,
        {"record": record, "peak": memory.peak, "resizes": ours.n_resizes, "seen": ours.n_bytes},
    )  # fmt: skip


def _drive(terminal: OnPty, stream: Stream, command: str, at_end: Callable[[], None]) -> Seen:
    """Print the stream in the shell, use the shell once more, and leave it."""
    seen = Seen()

    def wait_for(text: bytes, *, resizes: bool = False) -> None:
        while text not in terminal.seen:
            del terminal.seen[: -len(text)]
            n_before = len(terminal.seen)
            if not terminal.read_some():
                raise NeverEndedError(f"the shell has gone before {text!r}")
            seen.n_bytes += len(terminal.seen) - n_before
            if resizes:
                seen.n_resizes += 1
                terminal.resize(20 + seen.n_resizes % 150, 5 + seen.n_resizes % 60)
        del terminal.seen[: terminal.seen.index(text) + len(text)]

    wait_for(b"0" + _PROMPT)
    began = time.monotonic()
    terminal.type(command + "\r")
    wait_for(b"%d" % EXIT_CODE + _PROMPT, resizes=stream.is_resized)
    seen.seconds = time.monotonic() - began
    half = len(_BACK) // 2
    terminal.type(f"printf '%s' {_BACK[:half].decode()} {_BACK[half:].decode()}\r")
    wait_for(_BACK)
    wait_for(b"0" + _PROMPT)
    seen.is_back = True
    terminal.type("exit\r")
    OnPty.finish(terminal)
    at_end()
    return seen


def _record(session: RecordedShell) -> tuple[dict[str, Any], str]:
    """The facts of the stream's record, and its lines."""
    first, second, *_ = session.commands()
    assert second["complete"], second
    assert session.output(second) == [_BACK.decode()], session.output(second)
    return first, "\n".join(session.output(first))


def _faults(stream: Stream, seen: Seen, record: dict[str, Any], text: str) -> list[str]:
    """What the log says wrong of the stream."""
    faults: list[str] = []
    if not seen.is_back or record["exit_code"] != EXIT_CODE:
        faults.append(f"exit code {record['exit_code']}")
    if seen.n_bytes < stream.size:
        faults.append(f"the screen got {seen.n_bytes} bytes")
    if record["raw_bytes"] + record["missed"] != stream.size:
        faults.append(f"{record['raw_bytes']} + {record['missed']} bytes are not {stream.size}")
    if record["complete"] and (record["missed"] or record["dropped_bytes"]):
        faults.append("complete with missing bytes")
    expected = {
        "control": lambda: _left_out(text) == record["raw_bytes"],
        "line": lambda: _n_shown(text) + _left_out(text) == record["raw_bytes"],
        "lines": lambda: _n_lines(text) * _LINE == record["raw_bytes"],
        "nul": lambda: not text and record["complete"] == (not record["missed"]),
    }
    if stream.kind in expected and not expected[stream.kind]():
        faults.append("what is kept and what is left out do not add up")
    if stream.kind in ("control", "line") and record["complete"]:
        faults.append("complete though some is left out")
    return faults


def _left_out(text: str) -> int:
    """Characters that the record says it has not kept."""
    found = re.findall(r"(\d+) characters of (?:this line left out|overlong control)", text)
    return sum(map(int, found))


def _n_shown(text: str) -> int:
    """Characters of the endless line that are there."""
    return sum(map(len, re.findall("^y+", text, re.MULTILINE)))


def _n_lines(text: str) -> int:
    """Lines that are there or counted as left out."""
    left_out = re.findall(r"^#\|   left out by now: \d+ bytes, (\d+) lines", text, re.MULTILINE)
    return len(re.findall(r"^\d{10}$", text, re.MULTILINE)) + int([0, *left_out][-1])


class _Memory(threading.Thread):
    """Watches what a recorder and its scribe hold, shared pages once, until the block ends."""

    def __init__(self, recorder: int) -> None:
        super().__init__(name="memory of a recorder")
        self._recorder = psutil.Process(recorder)
        self._scribe: psutil.Process | None = None
        self._is_over = threading.Event()
        self.peak = 0

    def __enter__(self) -> _Memory:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self.join()

    def run(self) -> None:
        while not self._is_over.wait(LOOK_S):
            if self._scribe is None:
                self._scribe = self._find_scribe()
            own, shared = zip(_memory(self._recorder), _memory(self._scribe), strict=True)
            self.peak = max(self.peak, sum(own) + max(shared))

    def _find_scribe(self) -> psutil.Process | None:
        """The recorder's child that is the same program; the scribe lives on without it."""
        try:
            same = [c for c in self._recorder.children() if c.name() == self._recorder.name()]
        except psutil.NoSuchProcess:
            return None
        return same[0] if same else None


def _memory(process: psutil.Process | None) -> tuple[int, int]:
    """Bytes of its own, and of the memory that both share (proc(5)); 0 for one that has gone."""
    try:
        text = "" if process is None else Path(f"/proc/{process.pid}/status").read_text("ascii")
    except (OSError, ProcessLookupError):
        text = ""
    found = dict(re.findall(r"^(Rss\w+):\s+(\d+) kB", text, re.MULTILINE))
    sizes = {name: int(size) * 1024 for name, size in found.items()}
    return sizes.get("RssAnon", 0) + sizes.get("RssFile", 0), sizes.get("RssShmem", 0)
