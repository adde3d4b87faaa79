"""What a provider has counted, and what that says about our own estimate of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from understudy.context.events import Event
from understudy.context.policy import Policy
from understudy.values.frozen import frozen

_NEWEST = 5
"""So many reports move the estimate: what a session is about changes slowly."""


@frozen
class Counted:
    """The tokens of one call: all of its input, what of it was cached or written there, output."""

    input: int
    cached: int
    written: int
    output: int


def counted(event: Event) -> Counted:
    """What a `usage` event reports."""
    return Counted(**event.definitions[0])


def factor_of(events: Sequence[Event], policy: Policy) -> float:
    """Tokens of this provider's in one of ours, which are bytes by four."""
    reports = [event for event in events if event.kind == "usage" and event.size > 0][-_NEWEST:]
    if not reports:
        return 4.0 / policy.bytes_a_token
    return sum(counted(one).input for one in reports) / sum(one.size for one in reports)


def total_of(events: Iterable[Event]) -> Counted:
    """All reports of a log together."""
    found = [counted(event) for event in events if event.kind == "usage"]
    return Counted(
        sum(one.input for one in found), sum(one.cached for one in found),
        sum(one.written for one in found), sum(one.output for one in found),
    )  # fmt: skip
