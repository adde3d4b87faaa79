"""Secrets out of a program's output as it comes; all else stays as it is, to the byte."""

from __future__ import annotations

from collections.abc import Sequence

from understudy.terminal.secrets.redaction import FULL, MASK_BEGIN, MASK_END, OPEN, Redactor
from understudy.terminal.secrets.rules import own_rule

LONGEST_LINE = 64 * 1024
"""Bytes of a line that are held back until its end comes; a longer one is looked at in parts."""

_SIGNS = FULL + OPEN + MASK_BEGIN + MASK_END
# Bytes that are no UTF-8 become U+DC80 to U+DCFF while text is looked at; these four are free.
_HIDDEN = "\ud800\ud801\ud802\ud803"
_HIDE, _UNHIDE = str.maketrans(_SIGNS, _HIDDEN), str.maketrans(_HIDDEN, _SIGNS)


class OutputRedactor:
    """Takes bytes piece by piece, gives them back line by line without their secrets."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        """`patterns` are the user's own; raises OutsideFailure `not-installed`."""
        self._redactor = Redactor([own_rule(pattern) for pattern in patterns])
        self._held = b""

    @property
    def count(self) -> int:
        """Secrets taken out so far."""
        return self._redactor.count

    def feed(self, data: bytes) -> bytes:
        """What is known to be free of secrets by now: all lines that have ended."""
        end = data.rfind(b"\n") + 1
        if not end and len(self._held) + len(data) < LONGEST_LINE:
            self._held += data
            return b""
        end = end or len(data)
        whole, self._held = self._held + data[:end], data[end:]
        return self._without(whole)

    def end(self) -> bytes:
        """The rest, when nothing more comes."""
        rest, self._held = self._held, b""
        return self._without(rest)

    def _without(self, data: bytes) -> bytes:
        text = data.decode("utf-8", "surrogateescape").translate(_HIDE)
        return self._redactor.redact(text).translate(_UNHIDE).encode("utf-8", "surrogateescape")
