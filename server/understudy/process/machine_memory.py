"""Whether the machine, or what we may have of it, runs short of memory; who goes first then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from understudy.process.memory_groups import left_above

_LEAST_BYTES = 256 * 1024 * 1024
_LEAST_SHARE = 0.05
_OOM_SCORE = Path("/proc/self/oom_score_adj")
_EARLY = 500
"""Of 1000 (proc_pid_oom_score_adj(5)): before every program that has not asked for it."""


def is_short_of_memory() -> bool:
    """Whether less can still be had than a twentieth, or 256 MiB (of less than 1 GiB a quarter).

    That is asked of the machine and of each cgroup around us; False where nothing is told.
    """
    return any(
        left < max(_LEAST_SHARE * whole, min(_LEAST_BYTES, whole / 4))
        for left, whole in (*_of_machine(), *left_above())
    )


def _of_machine() -> Iterator[tuple[int, int]]:
    """Bytes that can still be had, and all that there is."""
    with suppress(ImportError):
        import psutil  # noqa: PLC0415 - native, and a host that stays needs it late

        memory = psutil.virtual_memory()
        yield memory.available, memory.total


def go_first() -> None:
    """Have Linux end this process, and all that it starts, before others; elsewhere nothing."""
    with suppress(OSError):
        if int(_OOM_SCORE.read_text("ascii")) < _EARLY:
            _OOM_SCORE.write_text(str(_EARLY), "ascii")
