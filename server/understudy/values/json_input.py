"""JSON from outside: read within a limit of depth, and every mistake in it has a name and a place.

Python's own reader ends in a RecursionError at a depth that differs between its versions.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, cast

from understudy.values.errors import BadInput

MAX_DEPTH = 200
"""Lists and objects in one another; real messages have some ten."""

_MARK = re.compile(r"""["/,}\]]|[^\s"/,}\]]+""")
_END = re.compile(r'["\\]')
_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)
_ID = re.compile(r'\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|-?\d{1,18}(?![\d.eE]))', re.DOTALL)
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def read_json(data: bytes | str, where: str | None = None) -> object:
    """The value; raises BadInput `not-json` (also for text that is no UTF-8) or `too-deep`."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        if _depth(text) > MAX_DEPTH:
            raise BadInput("too-deep", f"lists and objects go deeper than {MAX_DEPTH}", where)
        return json.loads(text)
    except UnicodeDecodeError as error:
        text = f"not UTF-8 at byte {error.start}"
        raise BadInput("not-json", text, where) from error
    except (ValueError, RecursionError) as error:
        raise BadInput("not-json", str(error), where) from error


def read_object(data: bytes | str, where: str) -> dict[str, Any]:
    """The same for a message: raises BadInput `bad-request` for what is no object."""
    raw = read_json(data, where)
    if not isinstance(raw, dict):
        raise BadInput("bad-request", "expected a JSON object", where)
    return cast("dict[str, Any]", raw)


def refuse_unsound(value: object, where: str) -> None:
    """Raise BadInput `not-text` for the first text in a JSON value that no UTF-8 can hold."""
    place = next(_unsound(value, where), None)
    if place is not None:
        raise BadInput("not-text", "half of a surrogate pair, which no file can hold", place)


def may_be_unsound(text: bytes) -> bool:
    """Whether JSON may hold half of a surrogate pair: a quick look, for all that is in order."""
    return _SURROGATE_ESCAPE.search(text) is not None


def id_in(body: bytes) -> str | int | None:
    """The id of a JSON-RPC message that cannot be read as a whole; None if there is none."""
    text = body.decode("utf-8", "replace")
    for piece, depth, end in _tokens(text):
        found = _ID.match(text, end) if depth == 1 and piece == '"id"' else None
        if found is not None:
            try:
                number: object = json.loads(found[1])
            except ValueError:
                return None
            is_sound = isinstance(number, int) or not _LONE_SURROGATE.search(str(number))
            return number if isinstance(number, str | int) and is_sound else None
    return None


def _depth(text: str) -> int:
    """How deep it goes; an upper bound where that is within the limit."""
    n_opened = text.count("[") + text.count("{")
    if n_opened <= MAX_DEPTH:
        return n_opened
    return max((depth for _, depth, _ in _tokens(text)), default=0)


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    """Strings and brackets with the depth at which they stand, and where they end."""
    depth = 0
    for found in _TOKEN.finditer(text):
        piece = found[0]
        depth += 1 if piece in "[{" else 0
        yield piece, depth, found.end()
        depth -= 1 if piece in "]}" else 0


def _unsound(value: object, where: str) -> Iterator[str]:
    """The places of texts with half of a surrogate pair in them; its depth has been looked at."""
    if isinstance(value, str):
        if _LONE_SURROGATE.search(value):
            yield where
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            yield from _unsound(key, f"a key of {where}")
            yield from _unsound(item, f"{where}.{key}")
    elif isinstance(value, list):
        for index, item in enumerate(cast("list[object]", value)):
            yield from _unsound(item, f"{where}[{index}]")


def loads_with_comments(text: str) -> object:
    """A value as configurations of TypeScript and editors have it, with trailing commas, too.

    Raises ValueError for what is no JSON otherwise, or goes too deep.
    """
    try:
        return json.loads(text)  # most have neither
    except ValueError:
        pass
    except RecursionError as error:
        raise ValueError("it goes too deep") from error
    try:
        return json.loads(_plain(text))
    except RecursionError as error:
        raise ValueError("it goes too deep") from error


def _plain(text: str) -> str:
    """The text without comments and trailing commas, in one pass whatever it says."""
    pieces: list[str] = []
    copied = at = 0
    comma: int | None = None
    while (mark := _MARK.search(text, at)) is not None:
        start, sign, at = mark.start(), mark[0], mark.end()
        if sign == "/" and text.startswith(("//", "/*"), start):
            pieces.append(text[copied:start])
            copied = at = _comment_end(text, start)
        elif sign == ",":
            pieces += [text[copied:start], ","]
            copied, comma = at, len(pieces) - 1
        else:
            if sign in ("}", "]") and comma is not None:
                pieces[comma] = ""
            comma = None
            at = _string_end(text, at) if sign == '"' else at
    return "".join([*pieces, text[copied:]])


def _comment_end(text: str, start: int) -> int:
    close = "*/" if text[start + 1] == "*" else "\n"
    end = text.find(close, start + 2)
    if end < 0 and close == "*/":
        raise ValueError("a comment has no end")
    return len(text) if end < 0 else end + (len(close) if close == "*/" else 0)


def _string_end(text: str, start: int) -> int:
    at = start
    while (mark := _END.search(text, at)) is not None:
        if mark[0] == '"':
            return mark.end()
        at = mark.end() + 1
    return len(text)
