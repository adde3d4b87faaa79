"""A server's raw answer as places: ranges in code points, with the lines that they are on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from understudy.app.code.answer import CodePlace
from understudy.shadow.snapshot import Snapshot
from understudy.values.errors import BadInput
from understudy.values.paths import path_of_uri
from understudy.values.positions import LineIndex, Position, Range, clamped_column
from understudy.workspace.session import Session

_NAME = re.compile(r"[\w$]+")
_LONGEST_FILE = 4 * 1024 * 1024
"""Bytes of a file outside the root whose line is shown."""

_KINDS = (
    "file", "module", "namespace", "package", "class", "method", "property", "field",
    "constructor", "enum", "interface", "function", "variable", "constant", "string", "number",
    "boolean", "array", "object", "key", "null", "enum member", "struct", "event", "operator",
    "type parameter",
)  # fmt: skip
"""The protocol's kinds of symbols, from 1 on (3.17, "SymbolKind")."""

Json = dict[str, Any]


class HitReader:
    """Reads the places of one answer; each text is read once."""

    def __init__(self, session: Session, snapshot: Snapshot) -> None:
        self._session = session
        self._snapshot = snapshot
        self._of_uri: dict[str, _HitText] = {}
        self._of_path: dict[str, _HitText] = {}

    def locations(self, result: object) -> tuple[CodePlace, ...]:
        """A location, several of them, or links, in the order of their paths, each once."""
        found = (self._located(one) for one in tables(result))
        return in_order(hit for hit in found if hit is not None)

    def symbols(self, result: object, path: str) -> tuple[CodePlace, ...]:
        """The symbols of a document: a tree, or a flat list, in the order of the file."""
        return tuple(_symbols(tables(result), self._text(path), "", 0))

    def named(self, result: object) -> tuple[CodePlace, ...]:
        """What a search of the folder's symbols found."""
        found: list[CodePlace] = []
        for one in tables(result):
            hit = self._located(_table(one.get("location")))
            if hit is not None:
                name, owner = str(one.get("name", "")), str(one.get("containerName") or "")
                found.append(replace(hit, name=name, kind=_kind_of(one), owner=owner))
        return in_order(found)

    def callers(self, result: object) -> tuple[CodePlace, ...]:
        """Each call, and the name of the function that it is in."""
        found: list[CodePlace] = []
        for call in tables(result):
            caller = _table(call.get("from"))
            for place in tables(call.get("fromRanges")):
                hit = self._located({"uri": caller.get("uri"), "range": place})
                if hit is not None:
                    name = str(caller.get("name", ""))
                    found.append(replace(hit, name=name, kind=_kind_of(caller)))
        return in_order(found)

    def callees(self, result: object, path: str) -> tuple[CodePlace, ...]:
        """Each function that is called, with the places of its calls in the file `path`."""
        found: list[CodePlace] = []
        for call in tables(result):
            callee = _table(call.get("to"))
            place = callee.get("selectionRange", callee.get("range"))
            hit = self._located({"uri": callee.get("uri"), "range": place})
            if hit is not None:
                text = self._text(path)
                ranges = tuple(text.range(one) for one in tables(call.get("fromRanges")))
                name = str(callee.get("name", ""))
                found.append(replace(hit, name=name, kind=_kind_of(callee), calls=ranges))
        return in_order(found)

    def _located(self, one: Json) -> CodePlace | None:
        uri = one.get("targetUri", one.get("uri"))
        place = one.get("targetSelectionRange", one.get("range"))
        if not isinstance(uri, str):
            return None
        text = self._of_uri.get(uri) or self._read(uri)
        where = text.range(place)
        return CodePlace(text.path, where, text.line(where.start.line), inside=text.is_inside)

    def _text(self, path: str) -> _HitText:
        return self._of_path.get(path) or self._read(self._session.root.uri(path))

    def _read(self, uri: str) -> _HitText:
        """The text that a URI names, under one of its spellings; outside the root as on disk."""
        relative = self._session.root.relative_of_uri(uri)
        outside = path_of_uri(uri) if relative is None else None
        path = relative if relative is not None else uri if outside is None else str(outside)
        text = self._of_path.get(path)
        if text is None:
            index = self._index(path, outside)
            text = self._of_path[path] = _HitText(path, relative is not None, index)
        self._of_uri[uri] = text
        return text

    def _index(self, path: str, outside: Path | None) -> LineIndex | None:
        """A text; None where it cannot be read."""
        try:
            if outside is not None:
                if not outside.is_file() or outside.stat().st_size > _LONGEST_FILE:
                    return None
                return LineIndex(outside.read_text("utf-8", "replace"))
            text = self._snapshot.read(path)
        except (BadInput, OSError):
            return None
        return None if text is None else LineIndex(text.sendable)


