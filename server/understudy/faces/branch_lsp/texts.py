"""Texts of documents as LSP changes them, and the edits that lead from one text to another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from understudy.faces.answers.sound_json import sound_text
from understudy.values.errors import BadInput
from understudy.values.lines import matching_blocks, split_lines
from understudy.values.positions import LineIndex

Json = dict[str, Any]


def changed_text(text: str, changes: object) -> list[str]:
    """The text after each of the `contentChanges`; raises BadInput `bad-params`.

    Places that the text does not have are moved to the nearest, as LSP 3.17 has it ("Position").
    """
    if not isinstance(changes, list):
        raise BadInput("bad-params", "expected a list", "contentChanges")
    texts: list[str] = []
    for change in cast("list[Json]", changes):
        try:
            text = _changed(text, change)
        except (KeyError, TypeError, AttributeError) as error:
            raise BadInput(
                "bad-params", f"no change of a text: {error!r}", "contentChanges"
            ) from error
        texts.append(text)
    return texts


def _changed(text: str, change: Json) -> str:
    new: object = change["text"]
    if not isinstance(new, str):
        raise TypeError("text")
    new = sound_text(new)
    place = change.get("range")
    if place is None:
        return new
    index = LineIndex(text)
    start, end = (_offset(index, place[side]) for side in ("start", "end"))
    return text[:start] + new + text[max(start, end) :]


def _offset(index: LineIndex, place: Json) -> int:
    line = int(place["line"])
    if line >= len(index.starts):
        return len(index.content)
    position = index.clamped(line, int(place["character"]), "utf-16")
    return index.starts[position.line] + position.column


def line_edits(before: str, after: str) -> list[Json]:
    """Text edits of whole lines that make one text of the other: places elsewhere stay."""
    old, new = split_lines(before), split_lines(after)
    edits: list[Json] = []
    row = other = 0
    for match in (*matching_blocks(old, new), None):
        stop = len(old) if match is None else match.before_start
        other_stop = len(new) if match is None else match.after_start
        if row < stop or other < other_stop:
            place = {"start": _start_of(old, row), "end": _start_of(old, stop)}
            edits.append({"range": place, "newText": "".join(new[other:other_stop])})
        if match is not None:
            row, other = match.before_start + match.size, match.after_start + match.size
    return edits


def _start_of(lines: Sequence[str], row: int) -> Json:
    """Where a line begins; behind the last one, the end of the text."""
    if row < len(lines) or not lines or lines[-1].endswith(("\n", "\r")):
        return {"line": row, "character": 0}
    last = lines[-1]
    return {"line": row - 1, "character": len(last.encode("utf-16-le")) // 2}
