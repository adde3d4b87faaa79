"""Progress of long work, as every face can show it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with a message, how much is done, and of how much (0: not known)."""


def silent(message: str, done: int, total: int) -> None:
    """Show nothing."""
