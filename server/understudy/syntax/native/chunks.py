"""A C or C++ text taken apart at its outermost level: declarations, their scopes, and directives.

No grammar can parse code before its macros are expanded, but its braces, literals and directives
stand for themselves. Every group of a conditional counts; where groups open a brace each, they
close it once, so each begins at the depth of the first.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Chunk(NamedTuple):
    """One declaration: `head` goes up to its body, `whole` to its end.

    `owner` is the path of its types and namespaces, `conditions` what the conditionals around it
    ask, and `scope` what it is in: `class`, `enum`, `namespace`, `` for linkage and the file.
    `name` is the directive of a line for the preprocessor.
    """

    head: bytes
    whole: bytes
    owner: tuple[str, ...]
    scope: str
    conditions: tuple[bytes, ...]
    name: str = ""
    is_hidden: bool = False


def chunks(text: bytes) -> tuple[list[Chunk], bool]:
    """All of a text, and whether its braces close one another."""
    code = _COMMENT.sub(_blanked, text)
    reader = _Chunker(code)
    reader.scope((), "", is_hidden=False, is_root=True)
    return reader.found, reader.is_sound


_RAW: Final = rb"\bR\"(?P<d>[^ ()\\\n\"]{0,16})\(.*?\)(?P=d)\""
_STRINGS: Final = rb"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'"
_COMMENT: Final = re.compile(
    rb"//(?:[^\\\n]|\\\r?\n|\\.)*|/\*.*?(?:\*/|\Z)|" + _RAW + rb"|" + _STRINGS, re.DOTALL
)
_NOT_NEWLINE: Final = re.compile(rb"[^\n]")
_EVENT: Final = re.compile(
    rb"^[ \t]*(?:\#|%:)[ \t]*(?P<name>\w*)(?P<rest>(?:[^\\\n]|\\\r?\n|\\.)*)|"
    + _RAW
    + rb"|"
    + _STRINGS
    + rb"|[{}();]|\b(?:public|protected|private)\s*:(?!:)",
    re.DOTALL | re.MULTILINE,
)
# A macro or an attribute may stand between the key and the name; a parenthesis behind the name
# makes it the type that a function returns.
_CLASS: Final = re.compile(rb"\b(?:class|struct|union)\b(?:\s*\w*\s*\(\))*[^=()]*\Z")
_ENUM: Final = re.compile(rb"\benum\b(?:\s*\w*\s*\(\))*[^=()]*\Z")
_SPACE: Final = re.compile(rb"\bnamespace\b([\w\s:]*)\Z|\bextern\s*\"\w[^\"]*\"\s*\Z|\bexport\s*\Z")
_GOES_ON: Final = re.compile(rb"\s*(?:[;,{=.\[]|catch\b|else\b)")
_CALL: Final = re.compile(rb"\([^()]*(?:\([^()]*\)[^()]*)*\)")
_TEMPLATE: Final = re.compile(rb"<[^<>;{}]*>")
_WORD: Final = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")


def _blanked(found: re.Match[bytes]) -> bytes:
    piece = found[0]
    if piece[:1] != b"/":
        return piece
    return _NOT_NEWLINE.sub(b" ", piece)


class _Chunker:
    """Goes from one brace, semicolon or directive to the next; keeps the conditionals around."""

    def __init__(self, code: bytes) -> None:
        self._code = code
        self._events = list(_EVENT.finditer(code))
        self._at = 0
        self._conditions: list[bytes] = []
        self._closed = 0
        self._depth = 0
        self.found: list[Chunk] = []
        self.is_sound = True

    def scope(
        self, owner: tuple[str, ...], kind: str, *, is_hidden: bool, is_root: bool = False
    ) -> None:
        """Everything up to the brace that closes this scope; moves past it."""
        code = self._code
        start = self._events[self._at - 1].end() if self._at else 0
        conditions = tuple(self._conditions)
        body = -1
        while self._at < len(self._events):
            event = self._events[self._at]
            token = event[0]
            self._at += 1
            if event["name"] is not None:
                self._directive(event, owner, kind)
                if not code[start : event.start()].strip():
                    start = event.end()
                    conditions = tuple(self._conditions)
            elif token == b"(":
                self._skip(b"(", b")")
            elif token == b"}":
                self._emit(start, body, event.start(), owner, kind, conditions, is_hidden)
                if not is_root:
                    return
                self.is_sound, start, body = False, event.end(), -1
            elif token == b";":
                self._emit(start, body, event.start(), owner, kind, conditions, is_hidden)
                start, body, conditions = event.end(), -1, tuple(self._conditions)
            elif token[:1] == b"p":
                start = start if code[start : event.start()].strip() else event.end()
            elif token == b"{":
                # Behind a body only what is new matters: a list of values may go on for long.
                head = code[start if body < 0 else self._closed : event.start()]
                if self._space(head, owner, kind, is_hidden=is_hidden):
                    start, body, conditions = self._end(), -1, tuple(self._conditions)
                    continue
                body = event.start() if body < 0 else body
                if self._goes_on_behind(head, owner, is_hidden=is_hidden):
                    continue
                self._emit(start, body, self._end(), owner, kind, conditions, is_hidden)
                start, body, conditions = self._end(), -1, tuple(self._conditions)
        self.is_sound &= is_root
        self._emit(start, body, len(code), owner, kind, conditions, is_hidden)

    def _space(self, head: bytes, owner: tuple[str, ...], kind: str, *, is_hidden: bool) -> bool:
        """Whether a brace opens a namespace or a block of linkage, which is then read."""
        inner = _SPACE.search(head)
        if inner is None or self._depth >= _DEEPEST:
            return False
        names = tuple(_decoded(one) for one in _WORD.findall(inner[1] or b""))
        is_nameless = b"namespace" in inner[0] and not names
        self._depth += 1
        self.scope((*owner, *names), kind, is_hidden=is_hidden or is_nameless)
        self._depth -= 1
        return True

    def _goes_on_behind(self, head: bytes, owner: tuple[str, ...], *, is_hidden: bool) -> bool:
        """Read what stands in braces; whether the declaration goes on behind them."""
        read = self._braces(head, owner, is_hidden=is_hidden)
        self._closed = self._end()
        return read or _GOES_ON.match(self._code, self._closed) is not None

    def _braces(self, head: bytes, owner: tuple[str, ...], *, is_hidden: bool) -> bool:
        """Read what stands in braces; whether its head alone says that more comes behind."""
        bare = _bare(head)
        tag = tag_of(bare)
        inside = (*owner, tag) if tag else owner
        if _ENUM.search(bare):
            self._enumerators(inside, bare)
            return True
        if _CLASS.search(bare) and self._depth < _DEEPEST:
            self._depth += 1
            self.scope(inside, "class", is_hidden=is_hidden)
            self._depth -= 1
            return True
        self._skip(b"{", b"}")
        return b"=" in _OPERATOR.sub(b"", bare)

    def _end(self) -> int:
        return self._events[self._at - 1].end()

    def _skip(self, opening: bytes, closing: bytes) -> None:
        """Go past the bracket that closes the one just read."""
        depth, before = 1, list[int]()
        while self._at < len(self._events):
            event = self._events[self._at]
            self._at += 1
            if event["name"] is not None:
                name = event["name"]
                if name in (b"if", b"ifdef", b"ifndef"):
                    before.append(depth)
                elif name in (b"else", b"elif", b"elifdef", b"elifndef"):
                    depth = before[-1] if before else 0
                elif name == b"endif" and before:
                    before.pop()
                self._directive(event, (), "")
            elif event[0] == opening:
                depth += 1
            elif event[0] == closing:
                depth -= 1
                if depth <= 0:
                    return
            elif event[0] in b"{}" and opening == b"(" and event[0] == b"}" and not before:
                self._at -= 1  # what is missing is the parenthesis
                break
        self.is_sound = False

    def _enumerators(self, owner: tuple[str, ...], head: bytes) -> None:
        start = self._end()
        self._skip(b"{", b"}")
        text = self._code[start : self._end() - 1]
        # One that states no value counts on from the last that does.
        stated, n_since = head, 0
        for one in _CALL.sub(lambda found: found[0].replace(b",", b" "), text).split(b","):
            name = _WORD.search(_LINES.sub(b"", one))
            stated, n_since = (one, 0) if b"=" in one or b"#" in one else (stated, n_since + 1)
            if name is not None:
                shown = b"%b,%b %d,%b" % (head, stated, n_since, one)
                self.found.append(Chunk(name[0], shown, owner, "enum", tuple(self._conditions)))

    def _directive(self, event: re.Match[bytes], owner: tuple[str, ...], kind: str) -> None:
        name, rest = event["name"], event["rest"]
        if name in (b"if", b"ifdef", b"ifndef"):
            self._conditions.append(name + rest)
        elif name in (b"else", b"elif", b"elifdef", b"elifndef"):
            if self._conditions:
                self._conditions[-1] += b"\n" + name + rest
        elif name == b"endif":
            if self._conditions:
                self._conditions.pop()
        elif name not in (b"include", b"include_next", b"import", b"embed"):
            conditions = tuple(self._conditions)
            self.found.append(Chunk(rest, rest, owner, kind, conditions, name.decode() or "#"))

    def _emit(
        self,
        start: int,
        body: int,
        end: int,
        owner: tuple[str, ...],
        kind: str,
        conditions: tuple[bytes, ...],
        is_hidden: bool,
    ) -> None:
        whole = self._code[start:end]
        if whole.strip():
            head = self._code[start:body] if body >= 0 else whole
            self.found.append(Chunk(head, whole, owner, kind, conditions, "", is_hidden))


_DEEPEST: Final = 100
"""Scopes in one another; what is deeper is read as a body is."""
_OPERATOR: Final = re.compile(rb"\boperator\s*[^\s\w(]+")
_LINES: Final = re.compile(rb"^[ \t]*(?:\#|%:).*$", re.MULTILINE)


def tag_of(bare: bytes) -> str:
    """The name of a class, struct, union or enum whose head, without brackets, is this."""
    head = re.split(rb"\b(?:class|struct|union|enum)\b", bare)[-1]
    head = re.sub(rb"\w*\s*\(\)", b" ", re.split(rb"(?<!:):(?!:)", head)[0])
    words = [word for word in _WORD.findall(head) if word not in (b"final", b"sealed")]
    return _decoded(words[-1]) if words else ""


def _bare(head: bytes) -> bytes:
    """A head without directives and what stands in brackets."""
    bare = _TEMPLATE.sub(b" ", _CALL.sub(b"()", _LINES.sub(b"", head)))
    return re.sub(rb"\[\[.*?\]\]", b" ", _TEMPLATE.sub(b" ", bare), flags=re.DOTALL)


def _decoded(word: bytes) -> str:
    return word.decode("utf-8", "replace")
