"""Progress of long work, as every face can show it, and the output of a command as it comes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Progress = Callable[[str, int, int], None]
"""Called with a message, how much is done, and of how much (0: not known)."""

Stream = Literal["stdout", "stderr"]
Live = Callable[[Stream, bytes], Awaitable[None] | None]
"""Takes a command's output as it comes; what it returns holds the command back until it is done."""

Placed = Callable[[Path], None]
"""Told which file takes all of a command's output, before the command starts."""

Told = Callable[[str], None]
"""Told, a line at a time, what must be known even though no answer comes."""


class ReaderGone(BrokenPipeError):
    """Nobody reads what the command writes any more: raised by who takes it, to who asked."""


def silent(message: str, done: int, total: int) -> None:
    """Show nothing."""


def unheard(stream: Stream, data: bytes) -> None:
    """Nobody listens: the output goes to its file alone."""


def untold(place: Path) -> None:
    """Nobody asks where the output lies before its receipt says so."""


def unsaid(line: str) -> None:
    """Nobody asks what was kept of a run that gives no receipt."""


@dataclass(frozen=True)
class Audience:
    """Who hears of long work before its answer."""

    progress: Progress = silent
    live: Live = unheard
    placed: Placed = untold
    told: Told = unsaid


NOBODY = Audience()
"""Nobody hears of it."""
