"""Terminal streams to text: speed beside pyte's, redaction, and the cost of a line in a big log."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.report import Figure, Setup
from tests.support.servers import python_packages
from understudy.terminal.log.file import End, LogFile
from understudy.terminal.log.header import Header
from understudy.terminal.screen.transcript import Transcript
from understudy.terminal.secrets.redaction import Redactor

CHUNK = 65_536
COLUMNS, ROWS = 120, 30
PYTE_BYTES = 300_000
N_PLANTED = 200
UPDATE_RUNS = 5
MAX_GROWTH = 1.5
_PYTE = """
import sys, time, pyte
screen = pyte.HistoryScreen(120, 30, history=1_000_000)
stream = pyte.ByteStream(screen)
data = sys.stdin.buffer.read()
began = time.process_time()
for at in range(0, len(data), 65536):
    stream.feed(data[at : at + 65536])
print(time.process_time() - began)
"""


def plain(size: int) -> bytes:
    """A log of ordinary lines."""
    lines = (
        f"2026-11-21T08:55:{n % 60:02}Z INFO module.part{n % 17} request {n} took {n % 97} ms\r\n"
        for n in range(size // 64)
    )
    return "".join(lines).encode()


def coloured(size: int) -> bytes:
    """The same with colours."""
    lines = (
        f"\x1b[2m08:55:{n % 60:02}\x1b[0m \x1b[32mINFO\x1b[0m \x1b[1mpart\x1b[0m request {n} ok\r\n"
        for n in range(size // 60)
    )
    return "".join(lines).encode()


def bars(size: int) -> bytes:
    """One progress bar, drawn over itself."""
    steps = (
        f"\r{n % 100:3}%|{'█' * (n % 40):40}| {n}/100000 [00:{n % 60:02}, 1234.5it/s]"
        for n in range(size // 120)
    )
    return "".join(steps).encode()


def layers(size: int) -> bytes:
    """Several progress lines, drawn over each other with the cursor moved up."""
    frame = "".join(f"\x1b[2K\rlayer{k}: Downloading [{'=' * 30:50}] 5MB\r\n" for k in range(6))
    return (frame + "\x1b[6A").encode() * (size // 480)


def screens(size: int) -> bytes:
    """A report of tests, drawn anew as a whole."""
    rows = "".join(
        f"\x1b[32m ✓ \x1b[39mtest {k} \x1b[2m(\x1b[22m{k} ms\x1b[2m)\x1b[22m\x1b[K\r\n"
        for k in range(25)
    )
    return f"\x1b[H{rows}\x1b[J".encode() * (size // 1200)


STREAMS: dict[str, tuple[Callable[[int], bytes], int, float]] = {
    "plain log": (plain, 20_000_000, 40),
    "coloured log": (coloured, 20_000_000, 30),
    "progress bar": (bars, 5_000_000, 10),
    "progress of layers": (layers, 3_000_000, 10),
    "full redraws": (screens, 3_000_000, 5),
}
"""Name -> generator, bytes, bar in MB/s of processor time."""


async def run(setup: Setup) -> list[Figure]:
    """Speed on each stream, redaction, and updates at 10 MB of history."""
    figures = [_speed(name) for name in STREAMS]
    return [*figures, _redaction(), _planted(), _update(setup.folder)]


def _speed(name: str) -> Figure:
    make, size, bar = STREAMS[name]
    data = make(size)
    transcript = Transcript(COLUMNS, ROWS, lambda _: None)
    began = time.process_time()
    for at in range(0, len(data), CHUNK):
        transcript.feed(data[at : at + CHUNK])
    transcript.finish()
    ours = len(data) / 1e6 / (time.process_time() - began)
    theirs = _pyte(data[:PYTE_BYTES])
    text = f"{ours:.0f} MB/s (bar {bar:.0f}), pyte {theirs:.2f}: {ours / theirs:.0f} times (bar 20)"
    return Figure("terminal_engine", name, text, ok=ours >= bar and ours >= 20 * theirs)


def _pyte(data: bytes) -> float:
    environment = {**os.environ, "PYTHONPATH": str(python_packages("pyte"))}
    done = subprocess.run(
        [sys.executable, "-c", _PYTE], input=data, env=environment,
        capture_output=True, timeout=300, check=True,
    )  # fmt: skip
    return len(data) / 1e6 / float(done.stdout)


def _redaction() -> Figure:
    text = plain(20_000_000).decode()
    redactor = Redactor()
    began = time.process_time()
    for at in range(0, len(text), CHUNK):
        redactor.redact(text[at : at + CHUNK])
    speed = len(text) / 1e6 / (time.process_time() - began)
    found = f"{speed:.0f} MB/s (bar 20), {redactor.count} hits in 20 MB of ordinary log (bar 0)"
    return Figure("terminal_engine", "redaction", found, ok=speed >= 20 and not redactor.count)


def _planted() -> Figure:
    secrets = [f"ghp_{n:036}" for n in range(N_PLANTED)]
    lines = plain(2_000_000).decode().splitlines(keepends=True)
    every = len(lines) // N_PLANTED
    for n, secret in enumerate(secrets):
        lines[n * every] = f"GITHUB_TOKEN={secret}\n"
    redactor = Redactor()
    text = redactor.redact("".join(lines))
    left = sum(secret in text for secret in secrets)
    found = f"{N_PLANTED - left} of {N_PLANTED} found"
    return Figure("terminal_engine", "planted secrets", found, ok=not left)


def _update(folder: Path) -> Figure:
    """Seconds of one more line at the start of a command and with 10 MB before it."""
    header = Header(1, "/", "", "running", None, None, None, "full")
    log = LogFile(folder, "1", header, max_file_bytes=100_000_000)  # all of it is in one file
    line = "one more line of some output, as long as lines are\n"
    costs: list[float] = []
    for n_commands in (0, 45):
        for _ in range(n_commands):
            log.begin("x", "/", "2026-11-21T08:00:00Z")
            log.write(line * (250_000 // len(line)))
            log.end(End(0, 1.0, 0, 0))
        costs.append(min(_cost_of(log, line) for _ in range(UPDATE_RUNS)))
    size = log.path.stat().st_size / 1e6
    log.close()
    first, last = (cost * 1e6 for cost in costs)
    growth = last / first
    found = f"{last:.1f} us at {size:.0f} MB (bar 20), {first:.1f} us at the start"
    return Figure(
        "terminal_engine", "one more line", found, ratio=growth, bar=f"<= {MAX_GROWTH}",
        ok=last <= 20 and growth <= MAX_GROWTH, data={"us": [first, last], "mb": size},
    )  # fmt: skip


def _cost_of(log: LogFile, line: str) -> float:
    """Seconds of processor time of one more line, over the first 2,000 of a command."""
    log.begin("x", "/", "2026-11-21T08:00:00Z")
    began = time.process_time()
    for _ in range(2000):
        log.write(line)
    cost = (time.process_time() - began) / 2000
    log.end(End(0, 1.0, 0, 0))
    return cost
