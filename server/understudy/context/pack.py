"""A log and a policy to a prompt: pure, so it comes out the same after a crash and elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from understudy.context.canonical import canonical, digest_of
from understudy.context.events import History, last_of
from understudy.context.messages import PromptMessage, left_of, messages_of, recited
from understudy.context.policy import DEFAULT, Policy
from understudy.context.states import choice_of
from understudy.context.summary import Want, wanted
from understudy.context.usage import factor_of
from understudy.values.frozen import frozen


@frozen
class Stats:
    """Counts of one prompt; tokens as the provider was seen to count, else as the policy says."""

    messages: int
    tokens: int
    bytes: int
    receipts: int
    left: int
    rounds: int
    window: int


@frozen
class Pack:
    """A prompt for any provider.

    `messages[:stable]` only grows from one prompt to the next, except at an offload or a summary;
    what follows (the recited todo) is new each time. A cache breakpoint belongs behind each message
    whose index is in `breakpoints`. `key` names the session to a provider that routes by it.
    `mode` and `prefixes` say which of `tools` the model may choose now; the list is constant.
    """

    messages: tuple[PromptMessage, ...]
    stable: int
    breakpoints: tuple[int, ...]
    key: str
    tools: tuple[Mapping[str, Any], ...]
    mode: str
    prefixes: tuple[str, ...]
    state: str
    want: Want | None
    stats: Stats

    def as_json(self) -> dict[str, Any]:
        """The pack as JSON."""
        want = self.want
        state = {"state": self.state} if self.state else {}
        return {
            "key": self.key,
            "tools": [dict(tool) for tool in self.tools],
            "toolChoice": {"mode": self.mode, "prefixes": list(self.prefixes), **state},
            "messages": [message.as_json() for message in self.messages],
            "stable": self.stable,
            "breakpoints": list(self.breakpoints),
            "want": None
            if want is None
            else {
                "kind": "summary",
                "reason": want.reason,
                "upto": want.upto,
                "prompt": want.prompt,
            },
            "stats": {
                "messages": self.stats.messages,
                "tokens": self.stats.tokens,
                "window": self.stats.window,
                "receipts": self.stats.receipts,
                "left": self.stats.left,
                "rounds": self.stats.rounds,
            },
        }

    def digest(self) -> str:
        """SHA-256 of the pack as canonical JSON."""
        return digest_of(canonical(self.as_json()))


def pack(history: History, policy: Policy = DEFAULT) -> Pack:
    """The prompt for the next call of the model."""
    events = history.events
    stable = messages_of(history, policy)
    todo = recited(events)
    messages = (*stable, *(() if todo is None else (todo,)))
    tools = last_of(events, "tools")
    choice = choice_of(events)
    ours = sum(message.tokens for message in messages)
    tokens = round(ours * factor_of(events, policy))
    left = left_of(events)
    stats = Stats(
        len(messages), tokens, 4 * ours,
        sum(1 for message in stable if message.kind == "result" and events[message.seq - 1].ref),
        sum(1 for message in stable if message.seq in left),
        sum(1 for event in events if event.kind == "user"),
        policy.window,
    )  # fmt: skip
    return Pack(
        messages, len(stable), _breakpoints(stable), digest_of(f"session {history.name}")[:16],
        () if tools is None else tools.definitions,
        choice.mode, choice.prefixes, choice.state,
        wanted(history, policy, tokens), stats,
    )  # fmt: skip


def _breakpoints(stable: list[PromptMessage]) -> tuple[int, ...]:
    """Behind the system prompt, the summary, and the last message that stays (at most three)."""
    found = {index for index, message in enumerate(stable) if message.kind in ("system", "summary")}
    return tuple(sorted({*found, *([len(stable) - 1] if stable else [])}))
