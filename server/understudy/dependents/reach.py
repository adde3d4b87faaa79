"""How a change reaches a file, and what has to be known of the files to say it."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Protocol

from understudy.dependents.mentions import FileMentions
from understudy.syntax.model import FileDeclarations


@dataclass(frozen=True, slots=True)
class Reach:
    """How a change reaches a file.

    `distance` counts the files on the way, 0 for an edited one; `names` are those by which it takes
    what has changed; `via` is the file before it on the way, "" for none.
    """

    distance: int
    names: frozenset[str] = frozenset()
    via: str = ""


class Sources(Protocol):
    """The texts of the files, on both sides where they differ."""

    def declarations(self, path: str) -> Sequence[FileDeclarations]:
        """What each of its texts declares; empty for one that cannot be read."""
        ...

    def mentions(self, path: str) -> FileMentions:
        """The same by the words in them."""
        ...

    def words(self, path: str) -> Set[str] | None:
        """All words of its texts; None for one that cannot be read."""
        ...
