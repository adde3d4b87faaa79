"""Spans of code in languages with C's lexical ground: their tokens, digests and words."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

from understudy.syntax.model import Mentions


def without_comments(text: bytes) -> bytes:
    """The text with a space for every byte of a comment but its newlines: places stay the same."""
    return _LITERAL_OR_COMMENT.sub(_blanked, text)


def digest_of(*spans: bytes) -> str:
    """A digest of the tokens of spans without comments; layout makes no difference."""
    digest = hashlib.blake2b(digest_size=16)
    for span in spans:
        digest.update(b"\0".join(_TOKEN.findall(span)))
        digest.update(b"\1")
    return digest.hexdigest()


def mentions_in(*spans: bytes, members: Iterable[str] = ()) -> Mentions:
    """Every word of spans without comments; those behind a `.` are members.

    Those behind `->` or `::` are both, as a type that is returned and an item of a namespace stand
    there, too; so are keys, in front of a `:`. A word of a string counts as a name.
    """
    names, found = set[str](), set(members)
    for piece in set(_MENTION.findall(b"\n".join(spans))):
        word = piece.decode("utf-8", "replace").strip(".->: \t\r\n\v\f")
        if piece[:1] != b".":
            names.add(word)
        if piece[:1] in b".-:" or piece[-1:] == b":":
            found.add(word)
    return Mentions(frozenset(names), frozenset(found))


def all_mentions(some: Iterable[Mentions]) -> Mentions:
    """The mentions of several spans together."""
    names, members, bare = set[str](), set[str](), set[str]()
    is_told = False
    for one in some:
        names |= one.names
        members |= one.members
        bare |= one.bare or frozenset()
        is_told |= one.bare is not None
    return Mentions(frozenset(names), frozenset(members), frozenset(bare) if is_told else None)


NO_MENTIONS: Final = Mentions()

_LITERAL_OR_COMMENT: Final = re.compile(
    rb"//[^\n]*|/\*.*?(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'|`[^`]*`", re.DOTALL
)
_TOKEN: Final = re.compile(
    rb"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[\w\x80-\xff]+|[^\s\w]", re.DOTALL
)
_MENTION: Final = re.compile(
    rb"(?:(?:(?<!\.)\.|->|::)\s*)?[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:\s*:(?![=:]))?"
)
_NOT_NEWLINE: Final = re.compile(rb"[^\n]")


def _blanked(found: re.Match[bytes]) -> bytes:
    piece = found[0]
    if piece[:1] != b"/":
        return piece
    return b" " * len(piece) if piece[1:2] == b"/" else _NOT_NEWLINE.sub(b" ", piece)
