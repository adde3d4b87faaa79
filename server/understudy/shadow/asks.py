"""What the user asks an agent to change in a branch."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ask:
    """A wish about lines of the branch's text of a file: 0-based, the end exclusive.

    `number` is its own within the branch, `revision` the branch's when it was made. An empty `text`
    says only that the lines are not as they should be.
    """

    number: int
    revision: int
    path: str
    start: int
    end: int
    text: str
