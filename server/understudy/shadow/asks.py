"""What the user asks an agent to change in a branch."""

from __future__ import annotations

from understudy.values.frozen import frozen
from understudy.values.texts import PackedText

SETTLE = "I changed these lines, too: keep what both of us want"
"""The `text` of an ask for the settling of a conflict, which only the user can make."""


@frozen(slots=True)
class Ask:
    """A wish about lines of the branch's text of a file: 0-based, the end exclusive.

    `number` is its own within the branch, `revision` the branch's when it was made. An empty `text`
    says only that the lines are not as they should be. `seen` is the text that has the lines, as
    long as the branch has none of its own of that file; of an ask for the settling of a conflict,
    it is the user's text as it was then.
    """

    number: int
    revision: int
    path: str
    start: int
    end: int
    text: str
    seen: PackedText | None = None
