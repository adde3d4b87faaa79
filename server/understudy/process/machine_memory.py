"""Whether the machine runs short of memory, and who goes first when it does."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_LEAST_BYTES = 256 * 1024 * 1024
_LEAST_SHARE = 0.05
_OOM_SCORE = Path("/proc/self/oom_score_adj")
_EARLY = 500
"""Of 1000 (proc_pid_oom_score_adj(5)): before every program that has not asked for it."""


def is_short_of_memory() -> bool:
    """Whether less than a twentieth, or 256 MiB, can still be had; False where nothing is told."""
    try:
        import psutil  # noqa: PLC0415 - native, and a host that stays needs it late
    except ImportError:
        return False
    memory = psutil.virtual_memory()
    return memory.available < max(_LEAST_SHARE * memory.total, _LEAST_BYTES)


def go_first() -> None:
    """Have Linux end this process, and all that it starts, before others; elsewhere nothing."""
    with suppress(OSError):
        if int(_OOM_SCORE.read_text("ascii")) < _EARLY:
            _OOM_SCORE.write_text(str(_EARLY), "ascii")
