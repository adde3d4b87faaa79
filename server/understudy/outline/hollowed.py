"""A text without what is cut out of it, and where its bytes were in the whole one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate, chain
from operator import sub
from typing import NamedTuple

from understudy.outline.hollow_members import Body


class Cut(NamedTuple):
    """What is left out, and what stands there instead."""

    start: int
    end: int
    instead: bytes = b""


class PlainFunction(NamedTuple):
    """A function that was read off its head; `body` is where its brace is."""

    start: int
    end: int
    kind: str
    name: bytes
    name_at: int
    body: int


class Hollowed:
    """A text without what is cut, and where its bytes were before.

    `plain_bodies` are the bodies of types that are cut, with the members that were in them, and
    `plain_functions` whole functions that are; all places are those in the whole text.
    """

    def __init__(
        self,
        data: bytes,
        cuts: Iterable[Cut] = (),
        plain_bodies: tuple[Body, ...] = (),
        plain_functions: tuple[PlainFunction, ...] = (),
    ) -> None:
        self._data, self._cuts = data, tuple(cuts)
        self.plain_bodies, self.plain_functions = plain_bodies, plain_functions
        self.text = data
        self._starts: list[int] = []
        self._shifts = [0]
        if self._cuts:
            starts, ends, insteads = zip(*self._cuts, strict=True)
            parts = map(data.__getitem__, map(slice, (0, *ends), (*starts, len(data))))
            removed = map(sub, ends, starts)
            if any(insteads):
                parts = chain.from_iterable(zip(parts, (*insteads, b""), strict=True))
                removed = map(sub, removed, map(len, insteads))
            self._shifts += accumulate(removed)
            self._starts += map(sub, starts, self._shifts)
            if any(insteads):
                self._starts = [at + len(i) // 2 for at, i in zip(self._starts, insteads)]  # noqa: B905
            self.text = b"".join(parts)
        self._next = [*self._starts, len(data) + 1]  # by a shift's index, where the next begins

    @cached_property
    def blanked(self) -> bytes:
        """The text with blanks in the place of what is cut, as long as the whole one."""
        parts: list[bytes] = []
        position = 0
        for start, end, instead in self._cuts:
            blanks = b" " * (end - start - len(instead))
            middle = len(instead) // 2
            parts += (self._data[position:start], instead[:middle], blanks, instead[middle:])
            position = end
        return b"".join((*parts, self._data[position:]))

    @property
    def has_plain(self) -> bool:
        """Whether something was read that the parser does not see."""
        return bool(self.plain_bodies or self.plain_functions)

    def without(self, found: Iterable[Cut | PlainFunction], instead: bytes = b"") -> Hollowed:
        """The text with these cuts as well, whose places are those in the short text.

        Of a function, `instead` stands in its place.
        """
        functions: list[PlainFunction] = []
        cuts: list[Cut] = []
        is_whole = not self._cuts
        for one in found:
            if isinstance(one, Cut):
                cuts.append(one if is_whole else self._moved(one))
            else:
                start, end, kind, name, name_at, body = one
                start, end, name_at, body = self.places_before(start, end, name_at, body)
                cuts.append(Cut(start, end, instead))
                functions.append(PlainFunction(start, end, kind, name, name_at, body))
        if not cuts:
            return self
        together = self._together(cuts) if self._cuts else cuts
        return Hollowed(self._data, together, self.plain_bodies, tuple(functions))

    def with_plain(self) -> Hollowed:
        """The text with what was read off it: where it is broken that may not be what it seems."""
        gone = {body.start + 1 for body in self.plain_bodies}
        bodies = {function.start: function.body + 1 for function in self.plain_functions}
        return Hollowed(
            self._data,
            [
                Cut(bodies[cut.start], cut.end - 1) if cut.start in bodies else cut
                for cut in self._cuts
                if cut.start not in gone
            ],
        )

    def _moved(self, cut: Cut) -> Cut:
        return Cut(self.before(cut.start), self.before_end(cut.end), cut.instead)

    def _together(self, added: Iterable[Cut]) -> Iterator[Cut]:
        """The cuts and these, of which each takes the place of those inside of it."""
        known, index = self._cuts, 0
        for cut in added:
            start, end, _ = cut
            while index < len(known) and known[index].start < start:
                yield known[index]
                index += 1
            while index < len(known) and known[index].start < end:
                index += 1
            yield cut
        yield from known[index:]

    def before(self, at: int) -> int:
        """Where this byte of the short text is in the whole one."""
        return at + self._shifts[bisect_right(self._starts, at)]

    def before_end(self, at: int) -> int:
        """Where what ends before this byte of the short text ends in the whole one."""
        return at + self._shifts[bisect_right(self._starts, at - 1)]

    def places_before(
        self, start: int, end: int, name_at: int, body: int
    ) -> tuple[int, int, int, int]:
        """Where a declaration of the short text was, its name, and its body if that is not -1."""
        starts, shifts = self._starts, self._shifts
        index = bisect_right(starts, start)
        shift, beyond = shifts[index], self._next[index]
        first = start + shift
        last = end + (shift if end <= beyond else shifts[bisect_right(starts, end - 1)])
        if start <= name_at < beyond:  # most have no cut between
            name_at += shift
        else:
            name_at += shifts[bisect_right(starts, name_at)]
        if body >= 0:
            body += shift if start <= body < beyond else shifts[bisect_right(starts, body)]
        return first, max(first, last), name_at, body
