"""The lines an outline is shown as, and the text of each at a given detail, written when needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from understudy.outline.model import FUNCTIONS, OutlineEntry, Wording

ELLIPSIS = "…"
SHORT_SIGNATURE = 100
"""Characters."""

_DEEPEST_INDENT = 16
_INDENTS = tuple([" " * depth for depth in range(_DEEPEST_INDENT + 1)])
_LONGEST_NAME = 60
_BETWEEN = ", "
_CUT_COSTS = 2
"""Bytes of the ellipsis, less the character that it stands for."""
_PRIVATE = "private "
_MOST_OVERLOAD_LINES = 5
_PLURAL = {
    "class": "classes", "property": "properties", "index": "index signatures",
    "call": "call signatures", "imports": "imports", "trait": "traits",
}  # fmt: skip


class Detail(NamedTuple):
    """How much of an entry its own line shows: a cut of its signature (0: none), its comment.

    `had_doc` is whether its comment is what was left out first.
    """

    limit: int = 0
    doc: bool = False
    had_doc: bool = False


_WHOLE = Detail()
_SHORT = Detail(SHORT_SIGNATURE)
_SHORT_UNDOCUMENTED = Detail(SHORT_SIGNATURE, had_doc=True)


class Line:
    """One line: an entry by itself, or a run of siblings with their names.

    `inner` counts the entries that are folded into it. `n_names` of a run's names are shown, -1 for
    an entry by itself. The text is written when it is first asked for; `said` is the signature of
    an entry by itself, "" until it is read, `doc` the comment that is shown.
    """

    __slots__ = (
        *("_cost", "_floor", "_is_cut", "_text", "depth", "detail", "doc", "entries", "inner"),
        *("known_names", "n_names", "said", "wording"),
    )

    def __init__(
        self,
        entries: tuple[OutlineEntry, ...],
        wording: Wording,
        detail: Detail,
        inner: int = 0,
        n_names: int = -1,
    ) -> None:
        self.entries, self.detail, self.inner, self.n_names = entries, detail, inner, n_names
        self.depth = entries[0].depth
        self.wording = wording
        self.said = self.doc = self._text = ""
        self.known_names: Sequence[str] | None = None
        self._cost = self._floor = 0
        self._is_cut: bool | None = None

    @property
    def n_entries(self) -> int:
        """How many entries it stands for."""
        return len(self.entries) + self.inner

    @property
    def names(self) -> Sequence[str]:
        """What its entries are called in a run."""
        if self.known_names is None:
            self.known_names = _named(self.entries)
        return self.known_names

    def names_cost(self) -> list[int]:
        """Bytes that none, one, two and so on of its names take, with what stands between them."""
        sizes = map(len if "".join(self.names).isascii() else _size, self.names)
        return [0, *accumulate([size + len(_BETWEEN) for size in sizes])]

    @property
    def text(self) -> str:
        """What is shown."""
        if not self._text:
            self._text = self._plain() if self.n_names < 0 else self._run()
        return self._text

    @property
    def cost(self) -> int:
        """Bytes with the line end."""
        if not self._cost:
            text = self.text
            self._cost = (len(text) if text.isascii() else _size(text)) + 1
        return self._cost

    @property
    def floor(self) -> int:
        """Bytes that it surely takes; of an entry by itself without a look at the file's text.

        It stays what it was when the cost is known: sums of it can be kept up to date.
        """
        if not self._floor:
            self._floor = self._cost or (self.cost if self.n_names >= 0 else self._least())
        return self._floor

    @property
    def signature(self) -> str:
        """The whole one of an entry by itself."""
        if not self.said:
            self.said = self.wording.signature(self.entries[0])
        return self.said

    @property
    def is_cut(self) -> bool:
        """Whether the signature is not whole."""
        if self._is_cut is None:
            self._is_cut = self.n_names < 0 and self._is_worth_a_cut()
        return self._is_cut

    def _is_worth_a_cut(self) -> bool:
        limit, _, had_doc = self.detail
        signature = self.signature
        if not limit or len(signature) <= limit:
            return False
        if len(signature) > limit + _CUT_COSTS:
            return True
        if had_doc and self.wording.has_doc(self.entries[0]):
            return True
        return _size(_cut(signature, limit)) < _size(signature)  # else it would save nothing

    def shortened(self) -> Line:
        """The same entry without its comment, its signature cut where that saves something."""
        detail = _SHORT_UNDOCUMENTED if self.detail.doc else _SHORT
        return self._like(detail, self.inner)

    def whole(self) -> Line:
        """The same entry, short so far, with its whole signature and its comment if it has one."""
        doc = self.wording.doc(self.entries[0]) if self.detail.had_doc else ""
        if not doc and len(self.signature) <= SHORT_SIGNATURE:
            return self
        line = self._like(Detail(doc=bool(doc)), self.inner)
        line.doc = doc
        return line

    def read(self, signature: str) -> None:
        """Take its signature; what most lines cost is then known without their text."""
        self.said = signature
        entry = self.entries[0]
        is_whole = len(signature) <= self.detail.limit and not entry.overloads and not self.inner
        if is_whole and signature.isascii():
            where = f"{place(entry.start, entry.end)}: "
            self._cost = min(self.depth, _DEEPEST_INDENT) + len(where) + len(signature) + 1

    def holding(self, hidden: int) -> Line:
        """The same entry with so many more folded into it."""
        return self._like(self.detail, self.inner + hidden)

    def _like(self, detail: Detail, inner: int) -> Line:
        line = Line(self.entries, self.wording, detail, inner)
        line.said = self.said
        return line

    def naming(self, n_names: int) -> Line:
        """The same run with so many names."""
        line = Line(self.entries, self.wording, self.detail, self.inner, n_names)
        line.known_names = self.known_names
        return line

    def _least(self) -> int:
        entry = self.entries[0]
        n_digits = len(str(entry.start))
        if entry.end != entry.start:
            n_digits += n_digits + 1  # the last line's number is no shorter
        return min(self.depth, _DEEPEST_INDENT) + n_digits + 3 + self.wording.least(entry)

    def _plain(self) -> str:
        entry = self.entries[0]
        signature = _cut(self.said, self.detail.limit) if self.is_cut else self.signature
        where = place(entry.start, entry.end)
        text = f"{_INDENTS[min(entry.depth, _DEEPEST_INDENT)]}{where}: {signature}"
        if entry.overloads:
            text += f" {_overloads(entry.overloads)}"
        if self.inner:
            text += f" (+{self.inner} inside)"
        return f"{text}  # {self.doc}" if self.doc else text

    def _run(self) -> str:
        entries, n_names = self.entries, self.n_names
        start, end = entries[0].start, max(entry.end for entry in entries)
        text = f"{_INDENTS[min(self.depth, _DEEPEST_INDENT)]}{place(start, end)}: "
        text += counted(entries)
        if self.inner:
            text += f" (+{self.inner} inside)"
        if n_names:
            n_more = len(entries) - n_names
            text += ": " + _BETWEEN.join(self.names[:n_names] if n_more else self.names)
            if n_more:
                text += names_left_out(n_more)
        return text


def joined(lines: Sequence[Line], n_names: int | None = None, names: Sequence[str] = ()) -> Line:
    """One line for them: what they are, the names of the first (None: of all).

    `names` are those of all and of more, where they are known.
    """
    entries = tuple(chain.from_iterable([line.entries for line in lines]))
    inner = sum([line.inner for line in lines])
    n_names = len(entries) if n_names is None else n_names
    run = Line(entries, lines[0].wording, _WHOLE, inner, n_names)
    if names:
        run.known_names = names[: len(entries)]
    elif lines[0].known_names is not None:
        run.known_names = list(chain.from_iterable([line.names for line in lines]))
    return run


def short(entry: OutlineEntry, wording: Wording, *, had_doc: bool) -> Line:
    """An entry's own line without its comment, its signature cut where that saves something.

    `had_doc` is whether its comment would be shown, if it has one.
    """
    return Line((entry,), wording, _SHORT_UNDOCUMENTED if had_doc else _SHORT)


def total(lines: Sequence[Line]) -> int:
    """Bytes that they take."""
    _read([line for line in lines if line.n_names < 0 and not line.said])
    return sum([line.cost for line in lines])


def private(lines: Sequence[Line]) -> list[int]:
    """The places of the entries by themselves that others are not meant to use."""
    own = [(place, line) for place, line in enumerate(lines) if line.n_names < 0]
    unread = [line for _, line in own if not line.said]
    _read([line for line in unread if line.wording.may_be_private(line.entries[0])])
    return [
        place
        for place, line in own
        if line.said.startswith(_PRIVATE) or _is_hidden(line.entries[0].name)
    ]


def _is_hidden(name: str) -> bool:
    return name[:1] in "_#" and not (name[:2] == "__" == name[-2:]) and name != ""


def _read(lines: Sequence[Line]) -> None:
    """Read their signatures, which is faster for all together."""
    if lines:
        signatures = lines[0].wording.signatures([line.entries[0] for line in lines])
        for line, signature in zip(lines, signatures, strict=True):
            line.read(signature)


def hidden(entries: Sequence[OutlineEntry], wording: Wording) -> Line:
    """One line that counts these."""
    return Line(tuple(entries), wording, _WHOLE, n_names=0)


def names_left_out(n: int) -> str:
    """What stands for the names of a run that are not shown."""
    return f"{_BETWEEN}{ELLIPSIS} {n} more"


def counted(entries: Sequence[OutlineEntry]) -> str:
    """`24 fields, 1 method`, the most frequent first."""
    every = [entry.kind for entry in entries]
    ranked = sorted([(-every.count(kind), kind) for kind in set(every)])
    return ", ".join(
        [f"1 {kind}" if n == -1 else f"{-n} {_PLURAL.get(kind, kind + 's')}" for n, kind in ranked]
    )


def place(start: int, end: int) -> str:
    """`12` or `12-40`."""
    return str(start) if start == end else f"{start}-{end}"


def _cut(signature: str, limit: int) -> str:
    return signature[: limit - 1].rstrip() + ELLIPSIS


def _named(entries: Sequence[OutlineEntry]) -> list[str]:
    """Their names, those of functions with the line."""
    names = [f"{e.name} {e.name_line}" if e.kind in FUNCTIONS else e.name for e in entries]
    if max(map(len, names)) <= _LONGEST_NAME:
        return names
    return [
        f"{_cut_name(e.name)} {e.name_line}" if e.kind in FUNCTIONS else _cut_name(e.name)
        for e in entries
    ]


def _cut_name(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + ELLIPSIS


def _overloads(lines: Sequence[int]) -> str:
    n = len(lines)
    word = "overload" if n == 1 else "overloads"
    if n > _MOST_OVERLOAD_LINES:
        return f"(+{n} {word})"
    return f"(+{n} {word} {', '.join(map(str, lines))})"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
