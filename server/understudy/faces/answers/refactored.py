"""What became of a refactoring, as JSON and as the lines that an agent or a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from understudy.app.code.refactor import Refactored
from understudy.faces.answers.code import (
    ambiguous_line,
    chosen_lines,
    hit_json,
    nearest_words,
    place_name,
)
from understudy.values.printable import first_few, printable

_SHOWN_PATHS = 20


def refactored_json(found: Refactored, name: str) -> dict[str, Any]:
    """All fields, as those of a question's answer."""
    why = found.why
    return {
        "refactoring": name,
        "target": found.wish.target,
        "to": found.wish.to,
        "status": found.status,
        "place": None if found.place is None else hit_json(found.place),
        "server": found.server,
        "branch": found.branch,
        "changed": list(found.changed),
        "hits": [hit_json(hit) for hit in found.hits],
        "nearest": list(found.nearest),
        "reason": None if why is None else {"code": why.code, "text": why.text},
        "notes": list(found.notes),
    }


def refactored_lines(found: dict[str, Any]) -> Iterator[str]:
    """What was changed, or why nothing was; the verdict comes after it."""
    place = found["place"]
    what = printable(found["target"]) if place is None else place_name(place)
    to = printable(found["to"] or "")
    subject = f"{found['refactoring']} of {what}" + (f" to {to}" if to else "")
    if found["refactoring"] == "act":
        subject = f"{to} at {what}"
    by = f" ({found['server']})" if found["server"] else ""
    match found["status"]:
        case "answered":
            changed = [printable(path) for path in found["changed"]]
            files = f"{len(changed)} file{'' if len(changed) == 1 else 's'}"
            yield f"{subject}: {files} changed in branch {found['branch']}{by}"
            yield f"changed: {first_few(changed, _SHOWN_PATHS)}"
        case "ambiguous":
            yield ambiguous_line(what, found["hits"])
            yield from chosen_lines(found["hits"])
        case "no-such-name":
            yield f"no such name: {what}{nearest_words(found)}"
        case "unknown":
            reason = found["reason"]
            yield f"unknown: {subject}: {reason['code']}: {printable(reason['text'])}"
        case _:
            yield f"{subject}: nothing to change{by}"
    yield from (f"note: {printable(note)}" for note in found["notes"])
