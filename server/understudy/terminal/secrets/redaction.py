"""Takes secrets out of text before it reaches the disk, and counts them.

What is taken out is replaced by `[REDACTED:kind:length]`. A line of the screen that is full to its
last column may go on in the next one without saying so: such lines are looked at as one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from understudy.terminal.secrets.key_blocks import BEGINNINGS, KeyBlocks
from understudy.terminal.secrets.rules import Rule, Rules, built_in, unfinished

FULL = "\x0b"
"""The end of a row that is full: a line's end, at which a word may have been cut in two."""

OPEN = "\x0c"
"""Stands behind a line that may go on: what a secret begins with there may be half of one."""

MASK_BEGIN, MASK_END = "\x10", "\x11"
"""Around the kind of secret that stood in one cell of a screen."""

_MASKS = re.compile(
    f"(?:{MASK_BEGIN}([^{MASK_END}]*){MASK_END})(?:{MASK_BEGIN}\\1{MASK_END})*{FULL}?[A-Za-z0-9_-]*"
)
"""Cells that were hidden, and what came behind them later: it was being printed still."""
_SURROGATES = re.compile("[\ud800-\udfff]")

_SIGNS = str.maketrans(dict.fromkeys((FULL, OPEN, MASK_BEGIN, MASK_END), " "))

Secret = tuple[int, int, str]


class Redactor:
    """Redacts a text that comes in pieces of whole lines; `count` is how many secrets it took."""

    def __init__(self, rules: Sequence[Rule] = ()) -> None:
        """Raises OutsideFailure `not-installed` where no engine can match the rules."""
        self._rules = [built_in()]
        if rules:
            self._rules.append(Rules(rules))
        self._count = 0
        self._keys = KeyBlocks()

    @property
    def count(self) -> int:
        """Secrets taken out so far."""
        return self._count + self._keys.count

    def redact(self, text: str) -> str:
        """The text without its secrets."""
        if MASK_BEGIN in text:
            text = _MASKS.sub(self._mask_shown, text)
        if OPEN in text:
            text = self._without_halves(text)
        joined = text.replace(FULL, "") if FULL in text else text
        if self._keys.is_open or any(word in joined for word in BEGINNINGS):
            text = self._without_keys(text)
            joined = text.replace(FULL, "")
        suspects = self._suspects(joined)
        if suspects:
            lines = text.split("\n")
            for number in suspects:
                lines[number] = self._line(lines[number])
            text = "\n".join(lines)
        return text.replace(FULL, "\n") if FULL in text else text

    def peek(self, text: str) -> str:
        """The same for text that may come again: nothing is counted or remembered."""
        count, keys = self._count, self._keys.state
        text = self.redact(text)
        self._count, self._keys.state = count, keys
        return text

    def begin_another(self) -> None:
        """What comes now belongs to another command: no key goes on in it."""
        self._keys.close()

    def find(self, line: str) -> list[Secret]:
        """The places of the secrets in a line, in their order, with their kinds."""
        line = _SURROGATES.sub("?", line)
        data = line.encode("utf-8")
        found = [s for rules in self._rules if rules.gate.is_in(data) for s in rules.secrets(line)]
        return list(_merged(found))

    def _without_halves(self, text: str) -> str:
        """The text without what may be half of a secret at the ends of its open lines."""
        *before, rest = text.split(OPEN)
        return "".join((*map(self._without_half, before), rest))

    def _without_half(self, text: str) -> str:
        start = text.rfind("\n") + 1
        line = text[start:].replace(FULL, "")
        found = unfinished(line)
        if found is None or self.find(line):
            return text
        self._count += 1
        return f"{text[:start]}{line[:found]}[REDACTED:unfinished:{len(line) - found}]"

    def _suspects(self, text: str) -> list[int]:
        """The numbers of the lines in which any rule may apply."""
        data = _SURROGATES.sub("?", text).encode("utf-8") if not text.isascii() else text.encode()
        numbers: set[int] = set()
        for rules in self._rules:
            number = last = line_end = 0
            for at in rules.gate.starts(data):
                if at >= line_end:
                    number += data.count(b"\n", last, at)
                    last = at
                    line_end = data.find(b"\n", at)
                    line_end = len(data) if line_end < 0 else line_end
                    numbers.add(number)
        return sorted(numbers)

    def _line(self, line: str) -> str:
        """The line without its secrets; its rows are looked at one by one and as one."""
        if FULL not in line:
            found = self.find(line)
            self._count += len(found)
            return _without(line, 0, found)
        rows = line.split(FULL)
        found = self.find("".join(rows))
        starts = [0]
        for row in rows:
            found += [(a + starts[-1], b + starts[-1], kind) for a, b, kind in self.find(row)]
            starts.append(starts[-1] + len(row))
        merged = list(_merged(found))
        self._count += len(merged)
        return FULL.join(_without(row, at, merged) for row, at in zip(rows, starts, strict=False))

    def _without_keys(self, text: str) -> str:
        """The text without private keys; its last line is none where the text ends with an end."""
        *lines, last = text.split("\n")
        kept = [self._without_key(line) for line in lines]
        return "\n".join((*kept, self._without_key(last) if last else ""))

    def _without_key(self, line: str) -> str:
        whole = line.replace(FULL, "")
        if self._keys.is_open or any(word in whole for word in BEGINNINGS):
            found = self._keys.line(whole)
            return line if found == whole else found
        return line

    def _mask_shown(self, found: re.Match[str]) -> str:
        self._count += 1
        hidden, _, later = found[0].rpartition(MASK_END)
        first, full, second = later.partition(FULL)
        n_hidden = hidden.count(MASK_END) + 1 + len(first)
        shown = f"[REDACTED:{found[1]}:{n_hidden}]{full}"
        return shown + (f"[REDACTED:{found[1]}:{len(second)}]" if second else "")


def plain(text: str) -> str:
    """A text that no screen has made, without the characters that are signs of ours."""
    return text.translate(_SIGNS)


def _merged(found: Iterable[Secret]) -> Iterator[Secret]:
    """The places in their order, those that overlap as one; the first one's kind is kept."""
    current: Secret | None = None
    for start, end, kind in sorted(found, key=lambda secret: (secret[0], -secret[1])):
        if current is not None and start < current[1]:
            current = (current[0], max(end, current[1]), current[2])
            continue
        if current is not None:
            yield current
        current = (start, end, kind)
    if current is not None:
        yield current


def _without(row: str, at: int, found: Sequence[Secret]) -> str:
    """A row, which begins at a place of its line, without what of it is a secret."""
    parts: list[str] = []
    done = 0
    for start, end, kind in found:
        first, last = max(start - at, done), min(end - at, len(row))
        if first < last:
            parts += (row[done:first], f"[REDACTED:{kind}:{last - first}]")
            done = last
    return "".join((*parts, row[done:]))
