"""The preprocessor's lines of a C or C++ text, found by the lexical rules of the standard.

A grammar of the language cannot find them: code that leans on macros is no C before they are
expanded, and what a parser makes of it hides directives. So these are the phases of translation
that come before (C17 5.1.1.2, C++23 [lex.phases]): trigraphs, spliced lines, then comments,
literals and directives. Every group of a conditional counts, and its nesting does not matter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple


class Directive(NamedTuple):
    """A line for the preprocessor: the name behind its `#`, or `import;` and the like of modules.

    `plain` is what follows the name in the logical line, each comment a space and without splices;
    of an include it is the header's name alone.
    """

    name: str
    plain: bytes


def directives(text: bytes, *, is_modern: bool, has_modules: bool) -> Iterator[Directive]:
    """All lines for the preprocessor in a text whose trigraphs are replaced where they count.

    A modern text may have raw strings and parted digits, which older C reads otherwise.
    """
    return _Lexer(text, is_modern, has_modules).directives()


def without_trigraphs(text: bytes) -> bytes:
    """Phase 1, where it is on: each trigraph is the character that it stands for."""
    return _TRIGRAPH.sub(lambda found: _TRIGRAPHS[found[0][2:]], text)


BLANK: Final = b" \t\v\f"

_TRIGRAPHS: Final = dict(
    zip((bytes([byte]) for byte in b"=/'()!<>-"), map(bytes, zip(b"#\\^[]|{}~")), strict=True)
)
_TRIGRAPH: Final = re.compile(rb"\?\?[=/'()!<>-]")
_NEWLINE: Final = rb"(?:\r\n|[\n\r])"
# Compilers take a splice with blanks before its newline for one, with a warning.
_SPLICE: Final = rb"\\[ \t]*" + _NEWLINE
_STARTS: Final = rb"/(?:" + _SPLICE + rb")*[/*]|[\"'#]|%:|R\"|@import\b"
_STOP: Final = re.compile(_STARTS)
_STOP_AT_MODULES: Final = re.compile(_STARTS + rb"|import\b|module\b")
_LINE_STOP: Final = re.compile(
    rb"[\n\r]|" + _SPLICE + rb"|/(?:" + _SPLICE + rb")*[/*]|[\"']|R\"|\\"
)
_LINE_REST: Final = re.compile(rb"[^\\\n\r]*(?:\\(?:[ \t]*" + _NEWLINE + rb")?[^\\\n\r]*)*")
_QUOTED: Final = {
    quote: re.compile(
        rb"%b[^%b\\\n\r]*(?:\\(?:[ \t]*%b|[^\n\r])?[^%b\\\n\r]*)*%b?"
        % (quote, quote, _NEWLINE, quote, quote)
    )
    for quote in (b'"', b"'")
}
_RAW_STRING: Final = re.compile(rb'R"([^ ()\\\t\v\f\n\r"]{0,16})\(')
_RAW_PREFIX: Final = re.compile(rb"(?:\A|[^\w])(?:u8|[uUL])?\Z")
_NUMBER: Final = re.compile(rb"(?:\A|[^\w.'])\.?[0-9][\w.']*\Z")
_BLANKS: Final = re.compile(rb"(?:[ \t\v\f]|" + _SPLICE + rb")*")
_PLAIN: Final = re.compile(rb"[ \t]*(\w+)([^\n\r\\\"'/]*)(?=[\n\r]|\Z)")
_NAME: Final = re.compile(rb"(?:\w|" + _SPLICE + rb")*")
_SPLICED: Final = re.compile(_SPLICE)
_TAKING_HEADERS: Final = (b"include", b"include_next", b"import", b"embed")
_CLOSING: Final = {b"<": b">", b'"': b'"'}
_EXPORT: Final = re.compile(rb"[ \t\v\f]*(?:export[ \t\v\f]+)?\Z")


class _Lexer:
    """Reads one text from its start; `_blank` says that nothing stands before `_at` in its line."""

    def __init__(self, text: bytes, is_modern: bool, has_modules: bool) -> None:
        self._text = text.removeprefix(b"\xef\xbb\xbf")
        self._is_modern = is_modern
        words = b"import" in text or b"module" in text
        self._stop = _STOP_AT_MODULES if has_modules and words else _STOP
        self._last_close = self._text.rfind(b"*/")
        self._at: int = 0
        self._blank = True

    def directives(self) -> Iterator[Directive]:
        text, search = self._text, self._stop.search
        while (stop := search(text, self._at)) is not None:
            token, start = stop[0], stop.start()
            if token[:1] == b"/":
                self._blank = self._is_first(start)
                self._at = self._after_comment(stop.end())
            elif token in (b'"', b"'", b'R"'):
                self._blank = False
                self._at = self._after_literal(start, token)
            elif token in (b"#", b"%:"):
                is_first = self._is_first(start)
                self._at, self._blank = stop.end(), False
                if is_first:
                    yield self._plain_directive() or self._directive()
            else:
                found = self._module_line(start, token)
                self._at, self._blank = stop.end(), False
                if found:
                    yield found

    def _is_first(self, start: int) -> bool:
        """Whether only blanks and comments stand before a place in its line."""
        text = self._text
        newline = max(text.rfind(b"\n", self._at, start), text.rfind(b"\r", self._at, start))
        if newline < 0:
            return self._blank and not text[self._at : start].strip(BLANK)
        return not text[newline + 1 : start].strip(BLANK)

    def _after_comment(self, end: int) -> int:
        """Where the comment ends; one that never does hides nothing: it is half-written."""
        if self._text[end - 1 : end] == b"/":
            found = _LINE_REST.match(self._text, end)
            return found.end() if found else end
        if end > self._last_close:
            return end
        return self._text.find(b"*/", end) + 2

    def _after_literal(self, start: int, token: bytes) -> int:
        text = self._text
        if token == b'R"':
            if self._is_modern and _RAW_PREFIX.search(text[max(0, start - 3) : start]):
                raw = _RAW_STRING.match(text, start)
                closed = text.find(b')%b"' % raw[1], raw.end()) if raw else -1
                if raw and closed >= 0:
                    return closed + len(raw[1]) + 2
            start, token = start + 1, b'"'
        elif token == b"'" and self._is_modern and _NUMBER.search(text[max(0, start - 64) : start]):
            return start + 1  # it parts the digits of a number
        found = _QUOTED[token].match(text, start)
        return found.end() if found else start + 1

    def _plain_directive(self) -> Directive | None:
        """Most directives: one line of words with nothing in it to look at twice."""
        found = _PLAIN.match(self._text, self._at)
        if found is None or found[1] in _TAKING_HEADERS:
            return None
        self._at = found.end()
        return Directive(found[1].decode("ascii", "replace"), found[2])

    def _directive(self) -> Directive:
        """The directive whose `#` has just been read; leaves off at the end of its line."""
        text = self._text
        self._skip_blanks()
        named = _NAME.match(text, self._at)
        name = _SPLICED.sub(b"", named[0]) if named else b""
        self._at = named.end() if named else self._at
        self._skip_blanks()
        opening = text[self._at : self._at + 1]
        if name not in _TAKING_HEADERS or opening not in _CLOSING:
            return Directive(name.decode("ascii", "replace"), self._plain_line())
        # A header's name comes before comments and literals: `<a//b>` has none.
        line_end = self._line_end(self._at)
        closed = text.find(_CLOSING[opening], self._at + 1, line_end)
        header = text[self._at : line_end if closed < 0 else closed + 1]
        self._at += len(header)
        return Directive(name.decode(), _SPLICED.sub(b"", header))

    def _module_line(self, start: int, token: bytes) -> Directive | None:
        """A line of C++ modules ([cpp.module], [cpp.import]) or Objective-C's import of one."""
        text = self._text
        if text[start - 1 : start].isalnum() or text[start - 1 : start] == b"_":
            return None
        name = f"{token.decode()};"
        if token != b"@import":
            newline = max(text.rfind(b"\n", self._at, start), text.rfind(b"\r", self._at, start))
            line_start = self._at if newline < 0 else newline + 1
            is_first = newline >= 0 or self._blank
            before = text[line_start:start]
            if not is_first or not _EXPORT.match(before):
                return None
            name = f"export {name}" if before.strip(BLANK) else name
        kept = self._at, self._blank
        self._at = start + len(token)
        rest = self._plain_line(is_code=True)
        self._at, self._blank = kept
        return Directive(name, rest)

    def _skip_blanks(self) -> None:
        """Go past blanks, splices and comments, which all stay on the logical line."""
        text = self._text
        while True:
            found = _BLANKS.match(text, self._at)
            self._at = found.end() if found else self._at
            if not text.startswith(b"/*", self._at) or self._at > self._last_close - 2:
                return
            self._at = text.find(b"*/", self._at + 2) + 2

    def _line_end(self, start: int) -> int:
        found = _LINE_REST.match(self._text, start)
        return found.end() if found else start

    def _plain_line(self, *, is_code: bool = False) -> bytes:
        """The rest of the logical line, comments and splices undone; moves to its end.

        A line of code that has a `;` ends there.
        """
        text, kept = self._text, list[bytes]()
        while True:
            stop = _LINE_STOP.search(text, self._at)
            piece = text[self._at : stop.start() if stop else len(text)]
            kept.append(piece)
            if stop is None or (is_code and b";" in piece):
                self._at += len(piece)
                break
            token, self._at = stop[0], stop.end()
            if token in (b"\n", b"\r"):
                self._at = stop.start()
                break
            if token[:1] == b"/":
                kept.append(b" ")
                self._at = self._after_comment(stop.end())
            elif token in (b'"', b"'", b'R"'):
                self._at = self._after_literal(stop.start(), token)
                kept.append(_SPLICED.sub(b"", text[stop.start() : self._at]))
            elif token == b"\\":
                kept.append(token)
        return b"".join(kept)
