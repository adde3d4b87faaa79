"""Texts with C's conditionals resolved, for code whose braces balance only within one arm."""

from __future__ import annotations

import re

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|else|elif|endif)\b[^\n]*", re.MULTILINE)
_BLANKS = bytes(byte if byte in b"\r\n" else 0x20 for byte in range(256))
_CONTINUED = re.compile(rb"(?:[^\n]*\\\r?\n)*[^\n]*")


def one_arm_only(text: bytes) -> list[bytes]:
    """The text with only the first arms, and with only the other arms, all else blanked.

    As many bytes and lines as before. One text where no conditional has another arm, none where
    there is no conditional.
    """
    directives = list(_DIRECTIVE.finditer(text))
    if not directives:
        return []
    first = _resolved(text, directives, keep_first=True)
    other = _resolved(text, directives, keep_first=False)
    return [first] if first == other else [first, other]


def _resolved(text: bytes, directives: list[re.Match[bytes]], *, keep_first: bool) -> bytes:
    parts: list[bytes] = []
    kept_from = 0
    has_else = _arms(directives)
    stack: list[bool] = []  # whether the arm we are in is kept, for each conditional around
    for index, directive in enumerate(directives):
        word = directive[1]
        before = text[kept_from : directive.start()]
        parts.append(before if all(stack) else before.translate(_BLANKS))
        line = _CONTINUED.match(text, directive.start())
        kept_from = directive.end() if line is None else line.end()
        parts.append(text[directive.start() : kept_from].translate(_BLANKS))
        if word in (b"if", b"ifdef", b"ifndef"):
            stack.append(keep_first or not has_else.get(index, False))
        elif word == b"endif":
            if stack:
                stack.pop()
        elif stack:
            stack[-1] = not keep_first and word == b"else"
    rest = text[kept_from:]
    parts.append(rest if all(stack) else rest.translate(_BLANKS))
    return b"".join(parts)


def _arms(directives: list[re.Match[bytes]]) -> dict[int, bool]:
    """For each opening directive, by its index, whether it has another arm."""
    found: dict[int, bool] = {}
    open_at: list[int] = []
    for index, directive in enumerate(directives):
        word = directive[1]
        if word in (b"if", b"ifdef", b"ifndef"):
            open_at.append(index)
            found[index] = False
        elif word == b"endif":
            if open_at:
                open_at.pop()
        elif open_at and word == b"else":
            found[open_at[-1]] = True
    return found
