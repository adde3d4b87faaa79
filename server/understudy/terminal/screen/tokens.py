"""The grammar of a terminal's stream: text, control characters, escape sequences, strings.

Source: ECMA-48 and the state machine of DEC terminals as xterm follows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

Parameters = Sequence[int]

TOKEN = re.compile(
    "([^\x00-\x1f\x7f-\x9f]+)"  # 1: text
    "|(?:\x1b\\[|\x9b)([<-?]?)([0-9:;]*)([ -/]*)([@-~])"  # 2 to 5: a control sequence
    "|(\r\n|[\x00-\x1a\x1c-\x1f\x7f\x80-\x8f\x91-\x97\x99\x9a\x9c])"  # 6: a control character
    "|(?:\x1b\\]|\x9d)([^\x07\x18\x1a\x1b\x9c]*)(\x07|\x9c|\x18|\x1a|(?=\x1b|\\Z))"  # 7, 8: OSC
    "|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x18\x1a\x1b\x9c]*(?:[\x18\x1a\x9c]|(?=\x1b|\\Z))"
    "|\x1b([ -/]*)([0-OQ-WYZ`-~\\\\])"  # 9, 10: an escape sequence
    "|(?:\x1b\\[|\x9b)([\x00-\x17\x19\x1c-\x3f\x7f]*)([@-~\xa0-\U0010ffff]?)"  # 11, 12: odd
    "|\x1b([\x00-\x17\x19\x1c-\x2f\x7f]*)([0-~\xa0-\U0010ffff]?)"  # 13, 14: odd
)
"""Matches at every position of a text that holds only whole sequences.

A string that reaches its end was ended by an escape behind it, which waits for what follows.
"""

TEXT, CSI, CONTROL, OSC, ESCAPE, ODD_CSI, ODD_ESCAPE = 1, 5, 6, 8, 10, 12, 14
"""`lastindex` of each kind."""

CLEAN_CSI = re.compile("([<-?]?)([0-9:;]*)([ -/]*)")

COLOUR = re.compile("\x1b\\[[0-9;:]*m(?![\u0300-\u036f\u200b-\u200f\ufe00-\ufe0f])")
"""Colours and weights: they never move text, but keep a mark from joining what is before them."""

CUT_SHORT = re.compile(
    "(?:(?:\x1b\\[|\x9b)[\x00-\x17\x19\x1c-\x3f\x7f]*"
    "|(?:\x1b\\]|\x9d)[^\x07\x18\x1a\x1b\x90\x98\x9c-\x9f]*"
    "|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x18\x1a\x1b\x90\x98\x9c\x9e\x9f]*"
    "|\x1b[\x00-\x17\x19\x1c-\x2f\x7f]*)\x1b\\["
)
"""A sequence that another one ends: without that one, it would take in what follows.

A string is looked for from its innermost opening: one that was cut short is cut short from there,
too, and no text is read twice.
"""

SPECIAL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""Whatever is not text, in a text whose lines end in a line feed alone."""

RARE = "\x1b\r\b\x07\x0b\x0c\x0e\x0f\x18\x1a"
"""The special characters of an ASCII text that inert bytes have been taken out of."""

UNFINISHED = re.compile(
    "(?:\x1b\\[|\x9b)[\x00-\x17\x19\x1c-\x3f\x7f]*\\Z"
    "|(?:\x1b\\]|\x9d)[^\x07\x18\x1a\x1b\x9c]*\\Z"
    "|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x18\x1a\x1b\x9c]*\\Z"
    "|\x1b[\x00-\x17\x19\x1c-\x2f\x7f]*\\Z"
)

INERT = bytes([*range(7), *range(0x10, 0x18), 0x19, *range(0x1C, 0x20), 0x7F])
"""Bytes that do nothing, wherever they stand."""

MAX_STRING = 16_384
"""Characters kept of one string (OSC, DCS): programs that send more mean to harm."""

_END_OF_OSC = re.compile("[\x07\x18\x1a\x1b\x9c]")
_OPENING = re.compile("[\x90\x98\x9b\x9d\x9e\x9f]")
_END_OF_STRING = re.compile("[\x18\x1a\x1b\x9c]")


class Splitter:
    """Cuts a stream of text, in chunks of any size, after its last whole sequence."""

    def __init__(self) -> None:
        self.swallowed = 0
        """Characters of strings that were too long to keep."""
        self._held = ""
        self._string: str | None = None
        """The start of a string that is longer than what is kept of one."""

    def whole(self, text: str) -> str:
        """What of the stream so far can be acted on; the rest waits for its end."""
        if self._string is not None:
            text = self._skip(text)
        elif self._held:
            text, self._held = self._held + text, ""
        if not text or self._string is not None:
            return ""
        cut = _unfinished_at(text)
        if cut < len(text):
            self._held = text[cut:]
            text = text[:cut]
            if len(self._held) > MAX_STRING:
                self.swallowed += len(self._held)
                self._string, self._held = self._held[:MAX_STRING], ""
        elif text.endswith("\r"):
            self._held, text = "\r", text[:-1]  # shows nothing, and a line feed often follows
        return text

    def _skip(self, text: str) -> str:
        assert self._string is not None
        is_osc = self._string.startswith(("\x1b]", "\x9d"))
        end = (_END_OF_OSC if is_osc else _END_OF_STRING).search(text)
        if end is None:
            self.swallowed += len(text)
            return ""
        self.swallowed += end.start()
        text, self._string = self._string + text[end.start() :], None
        return text


@lru_cache(maxsize=4096)
def parameters(digits: str) -> Parameters:
    """The numbers of a sequence; what is missing is 0, what follows a colon is left out."""
    if not digits:
        return (0,)
    if ":" in digits:
        digits = ";".join(part.partition(":")[0] for part in digits.split(";"))
    parts = digits.split(";")[:32]
    return tuple(min(int(part[:10]), 0x7FFFFFFF) if part else 0 for part in parts)


def _unfinished_at(text: str) -> int:
    """Where the sequence begins that the text breaks off in; its length if there is none."""
    at = text.rfind("\x1b")
    if at >= 0 and UNFINISHED.match(text, at):
        return at
    if text.isascii():
        return len(text)
    at = max(at, 0)
    if _OPENING.search(text, at):
        while at < len(text) and not UNFINISHED.match(text, at):
            token = TOKEN.match(text, at)
            at = len(text) if token is None else max(token.end(), at + 1)
        return at
    return len(text)
