"""What the requests of a review take."""

from __future__ import annotations

from dataclasses import field

from understudy.app.check.fixes.kinds import PlaceKind
from understudy.faces.params.requests import ShowFile, doc
from understudy.values.frozen import frozen


@frozen
class FindInFile(ShowFile):
    """All that servers find in one file of a branch as it is now, old findings too."""

    timeout: float | None = field(default=None, metadata=doc("time limit in s"))


@frozen
class FindFixes(ShowFile):
    """What servers would do at a place of a branch, each tried before it is told."""

    kind: PlaceKind = field(
        default="quickfix",
        metadata=doc("`quickfix` is for the findings that the branch brings, the others for all"),
    )
    line: int | None = field(
        default=None, metadata=doc("0-based, for `quickfix`; null: every line")
    )
    timeout: float | None = field(default=None, metadata=doc("time limit in s"))


@frozen
class AskForChange(ShowFile):
    """Ask the branch's agent to change lines."""

    start: int = field(default=0, metadata=doc("the first line of the branch's text, 0-based"))
    end: int = field(default=1, metadata=doc("the end, exclusive"))
    text: str = field(
        default="", metadata=doc("what is to be different; may be empty; secrets are taken out")
    )


@frozen
class SendConflict(ShowFile):
    """Leave it to the agent to settle a file in which both sides changed the same lines."""


@frozen
class WithdrawAsk:
    """Take back what was asked."""

    branch: str = field(metadata=doc("the branch's id"))
    ask: int = field(metadata=doc("its number, from `understudy/branch/asks`"))
