"""The oracle for terminal text: what the editor's own terminal shows for a stream."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support import servers
from understudy.terminal.screen.transcript import Transcript

SCRIPT = Path(__file__).resolve().parent.parent / "terminal" / "oracle" / "xterm_text.mjs"

Stream = tuple[str, int, int]
"""Text, columns, rows."""


def shown(streams: Sequence[Stream]) -> list[list[str]]:
    """The logical lines that xterm.js shows for each stream, soft wraps joined."""
    packages = servers.npm_packages("xterm")
    jobs = [
        json.dumps({"id": index, "text": text, "columns": columns, "rows": rows})
        for index, (text, columns, rows) in enumerate(streams)
    ]
    done = subprocess.run(
        [servers.node(), SCRIPT, f"{packages}/"],
        input="\n".join(jobs) + "\n",
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.split("\n") if line]
    assert [answer["id"] for answer in answers] == list(range(len(streams)))
    return [answer["lines"] for answer in answers]


def ours(data: bytes, columns: int, rows: int, next_size: Callable[[], int]) -> list[str]:
    """The lines of our engine, fed in chunks of the sizes that `next_size` gives."""
    committed: list[str] = []
    transcript = Transcript(columns, rows, committed.append)
    at = 0
    while at < len(data):
        size = next_size()
        transcript.feed(data[at : at + size])
        at += size
    transcript.finish()
    lines = [line.rstrip(" ") for line in "".join(committed).split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def chunkings(seed: int) -> dict[str, Callable[[], int]]:
    """Ways to cut a stream, from whole to single bytes."""
    rng = random.Random(seed)
    return {
        "whole": lambda: 1 << 30,
        "64 KiB": lambda: 65536,
        "4 KiB": lambda: 4096,
        "1 to 4000": lambda: rng.randint(1, 4000),
        "1 to 7": lambda: rng.randint(1, 7),
        "1": lambda: 1,
    }
