"""From the bytes of a terminal to its text: what stays is committed, what may change is live."""

from __future__ import annotations

import codecs
from collections.abc import Callable

from understudy.terminal.screen import tokens
from understudy.terminal.screen.rows import Commit, Find
from understudy.terminal.screen.screen import Screen
from understudy.terminal.screen.sequences import Sequences

MIN_STRETCH = 512
"""Characters of plain lines from which on the fast path pays."""


class Transcript:
    """A terminal's text, fed in chunks of any size.

    `commit` gets text that never changes again, with its line ends, and `on_alternate` whether a
    full-screen program has begun or ended. A callback may call `settle`. Nothing that a stream
    holds raises an error. `find` says where secrets are, which are then hidden before a program
    draws over a part of them (see `Rows`).
    """

    def __init__(
        self,
        width: int,
        height: int,
        commit: Commit,
        on_alternate: Callable[[bool], None] = lambda _: None,
        find: Find | None = None,
    ) -> None:
        self._screen = Screen(max(width, 2), max(height, 1), commit, find)
        self._sequences = Sequences(self._screen, on_alternate)
        self._splitter = tokens.Splitter()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    @property
    def hidden(self) -> int:
        """Characters of overlong control strings, which a terminal does not show either."""
        return self._splitter.swallowed

    @property
    def is_alternate(self) -> bool:
        """Whether a full-screen program has the screen."""
        return self._screen.is_alternate

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        text = self._decoder.decode(data.translate(None, tokens.INERT))
        text = self._splitter.whole(text)
        if not text:
            return
        if "\x1b" in text and not tokens.CUT_SHORT.search(text):
            text = tokens.COLOUR.sub("", text)
        n_ends = text.count("\r\n")
        if n_ends > 4 and self._sequences.is_plain and len(text) >= MIN_STRETCH:
            if "\r\r\n" in text:
                text = text.replace("\r\r\n", "\r\n")
            if text.count("\n") == n_ends:
                self._mixed(text.replace("\r\n", "\n"))
                return
        self._act(text)

    def settle(self, *, cuts: bool = False) -> None:
        """Commit all text up to the cursor; `cuts` says that its line goes on behind the cursor."""
        self._screen.settle(cuts=cuts)

    def finish(self) -> None:
        """Commit whatever is left: the stream has ended."""
        self.feed_end()
        screen = self._screen
        screen.grid = grid = screen.main
        used = [y for y in range(screen.height) if grid.rows[y]]
        if used and used[-1] >= grid.y:
            grid.y, grid.x = used[-1], screen.width
        screen.settle()

    def feed_end(self) -> None:
        """Decode what is left of a character that was cut off."""
        text = self._decoder.decode(b"", final=True)
        if text:
            self._act(text)

    def live(self) -> list[str]:
        """The lines that a program may still change, without blank ones at the end."""
        return self._screen.live()

    def resize(self, width: int, height: int) -> None:
        """Follow the terminal to another size (columns, rows)."""
        if (width, height) != (self._screen.width, self._screen.height):
            self._screen.resize(max(width, 2), max(height, 1))

    # ---- the fast path: plain lines, of which only the last can still change

    def _mixed(self, text: str) -> None:
        """Act on a text in which plain lines are likely; its lines end in line feeds alone."""
        if text.isascii() and not any(character in text for character in tokens.RARE):
            stop = text.rfind("\n") + 1
            self._plain(text[:stop])
            self._act(text[stop:])
            return
        at, end = 0, len(text)
        while at < end:
            special = tokens.SPECIAL.search(text, at)
            stop = end if special is None else text.rfind("\n", at, special.start()) + 1
            if stop - at >= MIN_STRETCH and self._sequences.is_plain:
                self._plain(text[at:stop])
                at = stop
            if special is not None or at < end:
                stop = end if special is None else _dense_until(text, special.start(), end)
                self._act(text[at:stop].replace("\n", "\r\n"))
                at = stop

    def _plain(self, text: str) -> None:
        """Act on lines without any sequence; the last may be unfinished."""
        first, _, rest = text.partition("\n")
        self._act(first + "\r\n")
        screen = self._screen
        grid = screen.grid
        last = _start_of_last_lines(rest, screen.height)
        is_clear = not any(grid.rows[grid.y :])
        if last <= 0 or not is_clear or ("\t" in rest and not self._tabs_fit(rest)):
            self._act(rest.replace("\n", "\r\n"))
            return
        whole = rest[: last - 1]
        n_lines = whole.count("\n") + 1
        if "\t" in whole:
            whole = whole.expandtabs(8)
        if " \n" in whole or whole.endswith(" "):
            whole = "\n".join([line.rstrip(" ") for line in whole.split("\n")])
        screen.commit_text(whole + "\n", n_lines)
        self._act(rest[last:].replace("\n", "\r\n"))

    def _tabs_fit(self, text: str) -> bool:
        """Whether tabs in these lines do what they do in a text file."""
        return text.isascii() and max(map(len, text.expandtabs(8).split("\n"))) <= (
            self._screen.width
        )

    # ---- the exact path

    def _act(self, text: str) -> None:
        sequences, screen = self._sequences, self._screen
        for match in tokens.TOKEN.finditer(text):
            kind = match.lastindex
            if kind == tokens.TEXT:
                sequences.text(match[1])
            elif kind == tokens.CONTROL:
                sequences.control(match[6])
            elif kind == tokens.CSI:
                sequences.sequence(*match.group(2, 3, 4, 5))
            elif kind == tokens.OSC:
                screen.is_joining = False
            elif kind == tokens.ESCAPE:
                sequences.escape(match[9], match[10])
            elif kind == tokens.ODD_CSI:
                self._odd(match[11], match[12], is_control=True)
            elif kind == tokens.ODD_ESCAPE:
                self._odd(match[13], match[14], is_control=False)

    def _odd(self, inside: str, final: str, is_control: bool) -> None:
        """Act on control characters within a sequence, then on what is left of the sequence."""
        clean = "".join(c for c in inside if c >= " " and c != "\x7f")
        for character in inside:
            if character < " ":
                self._sequences.control(character)
        if not final or final >= "\xa0":
            return
        if not is_control:
            self._sequences.escape(clean, final)
            return
        match = tokens.CLEAN_CSI.fullmatch(clean)
        if match is not None:
            self._sequences.sequence(match[1], match[2], match[3], final)


def _dense_until(text: str, at: int, end: int) -> int:
    """The end of the line from which on no special character is near."""
    while True:
        line_end = text.find("\n", at) + 1
        if not line_end:
            return end
        special = tokens.SPECIAL.search(text, line_end, line_end + MIN_STRETCH)
        if special is None:
            return line_end
        at = special.start()


def _start_of_last_lines(text: str, count: int) -> int:
    """Where the last `count` lines of a text begin; 0 if it has no more."""
    at = len(text)
    for _ in range(count):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return 0
    return at + 1
