"""Keeps the cores busy while something is tried or measured."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_S = 900


@contextmanager
def burners(number: int = 0) -> Iterator[int]:
    """Processes that do nothing but compute, each in a session of its own; gives their number.

    One a core, if none is named.
    """
    program = f"import time\nend = time.time() + {_LONGEST_S}\nwhile time.time() < end: pass"
    number = number or os.cpu_count() or 1
    command = [sys.executable, "-S", "-c", program]
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.extend(subprocess.Popen(command, start_new_session=True) for _ in range(number))
        yield number
    finally:
        for process in started:
            process.kill()
            process.wait()
