"""Private keys, which go on for many lines: as PEM, as PuTTY's files, in base64 once more.

A block ends with its own last line, or with the first line that cannot belong to a key: what only
looks like a key's beginning hides nothing behind it.
"""

from __future__ import annotations

import re

BEGINNINGS = ("PRIVATE KEY", "Private-Lines:", "LS0tLS1CRUdJTiB")
"""One of these stands in every line in which a block begins."""

HIDDEN_LINE = "[REDACTED:private-key:line]"
MAX_LINES = 1000

_BEGIN = re.compile(
    r"-{4,5} ?BEGIN[ A-Z0-9_]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|^\W{0,20}Private-Lines: \d+"
)
_END = re.compile(r"-{4,5} ?END[ A-Z0-9_]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}|^Private-MAC:")
_ENCODED = re.compile(r"LS0tLS1CRUdJTiB(?:QUklW|SU0Eg|FQyB|PUEVO|EU0Eg|FTkNS|QR1Ag)[A-Za-z0-9+/]*$")
_BODY = re.compile(
    r"[^A-Za-z0-9+/=]{0,20}(?:[\w.-]{1,40} {0,4}[|:=>] {0,4})?[\"' +]{0,4}[A-Za-z0-9+/=]*"
    r"(?:\\[nr]){0,2}[\"' +,;\\]{0,4}\r?"
)
_HEADER = re.compile(r"\W{0,20}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset):")
_BASE64 = re.compile(r"\s*([A-Za-z0-9+/]+=*)\s*")
_WIDTHS = range(40, 201)
"""Characters of a line in which base64 is wrapped; a longer one stands alone."""


class KeyBlocks:
    """Takes keys out of lines that come one after another; `count` is how many there were."""

    def __init__(self) -> None:
        self.count = 0
        self._left = 0
        """Lines that may still be hidden; 0: no block is open."""
        self._width = 0
        """Characters of a line of the open block in base64; 0: it is none."""

    @property
    def is_open(self) -> bool:
        """Whether the next line may be a key's."""
        return self._left > 0

    @property
    def state(self) -> tuple[int, int, int]:
        """All there is to remember, to be put back."""
        return self.count, self._left, self._width

    @state.setter
    def state(self, state: tuple[int, int, int]) -> None:
        self.count, self._left, self._width = state

    def close(self) -> None:
        """What comes now is another output."""
        self._left = self._width = 0

    def line(self, line: str) -> str:
        """The line without what of it is a key's."""
        if self._left and self._width:
            return self._base64(line)
        if self._left:
            end = _END.search(line)
            if end is not None:
                self._left = 0
                return self.line(line[end.start() :])
            if _HEADER.match(line) or _BODY.fullmatch(line):
                self._left -= 1
                return HIDDEN_LINE
            self._left = 0
        return self._outside(line)

    def _outside(self, line: str) -> str:
        done = ""
        while (begin := _BEGIN.search(line)) is not None:
            done, line = done + line[: begin.end()], line[begin.end() :]
            end = _END.search(line)
            inside = line if end is None else line[: end.start()]
            line = "" if end is None else line[end.start() :]
            self.count += 1
            if end is None and not self._could_begin(inside):
                self.count -= 1
                return done + inside
            if inside.strip():
                done += f"[REDACTED:private-key:{len(inside)}]"
            if end is None:
                self._left = MAX_LINES
                return done
        encoded = _ENCODED.search(line)
        if encoded is not None and len(encoded[0]) in _WIDTHS:
            self._left, self._width = MAX_LINES, len(encoded[0])
            self.count += 1
            line = line[: encoded.start()] + f"[REDACTED:private-key:{len(encoded[0])}]"
        return done + line

    def _could_begin(self, inside: str) -> bool:
        """Whether what stands behind a key's first words is one: not the rest of a sentence."""
        return _BODY.fullmatch(inside) is not None or "\\n" in inside or len(inside) > 200

    def _base64(self, line: str) -> str:
        found = _BASE64.fullmatch(line)
        if found is None:
            self._left = self._width = 0
            return self.line(line)
        if len(found[1]) < self._width:
            self._left = self._width = 0
        else:
            self._left -= 1
        return HIDDEN_LINE
