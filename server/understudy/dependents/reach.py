"""How a change reaches a file, and what has to be known of the files to say it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Protocol

from understudy.dependents.mentions import FileMentions, written
from understudy.syntax.model import FileDeclarations
from understudy.values.frozen import frozen


@frozen(slots=True)
class Reach:
    """How a change reaches a file.

    `distance` counts the files on the way, 0 for an edited one; `names` are those by which it takes
    what has changed; `via` is the file before it on the way, "" for none. `carriers` are the files
    before that one, backwards, that hand the change on without being reached themselves.
    """

    distance: int
    names: frozenset[str] = frozenset()
    via: str = ""
    carriers: tuple[str, ...] = ()


def way_to(path: str, reach: Mapping[str, Reach]) -> list[str]:
    """The files on the way of a change to this one, the edited one first and itself left out."""
    way: list[str] = []
    own = reach.get(path)
    while own is not None and own.via and own.via not in way:
        way += [own.via, *own.carriers]
        own = reach.get(way[-1])
    return way[::-1]


@dataclass
class Carriers:
    """The files that hand a change on, and where on the shortest way they have it from."""

    _before: dict[str, tuple[int, str]] = field(default_factory=dict[str, tuple[int, str]])

    def note(self, path: str, source: str, distance: int) -> None:
        """Note where a file has it from."""
        if path != source:
            self._before[path] = min((distance, source), self._before.get(path, (distance, source)))

    def told(self, found: Mapping[str, Reach]) -> dict[str, Reach]:
        """The reach of each file with its carriers.

        A file that hands a name on, and is looked at for that name, has it from elsewhere.
        """
        whole: dict[str, Reach] = {}
        for path, one in found.items():
            via = self._before[path][1] if one.via == path in self._before else one.via
            whole[path] = replace(
                one, names=written(one.names), via=via, carriers=self._on(via, found)
            )
        return whole

    def _on(self, via: str, found: Mapping[str, Reach]) -> tuple[str, ...]:
        way = [via]
        while way[-1] not in found and way[-1] in self._before:
            _, before = self._before[way[-1]]
            if before in way:
                break
            way.append(before)
        return tuple(way[1:])


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
