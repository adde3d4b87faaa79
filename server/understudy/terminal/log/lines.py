"""The lines of a log: none looks like a mark of ours, none is endless."""

from __future__ import annotations

MARK = "#|"
MAX_LINE = 4096
"""Characters kept of one line."""


def escaped(line: str) -> str:
    """The line, so that it is no mark."""
    return f"#\\|{line[2:]}" if line.startswith(MARK) else line


class Lines:
    """Cleans a text that comes in pieces; `n_cut` counts the characters that were left out."""

    def __init__(self) -> None:
        self.n_cut = 0
        self._length = 0
        self._cut = 0
        self._held = ""

    @property
    def is_open(self) -> bool:
        """Whether the last line has not ended yet."""
        return bool(self._length or self._cut or self._held)

    @property
    def is_full(self) -> bool:
        """Whether nothing more of the last line is kept."""
        return self._length >= MAX_LINE

    def clean(self, text: str) -> str:
        """Escape what looks like a mark and clamp lines, across pieces."""
        text, self._held = self._held + text, ""
        at_start = self._length == 0 and self._cut == 0
        line_start = text.rfind("\n") + 1
        if text[line_start:] == MARK[0] and (at_start or line_start):
            text, self._held = text[:-1], MARK[0]  # whether it begins a mark shows with the rest
        if MARK in text:
            text = "\n".join(
                escaped(line) if index or at_start else line
                for index, line in enumerate(text.split("\n"))
            )
        is_whole = at_start and text.endswith("\n")
        if is_whole and max(map(len, text.split("\n"))) <= MAX_LINE:
            return text
        return self._clamped(text) if text else ""

    def _clamped(self, text: str) -> str:
        kept: list[str] = []
        for index, piece in enumerate(text.split("\n")):
            if index:
                kept.append(self._end_of_cut() + "\n")
                self._length = 0
            room = MAX_LINE - self._length
            kept.append(piece[:room])
            self._length += len(piece[:room])
            self._cut += len(piece) - len(piece[:room])
        return "".join(kept)

    def _end_of_cut(self) -> str:
        cut, self._cut = self._cut, 0
        self.n_cut += cut
        return f" [{cut} characters of this line left out]" if cut else ""
