"""Units: the pieces of a file that others can name, with what each piece mentions."""

from __future__ import annotations

import re
from dataclasses import dataclass

WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Unit:
    """A definition, a member of a class, an assignment or an import.

    `defines` are the names by which others reach it; `owners` the classes it is a member of;
    `shown` the words that can change what others see of it, `inner` those that cannot, such as the
    body of a function whose signature is written out.
    """

    source: str
    defines: frozenset[str]
    shown: frozenset[str]
    inner: frozenset[str] = frozenset()
    owners: frozenset[str] = frozenset()

    def mentions(self, names: frozenset[str] | set[str]) -> bool:
        """Whether it mentions one of the names at all."""
        return not (self.shown.isdisjoint(names) and self.inner.isdisjoint(names))


def words(text: str) -> frozenset[str]:
    """All words of a text, those in comments and strings too: annotations may be strings."""
    return frozenset(WORD.findall(text))
