"""Kills a program at a random point of what it says: what it had said, and then nothing more."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]


def said_until_killed(
    module: str, *arguments: object, n_lines: int, max_later_s: float, chance: random.Random
) -> list[str]:
    """The whole lines of a module of ours that is killed a little after its line `n_lines`.

    Lines that it says until the kill comes are among them; a line that the kill cut is not.
    """
    command = [sys.executable, "-m", module, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=REPOSITORY)
    assert process.stdout is not None
    with process:
        said = [process.stdout.readline() for _ in range(n_lines)]
        until = time.perf_counter() + chance.uniform(0, max_later_s)
        while time.perf_counter() < until:
            pass  # a sleep would end at the scheduler's points, not at random ones
        process.kill()
        said += process.stdout.read().splitlines(keepends=True)
        assert process.wait(timeout=60) < 0, f"{module} ended by itself"
    return [line.decode().rstrip("\n") for line in said if line.endswith(b"\n")]
