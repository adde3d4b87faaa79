"""The messages that a log's events make, in order; each offload and summary applied."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Literal

from understudy.context.events import Event, History, Left, last_of
from understudy.context.policy import Policy, tokens_of
from understudy.values.frozen import frozen

Role = Literal["system", "user", "assistant", "tool"]

_ROLES: Mapping[str, Role] = {
    "system": "system", "user": "user", "assistant": "assistant", "call": "assistant",
    "result": "tool", "report": "tool", "attach": "user", "skill": "user", "summary": "user",
    "todo": "user", "status": "user",
}  # fmt: skip
_WORDINGS = ("{text}", "Output of {tool}:\n{text}", "{tool} answered:\n{text}", "{text}\n({tool})")


@frozen
class PromptMessage:
    """One message, in no provider's form; `seq` is the event that it shows."""

    role: Role
    kind: str
    seq: int
    text: str
    tool: str = ""
    call: str = ""
    tokens: int = field(default=0, compare=False)

    def as_json(self) -> dict[str, Any]:
        """The message as JSON; empty fields are left out."""
        named = {"tool": self.tool, "call": self.call}
        extra = {name: value for name, value in named.items() if value}
        head = {"role": self.role, "kind": self.kind, "seq": self.seq}
        return {**head, **extra, "content": self.text}


def messages_of(history: History, policy: Policy) -> list[PromptMessage]:
    """All messages but the recited todo; the same events and policy give the same messages."""
    events = history.events
    left = left_of(events)
    summary = last_of(events, "summary")
    upto = summary.upto if summary is not None else 0
    found = [_message(e, left, policy) for e in events[:upto] if e.kind in ("system", "skill")]
    found.sort(key=lambda message: message.kind != "system")
    if summary is not None:
        found.append(_of(summary, "summary", summary_text(history, summary)))
    later = (e for e in events[upto:] if e.kind in _ROLES and e.kind not in ("todo", "summary"))
    found += (_message(event, left, policy) for event in later)
    return found


def recited(events: Iterable[Event]) -> PromptMessage | None:
    """The goal and the newest todo, which stand last in every prompt."""
    every = tuple(events)
    said = [event for kind in ("goal", "todo") if (event := last_of(every, kind)) is not None]
    parts = [f"Goal: {e.text}" if e.kind == "goal" else e.text for e in said if e.text]
    return _of(said[-1], "todo", "\n\n".join(parts)) if parts else None


def left_of(events: Iterable[Event]) -> dict[int, Left]:
    """What stands in the place of each event that has left for a file."""
    return {item.seq: item for event in events if event.kind == "offload" for item in event.items}


def summary_text(history: History, summary: Event) -> str:
    """A summary as the prompt has it: with the way back to all that it left out."""
    return (
        f"Summary of this conversation up to #{summary.upto}.\n\n{summary.text}\n\n"
        f"Nothing is lost: the whole of it is in {history.path}, one section an event "
        "(`#42` is `## 42` there). Search it before you rely on a detail."
    )


def _message(event: Event, left: Mapping[int, Left], policy: Policy) -> PromptMessage:
    gone = left.get(event.seq)
    text = event.text if gone is None else gone.text
    if event.kind == "result":
        text = _worded(event, text, policy)
    elif event.kind == "attach":
        text = "\n".join(_attached(event))
    elif event.kind == "skill" and event.form != "again":
        text = f"Skill {event.path}:\n{text}"
    return _of(event, event.kind, text)


def _of(event: Event, kind: str, text: str) -> PromptMessage:
    role = _ROLES[kind]
    return PromptMessage(role, kind, event.seq, text, event.tool, event.call, tokens_of(text))


def _attached(event: Event) -> Iterator[str]:
    if event.form == "path":
        yield f"[file {event.path} is as your own edits have left it]"
    elif event.form == "same":
        yield f"[file {event.path} has not changed since it was shown above]"
    elif event.form == "diff":
        yield f"[the user has edited {event.path}; the difference to what you know:]"
        yield event.text
    elif event.form == "outline":
        yield f"[file {event.path} is long; its outline, the whole is in {event.ref}:]"
        yield event.text
    elif event.form == "receipt":
        yield f"[file {event.path}:]"
        yield event.text
    else:
        yield f"[file {event.path}:]"
        yield event.text


def _worded(event: Event, text: str, policy: Policy) -> str:
    if event.has_failed and not event.ref:
        text = f"{text}\n[exit status {event.exit}]"
    if policy.variation is None or not event.tool:
        return text
    # Fixed by the seed and the event's number, so that it is never worded otherwise later.
    turn = hashlib.sha256(f"{policy.variation}:{event.seq}".encode()).digest()[0]
    return _WORDINGS[turn % len(_WORDINGS)].replace("{tool}", event.tool).replace("{text}", text)
