"""The answers of the context verbs as JSON, for every face."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from understudy.app.context.pack import PackedPrompt
from understudy.app.context.put import Put
from understudy.app.context.record import Recorded
from understudy.app.context.search import SearchAnswer
from understudy.app.context.simulate import Simulated
from understudy.context.excerpt import Excerpt
from understudy.context.notes import Note
from understudy.context.pack import Pack
from understudy.context.providers.model import Model
from understudy.context.providers.wire import rendered
from understudy.context.skill_index import SkillIndex
from understudy.values.errors import UnderstudyError
from understudy.workspace.tools.catalogue import ServerState


def put_json(put: Put, data: bytes) -> dict[str, Any]:
    """The receipt; or the text itself and why it could not be stored."""
    if put.receipt is None:
        assert put.failure is not None
        text = data.decode("utf-8", "replace")
        return {"stored": False, "text": text, "reason": reason_json(put.failure)}
    return {
        "stored": True,
        "path": put.receipt.path,
        "file": str(put.file),
        "sha256": put.receipt.sha256,
        "bytes": put.receipt.size,
        "lines": put.receipt.lines,
        "text": put.receipt.text,
    }


def reason_json(error: UnderstudyError) -> dict[str, Any]:
    """An error that is part of an answer."""
    return {"code": error.code, "text": error.text, "where": error.where}


def excerpt_json(found: Excerpt, path: str) -> dict[str, Any]:
    """A part of a stored text."""
    return {
        "path": path,
        "text": found.text,
        "bytes": found.size,
        "lines": found.lines,
        "matched": found.matched,
        "left_out": found.left_out,
    }


def recorded_json(recorded: Recorded) -> dict[str, Any]:
    """The new events: their numbers, what the prompt shows of each, and where the bytes are."""
    return {
        "events": [
            {"seq": event.seq, "kind": event.kind, "text": event.text, "path": event.ref or None}
            for event in recorded.events
        ],
        "failures": [reason_json(failure) for failure in recorded.failures],
    }


def request_json(made: Pack, model: Model | None) -> dict[str, Any]:
    """The prompt in the form of a model's provider, where the policy names a model."""
    if model is None:
        return {}
    request = rendered(made, model)
    return {"request": dict(request.body), "unmet": list(request.unmet)}


def packed_json(packed: PackedPrompt, model: Model | None = None) -> dict[str, Any]:
    """The prompt, and what has left for it just now."""
    return {
        **packed.pack.as_json(),
        **request_json(packed.pack, model),
        "offloaded": {
            "rule": packed.plan.rule or None,
            "events": [item.seq for item in packed.plan.items],
            "saved": packed.plan.saved,
            "rewritten": packed.plan.rewritten,
        },
        "failures": [reason_json(failure) for failure in packed.failures],
    }


def simulated_json(simulated: Simulated) -> dict[str, Any]:
    """The reports."""
    rules = {rule: report.as_json() for rule, report in simulated.rules.items()}
    return {"logged": simulated.logged.as_json(), "rules": rules}


def skills_json(index: SkillIndex) -> dict[str, Any]:
    """The skills and what is wrong with them."""
    return {
        "text": index.static(),
        "skills": [
            {"name": s.name, "description": s.description, "file": s.file, "origin": s.origin}
            for s in index.skills
        ],
        "problems": [{"file": p.file, "text": p.text} for p in index.problems],
    }


def notes_json(found: Iterable[tuple[Note, str, str]]) -> dict[str, Any]:
    """Notes, each with why it is stale."""
    return {
        "notes": [
            {
                "number": note.number,
                "text": note.text,
                "source": note.source,
                "path": note.path or None,
                "stale": stale or None,
            }
            for note, _, stale in found
        ]
    }


def answer_json(answer: SearchAnswer) -> dict[str, Any]:
    """What a search has found."""
    return {
        "hits": [
            {"path": h.path, "line": h.line, "event": h.event or None, "text": h.text}
            for h in answer.hits
        ],
        "matched": answer.matched,
        "cut": answer.cut,
        "unread": answer.unread,
    }


def servers_json(states: Iterable[ServerState], problems: Iterable[str]) -> dict[str, Any]:
    """MCP servers, and what is wrong with the files that define them."""
    return {
        "servers": [
            {
                "name": state.name,
                "status": state.status,
                "hint": state.hint,
                "tools": state.tools,
                "problems": list(state.problems),
                "origin": state.origin,
                "runs": state.shown,
            }
            for state in states
        ],
        "problems": list(problems),
    }
