"""What a client of a branch's server was started for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from understudy.values.structure import structure


@dataclass(frozen=True)
class Wish:
    """The branch, by its id."""

    branch: str

    @staticmethod
    def of(table: Mapping[str, Any]) -> Wish:
        """The wish that a process hands to the host; raises BadInput `bad-params`."""
        return structure(table, Wish, "bad-params", "branch")
