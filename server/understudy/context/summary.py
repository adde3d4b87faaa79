"""When a summary is wanted, what is asked of the model for it, and which answer is taken.

We never call a model: the harness gets the prompt, and hands the answer back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from understudy.context.events import Event, History, last_of, rounds_of
from understudy.context.messages import messages_of, summary_text
from understudy.context.policy import Policy, tokens_of
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

Reason = Literal["window", "hand", "topic"]

_ANALYSIS = re.compile(r"<analysis>.*?(?:</analysis>|(?=<summary>)|\Z)", re.DOTALL)
_SUMMARY = re.compile(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL)

_PROMPT = """\
Stop working on the task and write a summary of this conversation so far. It will take the place of
everything before it, so whoever reads it must be able to carry on as if they had been here.

First think inside <analysis> tags: go through the conversation in order and note what was asked,
what was done, which decisions were made and why, and what went wrong. This part is thrown away.

Then write the summary inside <summary> tags, in these nine sections:
1. Request and intent: everything the user has asked for, as exactly as they put it.
2. Technical concepts: languages, libraries, conventions and decisions that matter here.
3. Files and code: each file that was read, changed or made, why it matters, and the code that is
   needed to go on.
4. Errors and fixes: what failed, with its message, how it was mended, what the user said about it.
5. Problem solving: what is solved, and what is still being looked into.
6. Messages of the user: all of them but tool results, in order.
7. Pending tasks: what was asked for and is not done.
8. Current work: what was being done right now, with file names and code.
9. Next step: only if it follows from the latest request; quote the words that it follows from.

The whole conversation stays in {path}, one section an event. Where a detail is too long for the
summary, name its event as `#42` (the section `## 42` there) instead of copying it. Keep the summary
under {limit} tokens."""
_LIMIT = 3000


@frozen
class Want:
    """A summary is wanted of everything up to event `upto`; `prompt` asks a model for it."""

    reason: Reason
    prompt: str
    upto: int


def wanted(history: History, policy: Policy, tokens: int) -> Want | None:
    """Whether a summary is due for a prompt of so many tokens."""
    events = history.events
    asked = last_of(events, "wish")
    summary = last_of(events, "summary")
    done = 0 if summary is None else summary.seq
    reason: Reason | None = None
    if asked is not None and asked.seq > done:
        reason = "hand"
    elif tokens >= policy.summary_at * policy.window:
        reason = "window"
    elif _is_new_topic(history, policy, done):
        reason = "topic"
    upto = _boundary(events)
    if reason is None or upto <= (0 if summary is None else summary.upto):
        return None
    own = [policy.instructions, asked.text if reason == "hand" and asked is not None else ""]
    return Want(reason, _prompt(history, own), upto)


def accepted(history: History, text: str, upto: int, policy: Policy) -> str:
    """The summary in a model's answer, without its analysis; it must be worth its place.

    Raises BadInput `bad-summary` for an empty one, one of a part of the log that cannot be cut off,
    and one that is longer than what it replaces.
    """
    events = history.events
    last = last_of(events, "summary")
    if not 1 <= upto <= len(events) or _last_closed(events, upto) != upto:
        raise BadInput("bad-summary", f"the log cannot be cut behind #{upto}", "upto")
    if last is not None and upto <= last.upto:
        raise BadInput("bad-summary", f"all up to #{last.upto} has a summary", "upto")
    body = stripped(text)
    if not body:
        raise BadInput("bad-summary", "the summary is empty", "text")
    replaced = sum(
        message.tokens
        for message in messages_of(history, policy)
        if message.kind == "summary"
        or (message.seq <= upto and message.kind not in ("system", "skill"))
    )
    new = tokens_of(summary_text(history, Event(0, "summary", text=body, upto=upto)))
    if new >= replaced:
        raise BadInput(
            "bad-summary", f"it has {new} tokens in the place of {replaced}; it must be shorter",
            "text",
        )  # fmt: skip
    return body


def stripped(text: str) -> str:
    """What stands in the summary tags, or all but the analysis where there are none."""
    without = _ANALYSIS.sub("", text)
    match = _SUMMARY.search(without)
    return (match[1] if match is not None else without).strip()


def topic_text(history: History, policy: Policy) -> str:
    """The last rounds, the model's part cut down to its last answer in each: is it a new topic?"""
    events = history.events
    rounds = rounds_of(events)
    newest = rounds[-1] if rounds else 0
    found: list[str] = []
    for number in range(max(1, newest - policy.topic_rounds + 1), newest + 1):
        inside = [e for e, r in zip(events, rounds, strict=True) if r == number]
        found += (f"user: {e.text}" for e in inside if e.kind == "user")
        answer = next((e for e in reversed(inside) if e.kind == "assistant" and e.text), None)
        if answer is not None:
            found.append(f"assistant: {answer.text}")
    return "\n\n".join(found)


def _is_new_topic(history: History, policy: Policy, done: int) -> bool:
    """Whether a new topic was marked and the history before it is worth a summary."""
    events = history.events
    topic = last_of(events, "topic")
    newest = last_of(events, "user")
    if topic is None or newest is None or topic.seq < done:
        return False
    before = History(history.name, events[: newest.seq - 1])
    gap = newest.at - before.events[-1].at if before.events else 0
    least = policy.topic_min_warm if gap < policy.warm else policy.topic_min
    return sum(message.tokens for message in messages_of(before, policy)) > least


def _boundary(events: Sequence[Event]) -> int:
    """The last event that a summary may cover: all before the user's newest words, if they stand
    last, and never a call without its result."""
    upto = len(events)
    marks = ("topic", "wish", "todo", "goal", "availability", "states", "user")
    while upto and events[upto - 1].kind in marks:
        upto -= 1
    return _last_closed(events, upto)


def _last_closed(events: Sequence[Event], limit: int) -> int:
    """The last event up to `limit` behind which no call waits for its result.

    A call that had none when the user spoke again will get none.
    """
    waiting: set[str] = set()
    closed = 0
    for number, event in enumerate(events[:limit], 1):
        if event.kind == "call":
            waiting.add(event.call)
        elif event.kind in ("result", "report"):
            waiting.discard(event.call)
        elif event.kind == "user":
            waiting.clear()
        if not waiting:
            closed = number
    return closed


def _prompt(history: History, own: Sequence[str]) -> str:
    text = _PROMPT.format(path=history.path, limit=_LIMIT)
    added = "\n".join(part for part in own if part)
    return f"{text}\n\nThe user's own instructions for this summary:\n{added}" if added else text
