"""Pull by command: typescript-language-server passes tsserver's own synchronous requests on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from understudy.langserver import methods
from understudy.langserver.connection import ErrorAnswer
from understudy.langserver.diagnostics import Proof
from understudy.langserver.json_values import Json, fields_of, items_of
from understudy.langserver.server import Server
from understudy.shadow.snapshot import Snapshot
from understudy.values.lines import line_texts
from understudy.values.positions import width_of
from understudy.values.verdicts import Reason

_COMMAND = "typescript.tsserverRequest"
_KINDS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync")
_SEVERITIES = {"error": 1, "warning": 2, "message": 3, "suggestion": 4}


async def ask(server: Server, snapshot: Snapshot, path: str, deadline: float) -> Proof | Reason:
    """Ask for each kind of diagnostics; all must come, or nothing is proven."""
    connection = server.client.connection
    file = {"file": server.client.spec.root.uri(path)}
    requests = [
        connection.request(
            methods.EXECUTE_COMMAND, {"command": _COMMAND, "arguments": [kind, file]}, deadline
        )
        for kind in _KINDS
    ]
    try:
        answers = await asyncio.gather(*requests)
    except ErrorAnswer as refusal:
        return Reason("unproven", f"{server.spec.name} answered with an error: {refusal.message}")
    diagnostics: list[Json] = []
    for kind, answer in zip(_KINDS, answers, strict=True):
        body = _body(answer)
        if body is None:
            return Reason("unproven", f"tsserver did not answer {kind}")
        diagnostics += body
    text = snapshot.read(path) if diagnostics else None
    lines = [] if text is None else line_texts(text.sendable)
    return Proof([_converted(item, lines) for item in diagnostics], "utf-16")


def _body(answer: Json) -> list[Json] | None:
    response = fields_of(answer)
    if response.get("success") is not True or not isinstance(response.get("body"), list):
        return None
    return items_of(response["body"])


def _converted(item: Json, lines: Sequence[str]) -> Json:
    """tsserver's form in the protocol's: 1-based line and offset, in UTF-16, become 0-based.

    A malformed one is passed on as it is and spoils the answer later.
    """
    try:
        return {
            "range": {key: _position(item[key], lines) for key in ("start", "end")},
            "severity": _SEVERITIES[item["category"]],
            "code": item.get("code"),
            "source": item.get("source") or "typescript",
            "message": item["text"],
        }
    except (KeyError, TypeError, AttributeError):
        return item


def _position(place: Json, lines: Sequence[str]) -> dict[str, int]:
    line: int = place["line"] - 1
    character: int = place["offset"] - 1
    if line == len(lines) - 2 and not lines[-1] and character > _units(lines[line]):
        # The end of a text that ends with a line end: for tsserver still on the line before.
        return {"line": line + 1, "character": 0}
    return {"line": line, "character": character}


def _units(text: str) -> int:
    return sum(width_of(char, "utf-16") for char in text)
