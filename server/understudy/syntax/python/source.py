"""A Python text in a form whose pieces can be compared and searched without another look at it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from understudy.syntax.model import Mentions
from understudy.syntax.python.layout import is_laid_out
from understudy.syntax.python.trees import Parsed, all_captures, decoded

if TYPE_CHECKING:
    import tree_sitter

Span = tuple[int, int]

NOTHING: Final = Mentions()

_PIECES = """(comment) @comment (string) @string
(import_statement) @import (import_from_statement) @import"""
_SEEN_COMMENT = re.compile(rb"#\s*type:")
_PRAGMA = re.compile(rb"#\s*(?:pyright|mypy):(?!\s*ignore\b)")
_TOKEN = re.compile(r"[A-Za-z0-9_\x80-\xff]+|\n[ \t]*|[^\s]")
_MENTION = re.compile(
    r"((?:[(,]\s*)?[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*\s*=(?!=)"
    r"|\.?[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*)(?=( ?\(|\s*\.(?!\.)|[\"'])?)"
)
"""A name with the dot in front of it or what makes it a keyword, and the dot or the call behind
it: a module is not called. What a quote ends is text, or begins one: no value stands there."""
_PROSE = re.compile(
    rb"(?!(?:and|await|else|for|if|in|is|lambda|not|or)\b)\b[A-Za-z]+[ \n]+"
    rb"(?!(?:and|else|for|if|in|is|not|or)\b)[A-Za-z]+\b"
)
"""Two words side by side, which no annotation has."""
_SPACED_MEMBER = re.compile(r"\.\s+([A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*)")
_UNKNOWN_MEMBER = re.compile(
    rb"(?<![\w.])(getattr\(\s*[A-Za-z_]\w*\s*),(?=\s*[A-Za-z_]\w*(?![\w\"']))"
)
"""What `getattr` gives for a name that is computed, nobody infers: no value is taken there."""
_OTHER_GETATTR = re.compile(
    rb"(?:def|class|import)\s+getattr\b|(?<!\.)\bgetattr\b(?!\s*\()|import\s*\*|\.\s+getattr\b"
)
"""Where the name may be of something else: a wildcard may bring that, too."""
_DELETED = re.compile(rb"^([ \t]*)del ([\w, \t]*\w)(?=[ \t]*(?:[\n;]|\Z))", re.MULTILINE)
_ARMOUR = bytes.maketrans(b" \t\n()[]{}#;\\", bytes(range(14, 26)))
"""What layout, brackets and comments are made of, inside a string: each as another character."""
_NO_BRACKETS = bytes(set(range(256)) - set(b"()[]{}\n"))


class PythonSource:
    """A text of the same length in which only what counts is left.

    Comments (but those that give types) and docstrings are blank, and so are the ends of lines
    within brackets, behind backslashes and of empty lines: what is left of layout is structure.
    Each byte is one character, so that places in the tree are places here.
    """

    def __init__(self, parsed: Parsed) -> None:
        self.parsed = parsed
        self.pragmas: list[bytes] = []
        self._text, self._codes = self._bare(bytearray(parsed.text))
        self._is_ascii = self._text.isascii()
        self._has_spaced_members = any(map(_SPACED_MEMBER.search, self._codes))

    def tokens(self, start: int, end: int, without: Iterable[Span] = ()) -> str:
        """The tokens of a span, but of some parts of it: equal where nothing but layout differs."""
        found: list[str] = []
        for cut_start, cut_end in without:
            found += _TOKEN.findall(self._text, start, cut_start)
            start = cut_end
        found += _TOKEN.findall(self._text, start, end)
        return " ".join(found)

    def mentions_without(self, start: int, end: int, without: Iterable[Span]) -> Mentions:
        """The names in a span but for some parts of it."""
        found: list[Mentions] = []
        for cut_start, cut_end in without:
            found.append(self.mentions(start, cut_start))
            start = cut_end
        return union(*found, self.mentions(start, end))

    def mentions(self, start: int, end: int) -> Mentions:
        """The names in a span, what is in front of `=` within brackets may name a member.

        Those in strings count, too, but where a string is prose. Imports mention nothing: what
        takes a name that they bind mentions it.
        """
        names: set[str] = set()
        members: set[str] = set()
        bare: set[str] = set()
        found: set[tuple[str, str]] = set()
        for code in self._codes:
            if self._has_spaced_members:
                members.update(_SPACED_MEMBER.findall(code, start, end))
            found.update(_MENTION.findall(code, start, end))
        bare.update(f".{name}" for name in members)
        for word, dot in found:
            name = word.strip("(,= \t\r\n\f\v")
            if not dot:
                bare.add(name)
            elif dot[-1] == "(":
                bare.add(f"{name}(")
            if word[0] == ".":
                members.add(name[1:])
            else:
                names.add(name)
                if word[0] in "(,":
                    members.add(name)
        return Mentions(self._names(names), self._names(members), self._names(bare))

    def finds(self, pattern: re.Pattern[str], start: int, end: int) -> Iterator[re.Match[str]]:
        """The matches of a pattern in a span."""
        return pattern.finditer(self._text, start, end)

    def is_all(self, pattern: re.Pattern[str], start: int, end: int) -> bool:
        """Whether a span is one match of a pattern, space around it left out."""
        return pattern.fullmatch(self._text[start:end].strip()) is not None

    def end_with_type(self, node: tree_sitter.Node) -> int:
        """Where a statement ends, with the comment in its last line that gives its type."""
        end = self._text.find("\n", node.end_byte)
        end = len(self._text) if end < 0 else end
        rest = self._text[node.end_byte : end].lstrip()
        return end if rest.startswith("#") else node.end_byte

    def name(self, found: str) -> str:
        """A name that was found here, as other texts spell it."""
        return found if found.isascii() else decoded(found.encode("latin-1"))

    def _names(self, found: Iterable[str]) -> frozenset[str]:
        return frozenset(found) if self._is_ascii else frozenset(map(self.name, found))

    def _bare(self, text: bytearray) -> tuple[str, tuple[str, ...]]:
        """What counts of the text, and the same without strings that are prose.

        The latter with the comments that give types and without them, which may stand between a
        name and what makes it a member's.
        """
        found = all_captures(self.parsed.root, _PIECES)
        for node in found.get("string", ()):
            start, end = node.byte_range
            text[start:end] = text[start:end].translate(_ARMOUR)
        kept: list[Span] = []
        for node in found.get("comment", ()):
            comment = node.text or b""
            if _PRAGMA.match(comment):
                self.pragmas.append(comment)
            start, end = node.byte_range
            if _SEEN_COMMENT.match(comment):
                kept.append((start, end))
            else:
                text[start:end] = b" " * (end - start)
        joined = bytearray(_joined(bytes(text)))
        self.is_laid_out = is_laid_out(_blanked(joined, kept))
        for node in found.get("string", ()):
            start, end = node.byte_range
            if joined[end : end + 1].strip():
                continue
            line = joined.rfind(b"\n", 0, start)
            if _is_alone(joined, line, start, end):
                joined[max(line, 0) : end] = b" " * (end - max(line, 0))
        code = bytearray(joined)
        for node in found.get("string", ()):
            start, end = node.byte_range
            if _PROSE.search(node.text or b"") and not _is_replaced(node):
                code[start:end] = b" " * (end - start)
        for node in found.get("import", ()):
            start, end = node.byte_range
            code[start:end] = b" " * (end - start)
        if _OTHER_GETATTR.search(self.parsed.text) is None:
            code = bytearray(_UNKNOWN_MEMBER.sub(rb'\1"', code))
        code = bytearray(_DELETED.sub(_without_value, code))
        codes = (code, _blanked(code, kept)) if kept else (code,)
        return joined.decode("latin-1"), tuple(one.decode("latin-1") for one in codes)


def _blanked(text: bytearray, spans: list[Span]) -> bytearray:
    """The text without some spans: a comment within brackets has code behind it in its line."""
    if not spans:
        return text
    blanked = bytearray(text)
    for start, end in spans:
        blanked[start:end] = b" " * (end - start)
    return blanked


def _without_value(deleted: re.Match[bytes]) -> bytes:
    """A statement in as many characters, whose names stand for no value (see `_MENTION`)."""
    return deleted[1] + deleted[2].replace(b",", b'"') + b'"   '


def _is_replaced(string: tree_sitter.Node) -> bool:
    """Whether a string holds code that is replaced by its value."""
    return any(part.type == "interpolation" for part in string.children)


def _joined(text: bytes) -> bytes:
    """The text with spaces for the ends of lines that end no statement."""
    depth = 0
    joined: list[bytes] = []
    brackets = text.translate(None, _NO_BRACKETS).split(b"\n")
    for line, inside in zip(text.split(b"\n"), brackets, strict=True):
        for bracket in inside:
            depth = depth + 1 if bracket in b"([{" else max(depth - 1, 0)
        if joined and joined[-1] == b"\n" and not line.strip():
            joined[-1] = b" "
        if line.endswith(b"\\"):
            joined += line[:-1], b"  "
        else:
            joined += line, b" " if depth else b"\n"
    return b"".join(joined[:-1])


def _is_alone(text: bytearray, line: int, start: int, end: int) -> bool:
    """Whether a string is all that stands in its line: it says nothing to anything but a reader."""
    if text[line + 1 : start].strip():
        return False
    following = text.find(b"\n", end)
    return not text[end : following if following >= 0 else len(text)].strip()


def union(*mentions: Mentions) -> Mentions:
    """All that any of them mentions."""
    some = [one for one in mentions if one is not NOTHING]
    if len(some) < 2:
        return some[0] if some else NOTHING
    names, members, bare = set[str](), set[str](), set[str]()
    for one in some:
        names |= one.names
        members |= one.members
        bare |= one.bare or frozenset()
    return Mentions(frozenset(names), frozenset(members), frozenset(bare))
