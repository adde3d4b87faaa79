"""The symbolic links of a folder that stay in it: a file that they reach is one file of many paths.

Links that leave the folder are not here: what they lead to is a file of its own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from functools import cached_property

from understudy.values.frozen import frozen

_MOST_PATHS = 64
"""Other paths of one file that are counted, those through the fewest links first: folders that
link to their own parents make any number."""


@frozen
class Links:
    """Where each link leads: its own path -> the real one, both relative to the root.

    A link's own folder is a real one, as no walk goes through links; "" is the root.
    """

    targets: Mapping[str, str] = field(default_factory=dict[str, str])

    def __bool__(self) -> bool:
        return bool(self.targets)

    def real(self, path: str) -> str:
        """The one path of a file that goes through no link."""
        if not self.targets:
            return path
        here = ""
        for part in path.split("/"):
            here = f"{here}/{part}" if here else part
            here = self.targets.get(here, here)
        return here

    def real_place(self, path: str) -> str:
        """The same, but a path that is a link itself stays: to delete it deletes no other file."""
        folder, slash, name = path.rpartition("/")
        return f"{self.real(folder)}/{name}".lstrip("/") if slash and self.targets else path

    def others(self, real: str) -> list[str]:
        """All other paths of a file, a link followed once on each; nearest first."""
        if not self.targets:
            return []
        found: dict[str, None] = {}
        waiting: deque[tuple[str, frozenset[str]]] = deque([(real, frozenset())])
        while waiting and len(found) < _MOST_PATHS:
            path, used = waiting.popleft()
            for link, other in self._through(path):
                if link not in used and other != real and other not in found:
                    found[other] = None
                    waiting.append((other, used | {link}))
        return list(found)

    def spellings(self, path: str) -> list[str]:
        """All paths of the file at a path: that one, the real one, all others."""
        real = self.real(path)
        return list(dict.fromkeys((path, real, *self.others(real))))

    def paths_of(self, files: Iterable[str]) -> dict[str, str]:
        """Every other path of these files -> the file."""
        if not self.targets:
            return {}
        return {other: path for path in files for other in self.others(path)}

    def _through(self, path: str) -> Iterator[tuple[str, str]]:
        """The links that lead to a path or to a folder above it, with the path that each gives."""
        above = path
        while True:
            for link in self._leading_to.get(above, ()):
                yield link, f"{link}/{path[len(above) :].lstrip('/')}".rstrip("/")
            if not above:
                return
            above = above.rpartition("/")[0]

    @cached_property
    def _leading_to(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for link, target in sorted(self.targets.items()):
            found.setdefault(target, []).append(link)
        return {target: tuple(links) for target, links in found.items()}


NO_LINKS = Links()
