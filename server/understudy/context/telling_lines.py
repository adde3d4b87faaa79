"""Which lines of an output tell why something failed, by the look of them.

Tools print the reason first (compilers), last (Python) or in the midst of thousands of lines (test
runners), so that no head and tail is sure to have it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_DIGITS = re.compile(r"\d+")

_REASON = re.compile(
    r"""(?x)
      ^E\s{2,}\S                              # pytest's explanation of a failed assertion
    | \b\w*(?:Error|Exception|Warning):\s     # an exception's last line
    | \b\w+(?:Error|Exception)$
    | (?i:\berror(?:\[\w+\])?\s*[:\]])        # compilers
    | (?i:\berror\s+TS\d+)
    | (?i:^\s*\d+:\d+\s+error\b)              # eslint
    | \bpanicked\ at\b | ^panic:
    | ^\s*---\ FAIL: | ^\s*not\ ok\b | ^\s*(?:FAILED|FAIL|ERROR|FATAL)\b
    | \bnpm\ (?:ERR!|error\b)
    | (?i:\bfatal(?:\ error)?:)
    | \bundefined\ (?:reference|symbol)\b
    | \bcommand\ not\ found\b | \bNo\ such\ file\ or\ directory\b | \bPermission\ denied\b
    | \bSegmentation\ fault\b | \bsyntax\ error\b | \bunbound\ variable\b
    | \*\*\*\ \[?                             # make
    | ^\s*[\u2716\u2715\u2717\u00d7\u25cf]\s
    | \bAssertion\b.*\bfailed\b
    """
)
_PLACE = re.compile(
    r"""(?x)
      ^\s*(?:-->\s*)?[^\s:()][^:()]*:\d+(?::\d+)?(?::|\s|$)   # path:line:column
    | ^\s*[^\s()]+\(\d+,\d+\):                                # path(line,column):
    | ^\s*File\ ".*",\ line\ \d+
    | :\ line\ \d+:
    | ^\s*(?:-->|at)\s\S+:\d+
    """
)
_CODE = re.compile(r"\s*\S+:\d+:\d+:?\s+[A-Z]+\d+\b|[A-Z]{1,4}\d{3,4}\s")
_BEGINNING = re.compile(rf"(?m)^(?:E  |(?:{_CODE.pattern}))")
_DETAIL = re.compile(
    r"(?i)\b(?:expected|actual|assert\w*|mismatch\w*|cannot|undefined|unresolved|undeclared"
    r"|not found|missing|invalid|unexpected|unused|failed|failure|fail|denied|refused|want|got)\b"
)
_HARMLESS = re.compile(
    r"(?i)(?<!\d)0 (?:errors?|failed|failures)|\bno (?:errors?|failures?)\b|\bPASS(?:ED)?\b"
    r"|^ok\b|\.\.\. ok$|\bpassed\b(?!.*\bfailed\b)|^\s*[✓✔]|\bdownload|^\s*warning\b|\bwarning:"
)
_WORDS = (
    "err", "exception", "panic", "fail", "fatal", "not ok", "undefined", "not found", "no such",
    "denied", "fault", "unbound", "***", "warning: ", "\u2716", "\u2715", "\u2717", "\u00d7",
    "\u25cf", "expected", "actual", "assert", "mismatch", "cannot", "unresolved", "undeclared",
    "missing", "invalid", "unused", "refused", "want", "got",
)  # fmt: skip
"""A line without any of these, and without a finding's code, tells nothing: most have none."""

_LOOKED_AT = 300
_MOST_WEIGHED = 250
ENOUGH = 3
"""A line with this much weight is worth showing."""


def plain(line: str) -> str:
    """A line as a terminal would leave it: no colours, and only what was printed last in it."""
    text = (_ESCAPES.sub("", line) if "\x1b" in line else line).rstrip("\r\n")
    return text.rpartition("\r")[2] if "\r" in text else text


def weight(line: str) -> int:
    """How much a plain line tells about a failure; 0 and less is nothing."""
    text = line[:_LOOKED_AT]
    found = 4 if _REASON.search(text) else 0
    if _PLACE.search(text):
        found += 2
    if _CODE.match(text):
        found += 3
    if not found:
        return 0
    if _DETAIL.search(text):
        found += 1
    return found - 4 if found >= ENOUGH and _HARMLESS.search(text) else found


def telling(lines: Sequence[str], limit: int) -> list[int]:
    """The indexes of the lines that tell most, the most telling first; repetitions count once.

    Where hundreds look as if they told something, those with the rarest words are weighed.
    """
    shortened = [line[:_LOOKED_AT] for line in lines]
    maybe = _candidates(shortened)
    seen: set[str] = set()
    found: list[tuple[int, int]] = []
    for index in maybe:
        line = shortened[index]
        shape = _DIGITS.sub("#", line[:120].strip())[:80]
        if shape in seen:
            continue
        heavy = weight(line)
        if heavy >= ENOUGH:
            seen.add(shape)
            found.append((-heavy, index))
    return [index for _, index in sorted(found)[:limit]]


def _candidates(lines: list[str]) -> list[int]:
    """Indexes of the lines that have one of the words, or a code; a search of each word in all.

    The rarest words count first: among hundreds of warnings the one error is not overlooked.
    """
    text = "\n".join(lines)
    starts = _starts(lines)
    hits = [[bisect_right(starts, match.start()) - 1 for match in _BEGINNING.finditer(text)]]
    folded = text.lower()
    if len(folded) != len(text):  # a few letters have two small ones
        starts = _starts(folded.split("\n"))
    for word in _WORDS:
        first = list(_first_lines(folded, word, starts))
        last = list(_last_lines(folded, word, starts)) if len(first) == _MOST_WEIGHED else []
        hits.append([*first, *reversed(last)])
    found: set[int] = set()
    for indexes in sorted(hits, key=len):
        room = max(0, 2 * _MOST_WEIGHED - len(found))
        half = (room + 1) // 2
        found.update(indexes if len(indexes) <= room else [*indexes[:half], *indexes[::-1][:half]])
    return sorted(found)


def _starts(lines: Iterable[str]) -> list[int]:
    return list(accumulate(map((1).__add__, map(len, lines)), initial=0))


def _first_lines(text: str, word: str, starts: list[int]) -> Iterator[int]:
    at = text.find(word)
    for _ in range(_MOST_WEIGHED):
        if at < 0:
            return
        index = bisect_right(starts, at) - 1
        yield index
        at = text.find(word, starts[index + 1])


def _last_lines(text: str, word: str, starts: list[int]) -> Iterator[int]:
    at = text.rfind(word)
    for _ in range(_MOST_WEIGHED):
        if at < 0:
            return
        index = bisect_right(starts, at) - 1
        yield index
        at = text.rfind(word, 0, starts[index])
