"""Text as a person may see it: what would hide, move or forge a part of it is written out.

An escape sequence can erase the line before it, a direction mark can reorder code, and some
characters show nothing at all. Each becomes a Python escape: `\\x1b`, `\\u202e`, `\\U000e0041`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_UNPAIRED = "\ud800-\udfff"
# Unicode's Default_Ignorable_Code_Point, which fonts show nothing for, and what else has no shape:
# line separators, marks of annotations and layout, the empty Braille cell.
_UNSEEN = (
    "\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_HIDING = re.compile(f"[{_CONTROLS}{_UNPAIRED}{_UNSEEN}]")
_PICTURE = "\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff"
_ARABIC = "\u0620-\u064a\u066e-\u06d3"
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
# Where these are a part of what is written they can be seen: the style of a picture, joined
# pictures, letters of Arabic and of Indian scripts that are kept apart or joined.
_SEEN = re.compile(
    f"(?<=[{_PICTURE}])[\ufe0e\ufe0f](?![\ufe00-\ufe0f])|(?<=[#*0-9])\ufe0f(?=\u20e3)"
    f"|(?<=[{_PICTURE}\ufe0f])\u200d(?=[{_PICTURE}])"
    f"|(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])|(?<=[{_VIRAMA}])[\u200c\u200d]"
)

_COMMANDS = (
    "add-mask|add-matcher|add-path|debug|echo|endgroup|error|group|internal-set-repo-path|notice"
    "|remove-matcher|save-state|set-env|set-output|stop-commands|warning"
)
# What the log of a job is searched for while it runs: GitHub's commands begin a line, older ones
# and those of Azure and TeamCity stand anywhere.
_LINE_COMMAND = re.compile(rf"^(\s*:):(?=(?:{_COMMANDS})(?:\s.*)?::)", re.IGNORECASE)
LOG_COMMAND = re.compile(r"##(?=\[|vso\[|teamcity\[)", re.IGNORECASE)


def printable(text: str) -> str:
    """The text on one line: what hides is escaped, line ends too; a tab stays.

    Nor is it a command to a service that reads it in the log of a job.
    """
    line = visible(text).replace("\n", "\\x0a")
    return LOG_COMMAND.sub(r"#\\x23", _LINE_COMMAND.sub(r"\1\\x3a", line))


def visible(text: str) -> str:
    """The text with what hides escaped; line feeds and tabs stay."""
    return hiding_as(_escape, text)


def first_few(paths: Sequence[str], limit: int) -> str:
    """The first of some paths, with the number of all others."""
    more = f" and {len(paths) - limit} more" if len(paths) > limit else ""
    return ", ".join(paths[:limit]) + more


def hiding_as(escape: Callable[[str], str], text: str) -> str:
    """The text with `escape` of each character that hides in its place."""
    if text.isascii() and text.isprintable():
        return text

    def put(match: re.Match[str]) -> str:
        return match[0] if _SEEN.match(text, match.start()) else escape(match[0])

    return _HIDING.sub(put, text)


def _escape(char: str) -> str:
    point = ord(char)
    if 0xDC80 <= point <= 0xDCFF:  # a byte that no text is made of (PEP 383)
        return f"\\x{point - 0xDC00:02x}"
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
