"""File names in diffs: git's quoting, prefixes and timestamps."""

from __future__ import annotations

import os
import re

NO_FILE = "/dev/null"

_SPECIAL = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_LETTERS = {letter: code for code, letter in _SPECIAL.items()}
_ESCAPE = re.compile(r"\\([0-3][0-7]{2}|.)", re.DOTALL)
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_STAMP = re.compile(r"\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_NEVER = re.compile(r"\s(?:1970-01-01|1969-12-31)[ T]")
_PREFIX = re.compile(r"^[abciow12]/")


def quoted(path: str) -> str:
    """The name as git writes it: in quotes with octal escapes where it has unusual bytes."""
    raw = os.fsencode(path)
    if all(0x20 <= byte < 0x7F and byte not in _SPECIAL for byte in raw):
        return path
    escaped = "".join(
        f"\\{_SPECIAL[byte]}"
        if byte in _SPECIAL
        else chr(byte)
        if 0x20 <= byte < 0x7F
        else f"\\{byte:03o}"
        for byte in raw
    )
    return f'"{escaped}"'


def unquoted(name: str) -> str:
    """The inverse of `quoted`; a name without quotes is itself."""
    match = _QUOTED.fullmatch(name)
    return name if match is None else _unescaped(match.group(1))


def header_name(rest: str) -> tuple[str, ...]:
    """The spellings a `---` or `+++` line allows, likeliest first; empty for no file.

    `rest` is the line after its marker. GNU diff -N says "no file" by a timestamp of 1970.
    """
    quotes = _QUOTED.match(rest)
    if quotes is not None:
        return (_unescaped(quotes.group(1)),)
    name, tab, _ = rest.partition("\t")
    if name.strip() == NO_FILE or _NEVER.search(rest):
        return ()
    if tab:
        return (name,)
    bare = _STAMP.sub("", name)
    return tuple(dict.fromkeys((bare, bare.rstrip())))


def spellings(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Which paths a pair of header names can mean, likeliest first.

    `a/x` with `b/x` most likely means `x`; two equal names were most likely written without
    prefixes. Which one it is, the tree decides.
    """
    plain = (*new, *old)
    stripped = tuple(_PREFIX.sub("", name) for name in plain)
    prefixed = bool(plain) and all(_PREFIX.match(name) for name in plain)
    unequal = not old or not new or old[0] != new[0]
    order = (*stripped, *plain) if prefixed and unequal else (*plain, *stripped)
    return tuple(dict.fromkeys(name for name in order if name))


def git_header_names(rest: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Old and new name of a `diff --git` line (its rest), which does not show where one ends."""
    quotes = _QUOTED.match(rest)
    if quotes is not None:
        return (_unescaped(quotes.group(1)),), (unquoted(rest[quotes.end() :].lstrip(" ")),)
    if rest.endswith('"') and ' "' in rest:
        old, _, new = rest.partition(' "')
        return (old,), (unquoted('"' + new),)
    cuts = [index for index, char in enumerate(rest) if char == " "]
    halves = [(rest[:cut], rest[cut + 1 :]) for cut in cuts]
    for old, new in halves:
        if old == new or _PREFIX.sub("", old) == _PREFIX.sub("", new):
            return (old,), (new,)
    return ((halves[0][0],), (halves[0][1],)) if len(halves) == 1 else ((), ())


def _unescaped(body: str) -> str:
    def byte(match: re.Match[str]) -> str:
        code = match.group(1)
        value = int(code, 8) if len(code) == 3 else _LETTERS.get(code, ord(code))
        # Bytes travel as lone surrogates, so that a name of several of them decodes as a whole.
        return chr(value) if value < 0x80 else chr(0xDC00 + value)

    return os.fsdecode(os.fsencode(_ESCAPE.sub(byte, body)))
