"""What a client of a branch's server was started for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.values.frozen import frozen
from understudy.values.structure import structure


@frozen
class Wish:
    """A branch, by its id; `shares`: documents that it has no edits in stay the user's own.

    `is_inside`: the client lives on the branch's own stage.
    `through` names the servers that answer about the user's own (none: all that there are).
    `of_agent` says why the client is no user's (nothing: it may be one).
    """

    branch: str
    shares: bool = False
    through: tuple[str, ...] = ()
    is_inside: bool = False
    of_agent: str = ""

    @staticmethod
    def of(table: Mapping[str, Any]) -> Wish:
        """The wish that a process hands to the host; raises BadInput `bad-params`."""
        return structure(table, Wish, "bad-params", "branch")
