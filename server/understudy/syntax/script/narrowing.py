"""What narrows the types of names within a file: values behind written types, and checks.

`const a: A | B = make()` is an `A` for `const b = a`, and so is what stands after a check that
throws: whoever infers a type from such a name shows it to others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from understudy.syntax.model import Declaration
from understudy.syntax.script.source import ScriptSource, Span


class Narrowing:
    """Collects what narrows which names, and adds it to the declarations that show them."""

    def __init__(self, source: ScriptSource) -> None:
        self._source = source
        self._by_name: dict[str, list[tuple[str, str]]] = {}

    def add(self, names: Iterable[str], spans: list[Span], owner: str = "") -> None:
        """The spans may narrow the names for all declarations but the one that they are part of."""
        digest = self._source.digest(spans)
        for name in names:
            self._by_name.setdefault(name, []).append((owner, digest))

    def seen_in(self, one: Declaration) -> Declaration:
        """The declaration with what narrows the names that it shows."""
        said = sorted(
            digest
            for name in one.shown.names & self._by_name.keys()
            for owner, digest in self._by_name[name]
            if owner != one.name
        )
        return replace(one, outside=self._source.digest((), one.outside, *said)) if said else one
