"""Which lines of an output tell why something failed, by the look of them.

Tools print the reason first (compilers), last (Python) or in the midst of thousands of lines (test
runners), so that no head and tail is sure to have it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable

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

_LOOKED_AT = 400
_MOST_WEIGHED = 1000
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
    if _DETAIL.search(text):
        found += 1
    return found - 4 if _HARMLESS.search(text) else found


def telling(lines: Iterable[tuple[int, str]], limit: int) -> list[int]:
    """The numbers of the lines that tell most, the most telling first; repetitions count once.

    Where thousands look as if they told something, those in the middle are not weighed.
    """
    numbered = [(number, line[:_LOOKED_AT]) for number, line in lines]
    maybe = _candidates([line for _, line in numbered])
    if len(maybe) > 2 * _MOST_WEIGHED:
        maybe = [*maybe[:_MOST_WEIGHED], *maybe[-_MOST_WEIGHED:]]
    seen: set[str] = set()
    found: list[tuple[int, int]] = []
    for index in maybe:
        number, line = numbered[index]
        heavy = weight(line)
        if heavy < ENOUGH:
            continue
        shape = _DIGITS.sub("#", line.strip())[:80]
        if shape not in seen:
            seen.add(shape)
            found.append((-heavy, number))
    return [number for _, number in sorted(found)[:limit]]


def _candidates(lines: list[str]) -> list[int]:
    """Indexes of the lines that have one of the words, or a code; a search of each word in all."""
    text = "\n".join(lines).lower()
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    found = {
        index for index, line in enumerate(lines) if line.startswith("E  ") or _CODE.match(line)
    }
    for word in _WORDS:
        at = text.find(word)
        while at >= 0:
            index = bisect_right(starts, at) - 1
            found.add(index)
            at = text.find(word, starts[index + 1])
    return sorted(found)
