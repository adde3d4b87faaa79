"""What a hook of an agent is told on its input, by the form that the table has for it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast

from understudy.values.errors import BadInput
from understudy.values.frozen import frozen
from understudy.values.json_input import read_object
from understudy.workspace.agents.profile import Agent, Hook, Moment

MAX_EVENT_BYTES = 32 * 1024 * 1024
_PATCHED = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)
_HELPER = "agent_id"
ALL = "the working folder"
"""The session of events that name none: all conversations share it."""


@frozen
class AgentEvent:
    """One event: `name` as the agent calls it, `paths` are the edited files as it names them."""

    name: str
    moment: Moment | None
    session: str
    folder: Path | None
    paths: tuple[str, ...]
    prompt: str | None
    transcript: object = None
    """The path of the session's transcript, or its entries; as it was told, not looked at."""


def read_event(agent: Agent, data: bytes) -> AgentEvent:
    """The event of a hook; what is missing in it, or is of another form, is taken as not told.

    Raises BadInput `bad-event` for what is no JSON object, is too large, or for an agent that has
    no hooks.
    """
    hook = agent.hook
    if hook is None:
        raise BadInput("bad-event", "this agent has no hooks", agent.name)
    if len(data) > MAX_EVENT_BYTES:
        text = f"more than {MAX_EVENT_BYTES} bytes on the input"
        raise BadInput("bad-event", text, agent.name)
    try:
        told = read_object(data, "stdin")
    except BadInput as error:
        raise BadInput("bad-event", f"the input is no event: {error.text}", agent.name) from error
    name = _text(told, hook.event) or ""
    detail = _text(told, hook.detail) if hook.detail else None
    moment = hook.events.get(f"{name}/{detail}") or hook.events.get(name)
    if moment == "prompt" and told.get(_HELPER):
        moment = None  # it is its agent's prompt, in the session of the user's turn
    folder = _text(told, hook.folder)
    return AgentEvent(
        name,
        moment,
        _text(told, hook.session) or ALL,
        None if folder is None or "\0" in folder else Path(folder),
        tuple(dict.fromkeys(_paths(told, hook))),
        _text(told, hook.prompt),
        _value(told, hook.transcript),
    )


def filled(template: Any, text: str, event: str) -> Any:  # noqa: ANN401 - JSON
    """An answer with its words filled in."""
    if isinstance(template, dict):
        table = cast("dict[str, Any]", template)
        return {key: filled(value, text, event) for key, value in table.items()}
    if isinstance(template, str):
        return text if template == "{text}" else template.replace("{event}", event)
    return template


def _paths(told: dict[str, Any], hook: Hook) -> list[str]:
    found = [path for place in hook.paths if (path := _text(told, place))]
    for place in hook.patches:
        found += _PATCHED.findall(_text(told, place) or "")
    return [path for path in found if "\0" not in path]


def _text(told: object, place: str) -> str | None:
    """The text at a place; None where there is none."""
    found = _value(told, place)
    return found if isinstance(found, str) else None


def _value(told: object, place: str) -> object:
    for key in place.split("."):
        if isinstance(told, dict):
            told = cast("dict[str, object]", told).get(key)
        elif isinstance(told, list) and key.isdigit():
            items = cast("list[object]", told)
            told = items[int(key)] if int(key) < len(items) else None
        else:
            return None
    return told
