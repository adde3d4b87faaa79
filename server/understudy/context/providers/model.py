"""What is known of a model, as far as a prompt depends on it."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, Literal

from understudy.context.policy import Policy
from understudy.values.errors import BadInput
from understudy.values.frozen import frozen

Wire = Literal["anthropic", "openai", "gemini"]
Choice = Literal["auto", "required", "specified", "none"]


def _doc(text: str) -> dict[str, str]:
    return {"doc": text}


@frozen
class Model:
    """A row of `models.toml`."""

    wire: Wire = field(metadata=_doc("whose form of messages it takes"))
    window: int = field(metadata=_doc("tokens"))
    read: float = field(metadata=_doc("price of a cached token, an uncached input token being 1"))
    write: float = field(metadata=_doc("price of a token that enters the cache"))
    warm: int = field(metadata=_doc("s; so long an unused prefix stays cached"))
    smallest: int = field(metadata=_doc("tokens of the shortest prefix that is cached"))
    breakpoints: int = field(metadata=_doc("cache marks that a request may have; 0: none needed"))
    choices: tuple[Choice, ...] = field(metadata=_doc("how a tool may be chosen"))
    prefill: bool = field(metadata=_doc("whether the answer's beginning may be given"))
    bytes_a_token: float = field(metadata=_doc("of source code, before it has reported any usage"))
    key: bool = field(default=False, metadata=_doc("takes a key that routes to the same cache"))
    match: tuple[str, ...] = field(default=(), metadata=_doc("names that it is for, with `*`"))

    def __post_init__(self) -> None:
        """Raise BadInput `bad-setting` for a number that makes no sense."""
        for name in ("window", "bytes_a_token"):
            if getattr(self, name) <= 0:
                raise BadInput("bad-setting", "must be more than 0", name)
        for name in ("read", "write", "warm", "smallest", "breakpoints"):
            if getattr(self, name) < 0:
                raise BadInput("bad-setting", "must not be negative", name)
        if self.write < self.read:
            raise BadInput("bad-setting", "a token costs at least what reading it costs", "write")

    def policy(self, policy: Policy, given: frozenset[str]) -> Policy:
        """The policy with this model's numbers where nothing else was `given`."""
        mine: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("window", "read", "write", "warm", "bytes_a_token")
            if name not in given
        }
        if mine.get("read", policy.read) > mine.get("write", policy.write):
            raise BadInput("bad-policy", "a token costs at least what reading it costs", "write")
        return replace(policy, **mine)
