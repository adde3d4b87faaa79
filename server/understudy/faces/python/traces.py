"""How a check was judged, as Python has it."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from understudy.faces.answers.report_trace import trace_text
from understudy.faces.python.findings import Json
from understudy.values.frozen import frozen


@frozen
class ServerAsked:
    """A server that a check asked: its program as it is started, and what makes its answer a proof.

    One that could not be started has no `command`; `rule` is the name of the proof.
    """

    name: str
    group: str
    rule: str
    evidence: str | None
    command: tuple[str, ...]
    version: str


@frozen
class ServerSaid:
    """What a server said of one text: so many `findings`; None where there is a `reason`.

    `origin` is where the text comes from, None where it cannot be read; `kept`: an earlier check
    has brought the answer.
    """

    path: str
    side: Literal["before", "after"]
    server: str
    origin: Literal["branch", "buffer", "disk"] | None
    findings: int | None
    reason: str | None
    kept: bool
    elapsed_ms: float


@frozen
class JudgingTrace:
    """How a check was judged: who was asked, shown what, and said what.

    `edited` are the paths that differ. `text` is all of it for people, `json` has the texts'
    digests and each finding (docs/reference/verdicts.md).
    """

    edited: tuple[str, ...]
    servers: tuple[ServerAsked, ...]
    answers: tuple[ServerSaid, ...]
    text: str = field(repr=False, compare=False)
    json: Json = field(repr=False, compare=False)


def judging_trace_of(told: Json) -> JudgingTrace:
    """A host's trace."""
    servers = tuple(
        ServerAsked(
            one["name"], one["group"], one["rule"], one["evidence"], tuple(one["command"]),
            one["version"],
        )
        for one in told["servers"]
    )  # fmt: skip
    text = trace_text({**told})
    answers = tuple(map(_said, told["answers"]))
    return JudgingTrace(tuple(told["edited"]), servers, answers, text, told)


def _said(told: Json) -> ServerSaid:
    found, reason = told["findings"], told["reason"]
    return ServerSaid(
        told["path"],
        told["side"],
        told["server"],
        told["from"],
        None if found is None else len(found),
        None if reason is None else reason["text"],
        told["kept"],
        told["ms"],
    )
