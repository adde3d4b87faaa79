"""Progress of long work, as every face can show it, and the output of a command as it comes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from understudy.values.frozen import frozen

if TYPE_CHECKING:
    from understudy.shadow.snapshot import Snapshot
    from understudy.values.verdicts import FirstWave

Progress = Callable[[str, int, int], None]
"""Called with a message, how much is done, and of how much (0: not known)."""

Stream = Literal["stdout", "stderr"]
Live = Callable[[Stream, bytes], Awaitable[None] | None]
"""Takes a command's output as it comes; what it returns holds the command back until it is done."""

Placed = Callable[[Path], None]
"""Told which file takes all of a command's output, before the command starts."""

Told = Callable[[str], None]
"""Told, a line at a time, what must be known even though no answer comes."""


TellFirst = Callable[["FirstWave", "Snapshot"], None]
"""Told what the files nearest to an edit bring, and the text that those findings are in."""


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


def unawaited(wave: FirstWave, after: Snapshot) -> None:
    """Nobody wants a part of the answer before the whole."""


@frozen
class Audience:
    """Who hears of long work before its answer."""

    progress: Progress = silent
    live: Live = unheard
    placed: Placed = untold
    told: Told = unsaid
    first: TellFirst = unawaited


NOBODY = Audience()
"""Nobody hears of it."""
