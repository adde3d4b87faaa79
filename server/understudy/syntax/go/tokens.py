"""The tokens of a Go text that matter to what it imports, by the lexical rules of the language.

Comments, strings and runes are told from code as the reference says (Lexical elements). `import` is
a keyword, so wherever it stands in code an import is declared, in a half-written text as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class GoToken(NamedTuple):
    """A piece of code or a comment: what it is, its text, and where it begins."""

    kind: str
    text: bytes
    start: int


COMMENT: Final = "comment"
STRING: Final = "string"
WORD: Final = "word"
MARK: Final = "mark"


def landmarks(text: bytes) -> Iterator[GoToken]:
    """The comments, and the words `package` and `import`, of the whole text."""
    at = 0
    while (stop := _STOP.search(text, at)) is not None:
        start = stop.start()
        if stop[0][:1] not in b"ip":
            token, at = _literal(text, start)
            if token.kind == COMMENT:
                yield token
            continue
        at = stop.end()
        before = text[start - 1 : start]
        if not (before.isalnum() or before == b"_" or before >= b"\x80"):
            yield GoToken(WORD, stop[0], start)


def tokens(text: bytes, at: int) -> Iterator[GoToken]:
    """Every token from a place in code on."""
    while (blank := _BLANKS.match(text, at)) is not None:
        at = blank.end()
        if at >= len(text):
            return
        if text[at : at + 1] in b"\"'`" or text[at : at + 2] in (b"//", b"/*"):
            token, at = _literal(text, at)
            yield token
            continue
        word = _WORD.match(text, at)
        piece = word[0] if word else text[at : at + 1]
        yield GoToken(WORD if word else MARK, piece, at)
        at += len(piece)


def unquoted(literal: bytes) -> str:
    """The value of a string literal; one without its closing quote is what there is of it."""
    if literal[:1] == b"`":
        return literal[1:].removesuffix(b"`").replace(b"\r", b"").decode("utf-8", "surrogateescape")
    inner = literal[1:].removesuffix(literal[:1])
    text = _ESCAPE.sub(_unescaped, inner)
    return text.decode("utf-8", "surrogateescape")


_STOP: Final = re.compile(rb"//|/\*|[\"'`]|(?:import|package)(?![\w\x80-\xff])")
_BLANKS: Final = re.compile(rb"[ \t\r\n]*")
_WORD: Final = re.compile(rb"[\w\x80-\xff]+")
_INTERPRETED: Final = re.compile(rb"\"(?:[^\"\\\n]|\\[^\n])*\"?")
_RUNE: Final = re.compile(rb"'(?:[^'\\\n]|\\[^\n])*'?")
_ESCAPE: Final = re.compile(
    rb"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))"
)
_SHORT: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}


def _literal(text: bytes, start: int) -> tuple[GoToken, int]:
    """The comment or literal at a place, and where it ends."""
    opening = text[start : start + 2]
    if opening == b"//":
        end = text.find(b"\n", start)
        end = len(text) if end < 0 else end
    elif opening == b"/*":
        end = text.find(b"*/", start + 2)
        end = start + 2 if end < 0 else end + 2  # one that never ends is half-written
    elif opening[:1] == b"`":
        end = text.find(b"`", start + 1)
        end = start + 1 if end < 0 else end + 1
    else:
        found = (_INTERPRETED if opening[:1] == b'"' else _RUNE).match(text, start)
        end = found.end() if found else start + 1
    kind = COMMENT if opening in (b"//", b"/*") else STRING
    return GoToken(kind, text[start:end], start), end


def _unescaped(found: re.Match[bytes]) -> bytes:
    if found[5] is not None:
        return _SHORT.get(found[5], found[5])
    if found[2] or found[3]:
        code = int(found[2] or found[3], 16)
        return chr(code).encode("utf-8", "replace") if code < 0x110000 else b"?"
    return bytes([int(found[1], 16) if found[1] else int(found[4], 8) & 255])
