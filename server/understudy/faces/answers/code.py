"""What was found about code, as JSON and as text for agents and people.

Text is one place a line, `path:line: the line itself  [its owner]`, with the totals first; what a
budget leaves out is counted by file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from understudy.app.code.answer import CodeAnswer, CodePlace
from understudy.values.positions import LineIndex, Position, Range
from understudy.values.printable import printable

_LONGEST_LINE = 160
_FOOT_BYTES = 160
"""Kept free for the lines that count what is left out."""
_FEW = 3


def code_json(found: CodeAnswer) -> dict[str, Any]:
    """All fields; ranges are the protocol's (0-based, UTF-16), `line` is 1-based."""
    return {
        "question": found.question,
        "target": found.target,
        "status": found.status,
        "place": None if found.place is None else hit_json(found.place),
        "server": found.server,
        "hits": [hit_json(hit) for hit in found.hits],
        "text": found.text,
        "reason": None if found.why is None else {"code": found.why.code, "text": found.why.text},
        "nearest": list(found.nearest),
        "mentions": list(found.mentions),
        "unopened": found.unopened,
        "unseen": list(found.unseen),
        "notes": list(found.notes),
    }


def hit_json(hit: CodePlace) -> dict[str, Any]:
    """One place."""
    return {
        "path": hit.path,
        "inside": hit.inside,
        "line": hit.range.start.line + 1,
        "column": hit.range.start.column + 1,
        "range": _range_json(hit.range, hit.line),
        "text": hit.line,
        "owner": hit.owner,
        "name": hit.name,
        "kind": hit.kind,
        "depth": hit.depth,
        "calls": [one.start.line + 1 for one in hit.calls],
    }


def _range_json(where: Range, line: str) -> dict[str, Any]:
    """The range in UTF-16; its first line is known, and others are taken as they are."""
    index = LineIndex(line)

    def place(at: Position) -> dict[str, int]:
        known = at.line == where.start.line and at.column <= len(line)
        character = index.character(Position(0, at.column)) if known else at.column
        return {"line": at.line, "character": character}

    return {"start": place(where.start), "end": place(where.end)}


def code_text(found: dict[str, Any], budget: int) -> str:
    """What a person or an agent reads of the JSON, within `budget` tokens of 4 bytes."""
    lines = list(_head(found))
    room = budget * 4 - sum(map(_size, lines)) - _FOOT_BYTES
    body = _text_lines(found["text"]) if found["text"] else _hit_lines(found)
    n_all, n_shown = sum(n for _, n in body), 0
    for line, n in body:
        room -= _size(line)
        if room < 0:
            break
        lines.append(line)
        n_shown += n
    return "\n".join((*lines, *_foot(found, n_all, n_shown))) + "\n"


def _head(found: dict[str, Any]) -> Iterator[str]:
    """What was asked, of what place, and how much there is."""
    question, place, hits = found["question"], found["place"], found["hits"]
    by = f" ({found['server']})" if found["server"] else ""
    subject = printable(found["target"]) if place is None else place_name(place)
    match found["status"]:
        case "ambiguous":
            yield ambiguous_line(subject, hits)
        case "no-such-name":
            yield f"no such name: {subject}{nearest_words(found)}"
        case "unknown":
            reason = found["reason"]
            yield f"unknown: {question} of {subject}: {reason['code']}: {printable(reason['text'])}"
        case "nothing":
            yield f"{question} of {subject}: none{by}{nearest_words(found)}"
        case _ if found["text"]:
            yield f"{question} of {subject}{by}"
        case _:
            yield f"{question} of {subject}: {_count(hits)}{by}"


def ambiguous_line(subject: str, hits: Sequence[dict[str, Any]]) -> str:
    """That one of several places is to be chosen: declarations, or words of a line."""
    how = "is declared {} times" if any(hit["kind"] for hit in hits) else "may be {} places"
    return f"ambiguous: {subject} {how.format(len(hits))}; ask with one of these:"


def nearest_words(found: dict[str, Any]) -> str:
    """The names that are alike, if any, as the end of a line."""
    near = ", ".join(map(printable, found["nearest"]))
    return f"; nearest: {near}" if near else ""


