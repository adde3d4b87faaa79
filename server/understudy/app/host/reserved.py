"""A host that a program keeps to itself: its trust is for that program alone."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from understudy.app.host.terms import Terms
from understudy.values.errors import Refused


class Reserved:
    """Lets those in alone that come under the terms of the program that is the host."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def admit(self, digest: object, *, makes_way: bool) -> None:
        """Raise Refused `other-terms` for whoever has not the program's trust and environment."""
        del makes_way  # the program ends the host, nobody else
        if digest != self.terms.digest:
            text = "a program has this folder open with a trust of its own; wait until it ends"
            raise Refused("other-terms", text)

    def outdated(self) -> None:
        """The host stays as it is."""

    @contextmanager
    def visit(self, face: str) -> Generator[None, None, None]:
        """The host is there for its program, whoever visits."""
        del face
        yield
