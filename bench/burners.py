"""Keeps every core busy while something is measured."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST_S = 900


@contextmanager
def burners() -> Iterator[int]:
    """One process a core that does nothing but compute; gives their number."""
    program = f"import time\nend = time.time() + {_LONGEST_S}\nwhile time.time() < end: pass"
    number = os.cpu_count() or 1
    started = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(number)]
    try:
        yield number
    finally:
        for process in started:
            process.kill()
            process.wait()