def place_name(place: dict[str, Any]) -> str:
    """What was asked about: its name, and where that stands."""
    name = ".".join(filter(None, (place["owner"], place["name"])))
    at = f"{printable(place['path'])}:{place['line']}"
    return f"{printable(name)} ({at})" if name else f"{at}:{place['column']}"


def _count(hits: Sequence[dict[str, Any]]) -> str:
    n_files = len({hit["path"] for hit in hits})
    return f"{len(hits)} in {n_files} file{'' if n_files == 1 else 's'}"


def _hit_lines(found: dict[str, Any]) -> list[tuple[str, int]]:
    """One line for all places on a line of a file, with how many they are.

    Where one of them is to be chosen, each has a line with its column.
    """
    if found["status"] == "ambiguous":
        return [(line, 1) for line in chosen_lines(found["hits"])]
    lines = (hit_line(hit, found["question"]) for hit in found["hits"])
    counted = ((line, len(list(same))) for line, same in groupby(lines))
    return [(f"{line}  (x{n})" if n > 1 else line, n) for line, n in counted]


def hit_line(hit: dict[str, Any], question: str) -> str:
    """One place; its line is cut around what is meant if it is long."""
    text = printable(_around(hit["text"], hit["column"] - 1).strip())
    at = f"{printable(hit['path'])}:{hit['line']}"
    if question == "symbols":
        return (
            f"{'  ' * hit['depth']}{hit['line']}: {hit['kind']} {printable(hit['name'])}".rstrip()
        )
    called = ", ".join(map(str, sorted(set(hit["calls"]))))
    calls = f"  (called at line {called})" if called else ""
    owner = f"  [{printable(hit['owner'])}]" if hit["owner"] else ""
    return f"{at}: {text}{owner}{calls}"


def chosen_lines(hits: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A line for each of several places, as they can be asked about; on one line, with its word."""
    shared = Counter((hit["path"], hit["line"]) for hit in hits)
    for hit in hits:
        line = hit_line(hit, "definition")
        if shared[hit["path"], hit["line"]] > 1:
            at = f"{printable(hit['path'])}:{hit['line']}"
            name = f" {printable(hit['name'])}" if hit["name"] else ""
            line = f"{at}:{hit['column']}{name}{line.removeprefix(at)}"
        yield line


def _around(line: str, column: int) -> str:
    if len(line.strip()) <= _LONGEST_LINE:
        return line
    first = max(min(column - _LONGEST_LINE // 2, len(line) - _LONGEST_LINE), 0)
    part = line[first : first + _LONGEST_LINE]
    return f"{'...' if first else ''}{part}{'...' if first + _LONGEST_LINE < len(line) else ''}"


def _text_lines(text: str) -> list[tuple[str, int]]:
    return [(printable(line), 1) for line in text.split("\n")]


def _foot(found: dict[str, Any], n_all: int, n_shown: int) -> Iterator[str]:
    """What is left out, and what keeps the answer from being whole."""
    if n_all > n_shown and found["text"]:
        yield f"... {n_all - n_shown} more lines; raise the budget"
    elif n_all > n_shown:
        left = Counter(hit["path"] for hit in found["hits"][n_shown:])
        named = ", ".join(f"{printable(path)} {n}" for path, n in left.most_common(_FEW))
        more = f", and {len(left) - _FEW} more files" if len(left) > _FEW else ""
        yield f"... {n_all - n_shown} more left out ({named}{more}); raise the budget"
    if found["mentions"]:
        yield f"also with the word, but no use of it: {_some(found['mentions'])}"
    if found["unopened"]:
        yield f"not complete: {found['unopened']} more files may use it and were not opened"
    if found["unseen"]:
        yield f"not complete: the server cannot see {_some(found['unseen'])}"
    yield from (f"note: {printable(note)}" for note in found["notes"])


def _some(paths: Sequence[str]) -> str:
    named = ", ".join(map(printable, paths[:_FEW]))
    return named if len(paths) <= _FEW else f"{named} and {len(paths) - _FEW} more"


def _size(line: str) -> int:
    return len(line.encode("utf-8", "replace")) + 1