@dataclass
class _HitText:
    """A text that an answer has places in: its lines are cut out once, however many those are."""

    path: str
    is_inside: bool
    index: LineIndex | None
    _lines: dict[int, str] = field(default_factory=dict[int, str])

    def line(self, number: int) -> str:
        """A line, "" where the text cannot be read."""
        line = self._lines.get(number)
        if line is None:
            line = self._lines[number] = "" if self.index is None else self.index.line(number)
        return line

    def range(self, place: object) -> Range:
        """A range of the protocol, moved to the nearest that exists."""
        table = _table(place)
        return Range(self._position(table.get("start")), self._position(table.get("end")))

    def _position(self, place: object) -> Position:
        table = _table(place)
        line, character = table.get("line", 0), table.get("character", 0)
        if not isinstance(line, int) or not isinstance(character, int):
            return Position(0, 0)
        index = self.index
        if index is None:
            return Position(line, character)
        line = min(max(line, 0), len(index.starts) - 1)
        return Position(line, clamped_column(self.line(line), character, "utf-16"))


def _symbols(items: Iterable[Json], text: _HitText, owner: str, depth: int) -> Iterator[CodePlace]:
    """Symbols, and those in them, in the order of the file."""
    hits: list[tuple[Range, Json]] = []
    for one in items:
        flat = _table(one.get("location"))
        place = flat.get("range", one.get("selectionRange", one.get("range")))
        hits.append((text.range(place), one))
    for where, one in sorted(hits, key=lambda pair: pair[0]):
        name, above = str(one.get("name", "")), str(one.get("containerName") or owner)
        yield CodePlace(
            text.path, where, text.line(where.start.line),
            owner=above, name=name, kind=_kind_of(one), inside=text.is_inside, depth=depth,
        )  # fmt: skip
        inner = f"{above}.{name}" if above else name
        yield from _symbols(tables(one.get("children")), text, inner, depth + 1)


def in_order(hits: Iterable[CodePlace]) -> tuple[CodePlace, ...]:
    """Those inside the root first, by path and place, each once."""
    kept: dict[tuple[object, ...], list[CodePlace]] = {}
    for hit in hits:
        start, end = hit.range.start, hit.range.end
        where = (start.line, start.column, end.line, end.column)
        same = kept.setdefault((not hit.inside, hit.path, *where, hit.name), [])
        if hit not in same:
            same.append(hit)
    return tuple(hit for key in sorted(kept) for hit in kept[key])


def uris_of(edit: object) -> Iterator[str]:
    """The documents that an LSP workspace edit names."""
    table = _table(edit)
    yield from _table(table.get("changes"))
    for change in tables(table.get("documentChanges")):
        uri = _table(change.get("textDocument")).get("uri", change.get("uri"))
        if isinstance(uri, str):
            yield uri


def name_at(hit: CodePlace) -> str:
    """The name that a place is of, "" where it is longer than a name."""
    text = hit.line[hit.range.start.column : hit.range.end.column]
    return text if hit.range.start.line == hit.range.end.line and _NAME.fullmatch(text) else ""


def last_name(text: str) -> str:
    """The last name of one as servers write them: `Class.method()`, `std::name`, `name(int)`."""
    names = _NAME.findall(text.partition("(")[0])
    return names[-1] if names else ""


def plain_text(contents: object) -> str:
    """The text of a hover or of documentation, without the fences of code."""
    if isinstance(contents, list):
        parts = [plain_text(one) for one in cast("list[object]", contents)]
        return "\n\n".join(part for part in parts if part)
    if isinstance(contents, dict):
        table = cast("Json", contents)
        contents = plain_text(table["contents"]) if "contents" in table else table.get("value")
    lines = str(contents or "").replace("\r\n", "\n").split("\n")
    kept = [line.rstrip() for line in lines if not (line.startswith("```") or line == "---")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip("\n")


def signatures_of(result: object) -> str:
    """The signatures that a server offers at a place, the active one first, with their docs."""
    table = _table(result)
    found = list(tables(table.get("signatures")))
    active = table.get("activeSignature")
    if isinstance(active, int) and 0 < active < len(found):
        found.insert(0, found.pop(active))
    parts: list[str] = []
    for one in found:
        parts += [str(one.get("label", "")), plain_text(one.get("documentation"))]
    return "\n".join(part for part in parts if part)


def tables(value: object) -> list[Json]:
    """The objects of a list, or one alone; nothing where it is none."""
    items = cast("list[object]", value) if isinstance(value, list) else [value]
    return [cast("Json", one) for one in items if isinstance(one, dict)]


def _table(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _kind_of(symbol: Json) -> str:
    kind = symbol.get("kind")
    return _KINDS[kind - 1] if isinstance(kind, int) and 1 <= kind <= len(_KINDS) else ""
